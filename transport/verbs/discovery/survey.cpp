// Asks every device for its ports and GIDs, and why each cannot be used.
#include "transport/verbs/discovery/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "transport/verbs/device/device.hpp"
#include "transport/verbs/discovery/sysfs.hpp"
#include "transport/verbs/device/gid.hpp"

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

// Lanes times the rate of a lane, in Mbit/s; 0: unknown. The codes are those of the InfiniBand
// specification.
std::uint64_t rate_by_codes(const ibv_port_attr& port) {
  const std::uint64_t lanes = port.active_width == 1    ? 1
                              : port.active_width == 2  ? 4
                              : port.active_width == 4  ? 8
                              : port.active_width == 8  ? 12
                              : port.active_width == 16 ? 2
                                                        : 0;
  switch (port.active_speed) {
    case 1: return lanes * 2500;
    case 2: return lanes * 5000;
    case 4:
    case 8: return lanes * 10000;
    case 16: return lanes * 14000;
    case 32: return lanes * 25000;
    case 64: return lanes * 50000;
    case 128: return lanes * 100000;
    default: return 0;
  }
}

// Why a device of this transport cannot carry the job; empty: it can.
std::string problem_of(ibv_transport_type transport) {
  switch (transport) {
    case IBV_TRANSPORT_IB: return {};
    case IBV_TRANSPORT_IWARP: return "it is iWARP, which has no datagrams (UD) to connect by";
    case IBV_TRANSPORT_USNIC:
    case IBV_TRANSPORT_USNIC_UDP: return "it is usNIC, which has no reliable connections (RC)";
    default: return "it is neither InfiniBand nor RoCE, and may lack reliable connections (RC)";
  }
}

// The port with each of its fabrics, or with its problem.
void add_port(ibv_context* context, const ibv_device_attr& limits, int number, int gid_index,
              std::vector<Candidate>& all) {
  Candidate c;
  c.device = ibv_get_device_name(context->device);
  c.port = number;
  c.software = is_software(limits);
  c.distance = distance_to(c.device);
  c.problem = problem_of(context->device->transport_type);
  ibv_port_attr port{};
  if (ibv_query_port(context, static_cast<std::uint8_t>(number), &port) != 0 && c.problem.empty())
    c.problem = fmt::format("port {} cannot be read", number);
  c.rate = rate_of(c.device, number);
  if (c.rate == 0) c.rate = rate_by_codes(port);
  if (c.problem.empty() && port.state != IBV_PORT_ACTIVE) {
    c.problem = fmt::format("port {} is {}", number, ibv_port_state_str(port.state));
    c.code = Code::port_down;
  }
  const auto gids = usable_gids(gids_of(context, number, port, limits.phys_port_cnt), port,
                                interface_addresses(), gid_index);
  if (c.problem.empty() && gids.empty()) {
    c.problem = gid_index < 0 ? fmt::format("port {} has no GID", number)
                              : fmt::format("port {} has no GID {}", number, gid_index);
    c.code = gid_index < 0 ? Code::unreachable : Code::bad_configuration;
  }
  if (!c.problem.empty()) {
    all.push_back(c);
    return;
  }
  const std::size_t first = all.size();
  for (const UsableGid& gid : gids) {
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                    [&](const Candidate& other) { return other.fabric == gid.fabric; }))
      continue;
    c.fabric = gid.fabric;
    c.gid_index = static_cast<int>(gid.entry.gid_index);
    c.unassigned = gid.unassigned;
    all.push_back(c);
  }
}

}  // namespace

std::vector<Candidate> candidates(int gid_index) {
  std::vector<Candidate> all;
  const DeviceList list = list_devices();
  for (ibv_device** device = list.get(); device && *device; ++device) {
    const Context context(ibv_open_device(*device));
    ibv_device_attr limits{};
    if (!context || ibv_query_device(context.get(), &limits) != 0) {
      Candidate& unreadable = all.emplace_back();
      unreadable.device = ibv_get_device_name(*device);
      unreadable.problem = fmt::format("it cannot be opened: {}", std::strerror(errno));
      continue;
    }
    for (int p = 1; p <= limits.phys_port_cnt; ++p)
      add_port(context.get(), limits, p, gid_index, all);
  }
  return all;
}

std::vector<DeviceReport> survey() {
  std::vector<DeviceReport> reports;
  const DeviceList list = list_devices();
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
