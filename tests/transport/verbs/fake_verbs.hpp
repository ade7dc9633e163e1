// Devices that exist within a test only: libibverbs' functions, over memory of this process.
//
// While a FakeVerbs lives, its devices are those of the machine, and all queue pairs on them reach
// each other. A write arrives at once and is checked as a device checks it: the states of both
// queue pairs, the keys, the room in the queues, the receives. Any call can be refused, completions
// can be held, and datagrams be lost. Safe for several threads.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tutti::tests {

struct FakeDevice {
  FakeDevice(const std::string& name, int address);
  ibv_device device{};
  // An adapter with one active port on an Ethernet, with the GID of 127.0.0.`address`.
  ibv_device_attr limits{};
  std::vector<ibv_port_attr> ports;
  std::vector<ibv_gid_entry> gids;
  std::vector<std::uint16_t> pkeys{0xffff};
  std::uint32_t max_inline = 512;  // bytes
  bool in_order = false;           // the answer of ibv_query_qp_data_in_order()
};

// One at a time.
class FakeVerbs {
 public:
  explicit FakeVerbs(const std::vector<std::string>& names = {"fake0"});
  ~FakeVerbs();
  FakeVerbs(const FakeVerbs&) = delete;
  FakeVerbs& operator=(const FakeVerbs&) = delete;

  FakeDevice& operator[](std::size_t device) noexcept { return devices_[device]; }

  static constexpr int kAlways = -1;
  // The function of that name fails with `error`, so many times.
  void refuse(const std::string& function, int error, int times = kAlways);
  void allow(const std::string& function) { refuse(function, 0, 0); }
  // The k-th call from now on fails with ENOMEM. Calls that send or receive do not count.
  void refuse_kth(int k);
  // Whether that call has come.
  bool refused_kth() const;
  // Completions of sends come later: when this is called with `false`.
  void hold(bool on);
  // Whether a datagram to that queue pair is lost. It is called with a lock held.
  void lose(std::function<bool(std::uint32_t queue_pair)> loses);
  // The device reports an event; `queue_pair`: which one it is about, or 0.
  void report(std::size_t device, ibv_event_type type, std::uint32_t queue_pair = 0);
  // An event of a device that cannot be read any more.
  void break_events(std::size_t device, int error);
  // The queue pair can do nothing any more, as if its process had died.
  void break_pair(std::uint32_t queue_pair);
  // The size of packets to which that queue pair was set; none before it is ready to receive.
  ibv_mtu mtu_of(const ibv_qp* queue_pair) const;
  // Whether a completion came to a full queue.
  bool overflowed() const;
  // Objects that were created and not destroyed.
  int alive() const;
  // Whether the region with that key is there, with that access.
  bool is_registered(std::uint32_t key, int access) const;

 private:
  std::deque<FakeDevice> devices_;
};

}  // namespace tutti::tests
