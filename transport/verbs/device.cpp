// Choosing and opening the device; the survey of all there are.
#include "transport/verbs/device.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace tutti::transport::verbs {
namespace {

struct FreeList {
  void operator()(ibv_device** list) const noexcept { ibv_free_device_list(list); }
};
using DeviceList = std::unique_ptr<ibv_device*[], FreeList>;

// rxe and siw have no vendor: they present 0xffffff ("rxe" since Linux 5.12; 0 before) and "bmt"
// (siw). Their names are only the habit of those who add the links, so names decide nothing here.
bool is_software(const ibv_device_attr& a) {
  return a.vendor_id == 0xffffff || a.vendor_id == 0 || a.vendor_id == 0x626d74;
}

bool is_zero(const ibv_gid& gid) {
  for (const std::uint8_t byte : gid.raw)
    if (byte != 0) return false;
  return true;
}
bool is_ipv4(const ibv_gid& gid) {
  static constexpr std::uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(gid.raw, prefix, sizeof prefix) == 0;
}
std::string text_of(const ibv_gid& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  return text;
}
std::string_view type_name(std::uint32_t type) {
  return type == IBV_GID_TYPE_IB ? "IB" : type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1" : "RoCE v2";
}
constexpr int bytes_of(ibv_mtu mtu) { return 128 << mtu; }

// The GIDs of a port, in one system call: tables have hundreds of places, most of them empty.
std::vector<ibv_gid_entry> gids_of(ibv_context* context, int port, const ibv_port_attr& attributes,
                                   int ports) {
  std::vector<ibv_gid_entry> all(static_cast<std::size_t>(std::max(attributes.gid_tbl_len, 1)) *
                                 static_cast<std::size_t>(ports));
  const ssize_t found = ibv_query_gid_table(context, all.data(), all.size(), 0);
  all.resize(found > 0 ? static_cast<std::size_t>(found) : 0);
  std::erase_if(all, [&](const ibv_gid_entry& e) {
    return e.port_num != static_cast<std::uint32_t>(port) || is_zero(e.gid);
  });
  std::sort(all.begin(), all.end(), [](const ibv_gid_entry& a, const ibv_gid_entry& b) {
    return a.gid_index < b.gid_index;
  });
  return all;
}

std::string all_names(ibv_device* const* list) {
  std::string names;
  for (; *list; ++list)
    names += (names.empty() ? "" : ", ") + std::string(ibv_get_device_name(*list));
  return names.empty() ? "none" : names;
}

PortReport report_port(ibv_context* context, int number, int ports) {
  PortReport report{number, false, false, "unreadable", 0, 0, {}};
  ibv_port_attr port{};
  if (ibv_query_port(context, static_cast<std::uint8_t>(number), &port) != 0) return report;
  report.active = port.state == IBV_PORT_ACTIVE;
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

void FreePages::operator()(std::byte* memory) const noexcept { munmap(memory, bytes); }

Pages own_pages(std::size_t bytes, const char* what) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(Code::out_of_memory, fmt::format("no memory for the {} bytes of {}", bytes, what),
                kNoPeer, errno);
  return {static_cast<std::byte*>(memory), FreePages{bytes}};
}

std::string_view name_of(Arrival arrival) noexcept {
  switch (arrival) {
    case Arrival::automatic: return "auto";
    case Arrival::tail: return "tail";
    case Arrival::imm: return "imm";
    case Arrival::flag: return "flag";
  }
  return "?";
}

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

Device::Device(const DeviceChoice& choice, const std::function<void(std::string_view)>& log) {
  ibv_fork_init();  // before all else; where it cannot be, a program that forks is on its own
  const DeviceList list(ibv_get_device_list(nullptr));
  if (!list || !list[0])
    throw Error(Code::no_device,
                "there is no RDMA device here; load its driver, or add a software one: rdma link "
                "add rxe0 type rxe netdev eth0 "
                "(see `tutti info`); on one node, TUTTI_TRANSPORT=shm needs none");
  std::string why_not;
  for (ibv_device** device = list.get(); *device; ++device) {
    name_ = ibv_get_device_name(*device);
    if (!choice.device.empty() && name_ != choice.device) continue;
    try {
      context_.reset(ibv_open_device(*device));
      if (!context_ || ibv_query_device(context_.get(), &limits_) != 0)
        throw Error(Code::no_device,
                    fmt::format("device {} cannot be opened: {}; may this user read and write "
                                "/dev/infiniband/uverbs*?",
                                name_, std::strerror(errno)),
                    kNoPeer, errno);
      choose_port(choice.port);
      choose_gid(choice.gid_index);
      why_not.clear();
      break;
    } catch (const Error& error) {
      // A device that was not asked for by name only matters if no other will do.
      if (!choice.device.empty() || !device[1]) throw;
      why_not = error.message;
      log(why_not);
    }
  }
  if (!context_)
    throw Error(Code::no_device, fmt::format("there is no device {}; there are: {}; set "
                                             "TUTTI_DEVICE to one of them or leave it unset",
                                             choice.device, all_names(list.get())));
  software_ = is_software(limits_);
  choose_pkey();
  reason_ = fmt::format("device {} ({}), port {} ({}), GID {} ({})", name_,
                        choice.device.empty() ? "the first usable one" : "as set", port_,
                        choice.port == 0 ? "the first active one" : "as set", gid_index_,
                        choice.gid_index < 0 ? reason_ : "as set");
  log(reason_);
  pd_.reset(ibv_alloc_pd(context_.get()));
  if (!pd_) throw_no_memory("a protection domain", 0);
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

// RoCE v2 over IPv4 is what routers and rxe handle best; then any RoCE v2, then what there is.
void Device::choose_gid(int wanted) {
  int best = -1;
  for (const ibv_gid_entry& entry :
       gids_of(context_.get(), port_, port_attributes_, limits_.phys_port_cnt)) {
    const bool v2 = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
    const int score = wanted >= 0   ? (static_cast<int>(entry.gid_index) == wanted ? 1 : -1)
                      : !ethernet() ? 1
                                    : (v2 ? 2 : 0) + (is_ipv4(entry.gid) ? 1 : 0);
    if (score <= best) continue;
    best = score;
    gid_index_ = static_cast<int>(entry.gid_index);
    gid_ = entry.gid;
    if (wanted < 0)
      reason_ =
          fmt::format("{} {}, the best of its kind", type_name(entry.gid_type), text_of(entry.gid));
  }
  if (best < 0 && wanted >= 0)
    throw Error(
        Code::bad_configuration,
        fmt::format("port {} of {} has no GID {}; `tutti info` lists them", port_, name_, wanted));
  if (best < 0)
    throw Error(
        Code::unreachable,
        fmt::format("port {} of {} has no GID; give its network device an address (ip addr add …)",
                    port_, name_));
}

// The first partition of which this port is a full member: two limited members cannot talk to each
// other.
void Device::choose_pkey() noexcept {
  for (int i = 0; i < port_attributes_.pkey_tbl_len; ++i) {
    __be16 key = 0;
    if (ibv_query_pkey(context_.get(), static_cast<std::uint8_t>(port_), i, &key) != 0 ||
        (ntohs(key) & 0x8000) == 0)
      continue;
    pkey_index_ = static_cast<std::uint16_t>(i);
    return;
  }
}

ibv_ah_attr Device::path_to(std::uint16_t lid, const ibv_gid& gid) const noexcept {
  ibv_ah_attr path{};
  path.dlid = lid;
  path.port_num = static_cast<std::uint8_t>(port_);
  // Behind a router, or where the port demands it (virtual functions), also on InfiniBand.
  const bool elsewhere = gid.global.subnet_prefix != gid_.global.subnet_prefix;
  path.is_global =
      ethernet() || elsewhere || (port_attributes_.flags & IBV_QPF_GRH_REQUIRED) != 0 ? 1 : 0;
  path.grh.dgid = gid;
  path.grh.sgid_index = static_cast<std::uint8_t>(gid_index_);
  path.grh.hop_limit = 64;
  return path;
}

MemoryRegion Device::register_memory(void* address, std::size_t length, int access) const {
  MemoryRegion region(ibv_reg_mr(pd_.get(), address, length, access));
  if (region) return region;
  if (errno == EFAULT || errno == EINVAL)
    throw Error(
        Code::bad_buffer,
        fmt::format(
            "the {} bytes at {} cannot be registered: not all of them are mapped, or not writable",
            length, fmt::ptr(address)),
        kNoPeer, errno);
  throw_no_memory("registering memory", length);
}

void throw_no_memory(const char* what, std::size_t bytes) {
  const int error = errno;
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const auto now = limit.rlim_cur == RLIM_INFINITY ? std::string("unlimited")
                                                   : fmt::format("{} bytes", limit.rlim_cur);
  if ((error == ENOMEM || error == EAGAIN || error == EPERM) && limit.rlim_cur != RLIM_INFINITY)
    throw Error(Code::locked_memory,
                fmt::format("{} failed: RLIMIT_MEMLOCK is {}, and {} more bytes are needed; raise "
                            "it (ulimit -l unlimited, or /etc/security/limits.conf)",
                            what, now, bytes),
                kNoPeer, error);
  throw Error(error == ENOMEM ? Code::out_of_memory : Code::transport_failed,
              fmt::format("{} ({} bytes) failed: {} (RLIMIT_MEMLOCK is {})", what, bytes,
                          std::strerror(error), now),
              kNoPeer, error);
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

Registration DeviceRegistrar::add(void* address, std::size_t length, bool writable) {
  const auto registered = [&](int access) -> Registration {
    ibv_mr* region = device_.register_memory(address, length, access).release();
    return {region, region->lkey, region->rkey};
  };
  if (writable) return registered(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  // A source is pinned as if we wrote to it: pinned for reading only, untouched memory would be the
  // common zero page, and what the program writes later would be elsewhere. Memory that cannot be
  // written (constants) cannot change either.
  try {
    return registered(IBV_ACCESS_LOCAL_WRITE);
  } catch (const Error& error) {
    if (error.code != Code::bad_buffer) throw;
    return registered(0);
  }
}

void DeviceRegistrar::remove(const Registration& registration) noexcept {
  ibv_dereg_mr(static_cast<ibv_mr*>(registration.handle));
}

}  // namespace tutti::transport::verbs
