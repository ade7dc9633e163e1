// The RDMA device: which one, which port, which GID; opened once a process.
// Set-up regime: throws Error with a code of its own for each way to fail. Knows verbs; knows no
// peer and no inbox.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/memory.hpp"

namespace tutti::transport::verbs {

// Verbs objects own themselves: members declared in creation order are destroyed in the order verbs
// demands.
template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* object) const noexcept {
    Release(object);  // an error here leaves the object to the kernel, which cleans up at exit
  }
};
using Context = std::unique_ptr<ibv_context, Releaser<ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, Releaser<ibv_dealloc_pd>>;
using MemoryRegion = std::unique_ptr<ibv_mr, Releaser<ibv_dereg_mr>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, Releaser<ibv_destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Releaser<ibv_destroy_cq>>;
using QueuePair = std::unique_ptr<ibv_qp, Releaser<ibv_destroy_qp>>;
using AddressHandle = std::unique_ptr<ibv_ah, Releaser<ibv_destroy_ah>>;

// Memory of ours to be registered: whole pages, cleared, and no part of the heap, which a forked
// child needs whole: ibv_fork_init() keeps registered pages from it.
struct FreePages {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const noexcept;
};
using Pages = std::unique_ptr<std::byte, FreePages>;
// Throws Error{out_of_memory}; `what` for its message.
Pages own_pages(std::size_t bytes, const char* what);

enum class Arrival : std::uint8_t { automatic, tail, imm, flag };
std::string_view name_of(Arrival arrival) noexcept;

struct DeviceChoice {
  std::string device;  // empty: the first with an active port
  int port = 0;        // 0: the first active one
  int gid_index = -1;  // -1: RoCE v2 with an IPv4 address, else the best there is
};

struct GidReport {
  int index;
  std::string address, type;  // "IB", "RoCE v1", "RoCE v2"
};
struct PortReport {
  int port;
  bool active, ethernet;
  std::string state;
  int lid, active_mtu;  // bytes
  std::vector<GidReport> gids;
};
struct DeviceReport {
  std::string name, driver, firmware, problem;  // problem: why it cannot be opened; else empty
  bool software = false;                        // packets cost CPU: rxe, siw
  int max_qp = 0, max_cqe = 0, max_sge = 0;
  std::uint64_t max_mr_size = 0;
  std::vector<PortReport> ports;
};
// All devices of this machine. Never throws: a device that cannot be read says so in `problem`.
std::vector<DeviceReport> survey();

class Device {
 public:
  // Throws Error{no_device | port_down | unreachable (no usable GID) | locked_memory |
  // bad_configuration}.
  Device(const DeviceChoice& choice, const std::function<void(std::string_view)>& log);

  ibv_context* context() const noexcept { return context_.get(); }
  ibv_pd* pd() const noexcept { return pd_.get(); }
  const std::string& name() const noexcept { return name_; }
  int port() const noexcept { return port_; }
  int gid_index() const noexcept { return gid_index_; }
  std::uint16_t pkey_index() const noexcept { return pkey_index_; }
  const ibv_gid& gid() const noexcept { return gid_; }
  std::uint16_t lid() const noexcept { return port_attributes_.lid; }
  bool ethernet() const noexcept { return port_attributes_.link_layer == IBV_LINK_LAYER_ETHERNET; }
  ibv_mtu mtu() const noexcept { return port_attributes_.active_mtu; }
  std::uint32_t max_message() const noexcept { return port_attributes_.max_msg_sz; }
  const ibv_device_attr& limits() const noexcept { return limits_; }
  bool software() const noexcept { return software_; }
  const std::string& reason() const noexcept { return reason_; }  // why this device, port and GID

  // How to reach a port with this LID and GID.
  ibv_ah_attr path_to(std::uint16_t lid, const ibv_gid& gid) const noexcept;
  // Throws as Registrar::add.
  MemoryRegion register_memory(void* address, std::size_t length, int access) const;
  // Cumulative counters of the port, as the kernel names them: sent_pkts, rcvd_pkts, sent_bytes, …
  std::vector<std::pair<std::string, std::uint64_t>> counters() const;

 private:
  void choose_port(int wanted);
  void choose_gid(int wanted);
  void choose_pkey() noexcept;

  Context context_;
  ProtectionDomain pd_;
  std::string name_, reason_;
  ibv_device_attr limits_{};
  ibv_port_attr port_attributes_{};
  int port_ = 0, gid_index_ = 0;
  std::uint16_t pkey_index_ = 0;
  ibv_gid gid_{};
  bool software_ = false;
};

// An Error{locked_memory} that names the limit and what is needed, if errno says so; else
// Error{transport_failed}.
[[noreturn]] void throw_no_memory(const char* what, std::size_t bytes);

class DeviceRegistrar final : public Registrar {
 public:
  explicit DeviceRegistrar(const Device& device) : device_(device) {}
  Registration add(void* address, std::size_t length, bool writable) override;
  void remove(const Registration& registration) noexcept override;

 private:
  const Device& device_;
};

}  // namespace tutti::transport::verbs
