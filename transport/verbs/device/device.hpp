// The RDMA device: which one, which port, which GID; opened once in a process.
// Set-up regime: throws Error with a code of its own for each way to fail. Knows verbs; knows no
// peer and no inbox.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork_handler.hpp"

namespace tutti::transport::verbs {

// Verbs objects are owned by unique_ptr. Members declared in the order of creation are destroyed in
// the order that verbs demands.
template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* object) const noexcept {
    Release(object);  // an error here leaves the object to the kernel, which cleans up at exit
  }
};
using DeviceList = std::unique_ptr<ibv_device*[], Releaser<ibv_free_device_list>>;
using Context = std::unique_ptr<ibv_context, Releaser<ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, Releaser<ibv_dealloc_pd>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, Releaser<ibv_destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Releaser<ibv_destroy_cq>>;
using AddressHandle = std::unique_ptr<ibv_ah, Releaser<ibv_destroy_ah>>;

// All of this host; empty where the kernel knows no RDMA. Throws Error{out_of_memory | system}: who
// cannot list its devices would seem to have none.
DeviceList list_devices();

constexpr int bytes_of(ibv_mtu mtu) { return 128 << mtu; }
// rxe and siw present no vendor of hardware: 0xffffff ("rxe" since Linux 5.12; 0 before) and "bmt"
// (siw). Their devices may have any name, so names decide nothing.
bool is_software(const ibv_device_attr& limits) noexcept;

// The place in a port's table of the partition key `wanted`, with or without the bit of full
// members; 0: of any key. As a full member if possible, as two limited members cannot talk to each
// other, and as a limited one only if that key is wanted.
std::optional<std::uint16_t> pkey_index_of(std::span<const std::uint16_t> table, int wanted);

// Fields of packets for the sake of the network.
struct Traffic {
  int service_level = 0;  // 0 to 15
  int traffic_class = 0;  // 0 to 255; with RoCE the DSCP is in its upper six bits
  int hop_limit = 64;     // 1 to 255
};

// A device and port, as PortChoice (port_choice.hpp) settles on them.
struct DeviceChoice {
  std::string device{};  // empty: the first there is
  int port = 0;          // 0: the first active one
  int gid_index = -1;    // -1: the best there is (gid.hpp)
  int pkey = 0;          // of the partition; 0: the first of which the port is a full member
  int local_rank = 0;    // this rank's number on its node
  Traffic traffic{};
  std::string why{};  // this device and port, in words
};

class Device {
 public:
  // Throws Error{no_device | port_down | unreachable (no usable GID) | locked_memory |
  // bad_configuration}.
  Device(const DeviceChoice& choice, const std::function<void(std::string_view)>& log);

  ibv_context* context() const noexcept { return context_.get(); }
  ibv_pd* pd() const noexcept { return pd_.get(); }
  const std::string& name() const noexcept { return name_; }
  int port() const noexcept { return port_; }
  // Asks the device, by a system call; if that fails, it counts as active.
  bool port_is_active() const noexcept;
  int gid_index() const noexcept { return gid_index_; }
  std::uint16_t pkey_index() const noexcept { return pkey_index_; }
  const ibv_gid& gid() const noexcept { return gid_; }
  std::uint16_t lid() const noexcept { return port_attributes_.lid; }
  bool ethernet() const noexcept { return port_attributes_.link_layer == IBV_LINK_LAYER_ETHERNET; }
  ibv_mtu mtu() const noexcept { return port_attributes_.active_mtu; }
  // The MTU of connections, if the setting is `bytes`; 0: mtu(). Throws Error{bad_configuration} if
  // the port cannot carry so much.
  ibv_mtu mtu_for(int bytes) const;
  std::uint32_t max_message() const noexcept { return port_attributes_.max_msg_sz; }
  const ibv_device_attr& limits() const noexcept { return limits_; }
  // Where completions interrupt: ranks of a node spread over what the device has.
  int completion_vector() const noexcept {
    return local_rank_ % std::max(context_->num_comp_vectors, 1);
  }
  bool software() const noexcept { return software_; }
  const std::string& reason() const noexcept { return reason_; }  // why this device, port and GID

  // How to reach a port with this LID and GID.
  ibv_ah_attr path_to(std::uint16_t lid, const ibv_gid& gid) const noexcept;
  // Cumulative counters of the port, as the kernel names them: sent_pkts, rcvd_pkts, sent_bytes, …
  std::vector<std::pair<std::string, std::uint64_t>> counters() const;

 private:
  void open(ibv_device* device, const DeviceChoice& choice);
  void choose_port(int wanted);
  void choose_gid(int wanted);
  void choose_pkey(int wanted);

  const Traffic traffic_;
  const int local_rank_;
  Context context_;
  std::optional<ForkHandler> fork_handler_;
  ProtectionDomain pd_;
  std::string name_, reason_;
  ibv_device_attr limits_{};
  ibv_port_attr port_attributes_{};
  int port_ = 0, gid_index_ = 0;
  std::uint16_t pkey_index_ = 0;
  ibv_gid gid_{};
  bool software_ = false;
};

}  // namespace tutti::transport::verbs
