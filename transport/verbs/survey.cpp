// Asking every device in turn.
#include "transport/verbs/survey.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "transport/verbs/device.hpp"
#include "transport/verbs/gid.hpp"

namespace tutti::transport::verbs {
namespace {

PortReport report_port(ibv_context* context, int number, int ports) {
  PortReport report{number, false, "unreadable", 0, 0, {}};
  ibv_port_attr port{};
  if (ibv_query_port(context, static_cast<std::uint8_t>(number), &port) != 0) return report;
  report.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
  report.state = ibv_port_state_str(port.state);
  report.lid = port.lid;
  report.active_mtu = bytes_of(port.active_mtu);
  for (const ibv_gid_entry& entry : gids_of(context, number, port, ports))
    report.gids.push_back({static_cast<int>(entry.gid_index), text_of(entry.gid),
                           std::string(type_name(entry.gid_type))});
  return report;
}

}  // namespace

std::vector<DeviceReport> survey() {
  std::vector<DeviceReport> reports;
  const DeviceList list(ibv_get_device_list(nullptr));
  for (ibv_device** device = list.get(); device && *device; ++device) {
    DeviceReport& report = reports.emplace_back();
    report.name = ibv_get_device_name(*device);
    std::error_code ignored;
    report.driver = std::filesystem::read_symlink(
                        std::string((*device)->ibdev_path) + "/device/driver", ignored)
                        .filename()
                        .string();
    const Context context(ibv_open_device(*device));
    ibv_device_attr limits{};
    if (!context || ibv_query_device(context.get(), &limits) != 0) {
      report.problem =
          fmt::format("cannot be opened: {}; may this user read and write /dev/infiniband/uverbs*?",
                      std::strerror(errno));
      continue;
    }
    report.software = is_software(limits);
    report.firmware = limits.fw_ver;
    report.max_qp = limits.max_qp;
    report.max_cqe = limits.max_cqe;
    report.max_sge = limits.max_sge;
    report.max_mr_size = limits.max_mr_size;
    for (int p = 1; p <= limits.phys_port_cnt; ++p)
      report.ports.push_back(report_port(context.get(), p, limits.phys_port_cnt));
  }
  return reports;
}

}  // namespace tutti::transport::verbs
