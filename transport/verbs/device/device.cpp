// Chooses the device, its port, its GID and its partition.
#include "transport/verbs/device/device.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "transport/verbs/device/forked.hpp"
#include "transport/verbs/device/gid.hpp"
#include "transport/verbs/device/memory.hpp"

namespace tutti::transport::verbs {
namespace {

std::string all_names(ibv_device* const* list) {
  std::string names;
  for (; *list; ++list)
    names += (names.empty() ? "" : ", ") + std::string(ibv_get_device_name(*list));
  return names.empty() ? "none" : names;
}

// Kernels from 5.12 on copy pinned pages when a process forks (and memory.cpp takes off the marks
// of users' memory that libibverbs sets nevertheless). Before, libibverbs must keep such pages from
// the child, those of huge pages too, which it only does if asked by this variable; and only before
// any other verb.
void let_fork(const std::function<void(std::string_view)>& log) {
  if (ibv_is_fork_initialized() == IBV_FORK_UNNEEDED) return;
  setenv("RDMAV_HUGEPAGES_SAFE", "1", 0);
  if (const int error = ibv_fork_init())
    log(fmt::format(
        "ibv_fork_init failed ({}): a process that forks must not rely on the memory of "
        "its child; a newer kernel, or IBV_FORK_SAFE=1, helps",
        std::strerror(error)));
}

}  // namespace

bool is_software(const ibv_device_attr& limits) noexcept {
  return limits.vendor_id == 0xffffff || limits.vendor_id == 0 || limits.vendor_id == 0x626d74;
}

std::optional<std::uint16_t> pkey_index_of(std::span<const std::uint16_t> table, int wanted) {
  constexpr int kFullMember = 0x8000;
  std::optional<std::uint16_t> limited;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const int key = table[i];
    if (key == 0 || (wanted != 0 && (key | kFullMember) != (wanted | kFullMember))) continue;
    const auto index = static_cast<std::uint16_t>(i);
    if ((key & kFullMember) != 0) return index;
    if (wanted != 0 && !limited) limited = index;
  }
  return limited;
}

DeviceList list_devices() {
  errno = 0;
  DeviceList list(ibv_get_device_list(nullptr));
  const int error = errno;
  if (!list && (error == ENOMEM || error == EMFILE || error == ENFILE))
    throw Error(error == ENOMEM ? Code::out_of_memory : Code::system,
                fmt::format("the RDMA devices cannot be listed: {}", std::strerror(error)), kNoPeer,
                error);
  return list;
}

Device::Device(const DeviceChoice& choice, const std::function<void(std::string_view)>& log)
    : traffic_(choice.traffic), local_rank_(choice.local_rank) {
  let_fork(log);
  const DeviceList list = list_devices();
  if (!list || !list[0])
    throw Error(Code::no_device,
                "there is no RDMA device here; load its driver, or add one in software: rdma link "
                "add rxe0 type rxe netdev eth0; on one node, "
                "TUTTI_TRANSPORT=shm needs none");
  ibv_device** device = list.get();
  while (*device && !choice.device.empty() && choice.device != ibv_get_device_name(*device))
    ++device;
  if (!*device)
    throw Error(Code::no_device, fmt::format("there is no device {}; there are: {}; set "
                                             "TUTTI_DEVICE to one of them or leave it unset",
                                             choice.device, all_names(list.get())));
  open(*device, choice);
  software_ = is_software(limits_);
  choose_pkey(choice.pkey);
  reason_ = fmt::format("device {}, port {} ({}), GID {} ({})", name_, port_,
                        choice.why.empty() ? "as set" : choice.why, gid_index_, reason_);
  log(reason_);
  pd_.reset(ibv_alloc_pd(context_.get()));
  if (!pd_) throw_no_memory("allocating a protection domain", 0);
}

void Device::open(ibv_device* device, const DeviceChoice& choice) {
  name_ = ibv_get_device_name(device);
  context_.reset(ibv_open_device(device));
  if (!context_ || ibv_query_device(context_.get(), &limits_) != 0)
    throw Error(Code::no_device,
                fmt::format("device {} cannot be opened: {}; may this user read and write "
                            "/dev/infiniband/uverbs*?",
                            name_, std::strerror(errno)),
                kNoPeer, errno);
  fork_handler_.emplace(
      [](void* context) noexcept { release_in_child(*static_cast<const ibv_context*>(context)); },
      context_.get());
  choose_port(choice.port);
  choose_gid(choice.gid_index);
}

void Device::choose_port(int wanted) {
  if (wanted < 0 || wanted > limits_.phys_port_cnt)
    throw Error(Code::bad_configuration,
                fmt::format("device {} has ports 1 to {}, and the setting `port` is {}", name_,
                            limits_.phys_port_cnt, wanted));
  std::string states;
  for (int p = 1; p <= limits_.phys_port_cnt; ++p) {
    if (wanted != 0 && p != wanted) continue;
    ibv_port_attr port{};
    if (ibv_query_port(context_.get(), static_cast<std::uint8_t>(p), &port) != 0) continue;
    if (port.state == IBV_PORT_ACTIVE) {
      port_ = p;
      port_attributes_ = port;
      return;
    }
    states += fmt::format("{}port {} is {}", states.empty() ? "" : ", ", p,
                          ibv_port_state_str(port.state));
  }
  throw Error(Code::port_down, fmt::format("device {} has no usable port: {}; bring the link up "
                                           "(ip link set … up; ibstat or `rdma link` "
                                           "shows it), or set TUTTI_DEVICE and TUTTI_PORT",
                                           name_, states));
}

bool Device::port_is_active() const noexcept {
  ibv_port_attr now{};
  return ibv_query_port(context_.get(), static_cast<std::uint8_t>(port_), &now) != 0 ||
         now.state == IBV_PORT_ACTIVE;
}

void Device::choose_gid(int wanted) {
  const auto gids =
      usable_gids(gids_of(context_.get(), port_, port_attributes_, limits_.phys_port_cnt),
                  port_attributes_, interface_addresses(), wanted);
  if (!gids.empty()) {
    const UsableGid& best = gids.front();
    gid_index_ = static_cast<int>(best.entry.gid_index);
    gid_ = best.entry.gid;
    reason_ = fmt::format("{} {}{}", type_name(best.entry.gid_type), text_of(gid_),
                          best.unassigned ? ", which no network device has" : "");
    return;
  }
  if (wanted >= 0)
    throw Error(
        Code::bad_configuration,
        fmt::format("port {} of {} has no GID {}; `tutti info` lists them", port_, name_, wanted));
  throw Error(
      Code::unreachable,
      fmt::format("port {} of {} has no GID; give its network device an address (ip addr add …)",
                  port_, name_));
}

void Device::choose_pkey(int wanted) {
  std::vector<std::uint16_t> table(port_attributes_.pkey_tbl_len);
  for (std::size_t i = 0; i < table.size(); ++i) {
    __be16 entry = 0;
    if (ibv_query_pkey(context_.get(), static_cast<std::uint8_t>(port_), static_cast<int>(i),
                       &entry) == 0)
      table[i] = ntohs(entry);
  }
  if (const auto index = pkey_index_of(table, wanted)) {
    pkey_index_ = *index;
  } else if (wanted != 0) {
    std::erase(table, 0);
    throw Error(
        Code::bad_configuration,
        fmt::format("port {} of {} is in no partition {:#06x}; it is in {}", port_, name_, wanted,
                    table.empty() ? "none" : fmt::format("{:#06x}", fmt::join(table, ", "))));
  }
}

ibv_mtu Device::mtu_for(int bytes) const {
  if (bytes == 0) return mtu();
  for (const ibv_mtu size : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096})
    if (bytes_of(size) == bytes && size <= mtu()) return size;
  throw Error(Code::bad_configuration,
              fmt::format("the setting `mtu` is {}; port {} of {} carries 256, 512, … up to {}",
                          bytes, port_, name_, bytes_of(mtu())));
}

ibv_ah_attr Device::path_to(std::uint16_t lid, const ibv_gid& gid) const noexcept {
  ibv_ah_attr path{};
  path.dlid = lid;
  path.port_num = static_cast<std::uint8_t>(port_);
  // With a global route header on Ethernet; on InfiniBand if there is a router between the ports,
  // or if the port demands it (virtual functions).
  const bool elsewhere = gid.global.subnet_prefix != gid_.global.subnet_prefix;
  path.is_global =
      ethernet() || elsewhere || (port_attributes_.flags & IBV_QPF_GRH_REQUIRED) != 0 ? 1 : 0;
  path.grh.dgid = gid;
  path.grh.sgid_index = static_cast<std::uint8_t>(gid_index_);
  path.grh.hop_limit = static_cast<std::uint8_t>(traffic_.hop_limit);
  path.grh.traffic_class = static_cast<std::uint8_t>(traffic_.traffic_class);
  path.sl = static_cast<std::uint8_t>(traffic_.service_level);
  return path;
}

std::vector<std::pair<std::string, std::uint64_t>> Device::counters() const {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  const std::string folder =
      fmt::format("{}/ports/{}/hw_counters", context_->device->ibdev_path, port_);
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    std::uint64_t value = 0;
    if (std::ifstream(file.path()) >> value)
      result.emplace_back(file.path().filename().string(), value);
  }
  return result;
}

}  // namespace tutti::transport::verbs
