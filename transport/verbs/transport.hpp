// The transport over verbs: reliable connections, made when two ranks first need each other. It has
// one handshake, and one device for each rail; links are found by world rank.
#pragma once

#include <atomic>
#include <memory>

#include "transport/verbs/connection/completion_queues.hpp"
#include "transport/verbs/handshake/handshake.hpp"

namespace tutti::transport::verbs {

struct Options {
  std::vector<DeviceChoice> devices;  // one for each rail, one at least; the first carries most
  int mtu = 0;                        // bytes; 0: the port's
  LinkOptions link;
  std::chrono::milliseconds connect_timeout{8000};
  std::function<void(std::string_view)> log;
};

class VerbsTransport final : public Transport {
 public:
  // `shape_for(software)` returns the inboxes' shape, once it is known whether packets cost CPU
  // time. Throws as Device, and Error{bad_configuration} for an MTU that the port cannot carry.
  VerbsTransport(const Options& options, int world_rank, int world_size,
                 const std::function<InboxShape(bool software)>& shape_for);
  ~VerbsTransport() override;

  const char* kind() const noexcept override { return "verbs"; }
  Address address() const override;
  void set_peers(std::span<const Address> addresses) override;
  void send_disconnect() noexcept override;

  bool reaches(int) const noexcept override { return true; }
  Link& connect(int peer) override;
  Link* accepted() noexcept override;
  bool leave_notice(const Notice& notice) noexcept override {
    return handshake_->leave_notice(notice);
  }
  bool take_starved() noexcept override {
    return starved_.load(std::memory_order_relaxed) && starved_.exchange(false);
  }
  bool progress() noexcept override;

  bool software_wire() const noexcept override { return device_.software(); }
  std::size_t bytes_per_connection() const noexcept override {
    return first_bytes_per_connection(shape_);
  }
  // Memory of a connection at first, and of one that has grown.
  static std::size_t first_bytes_per_connection(const InboxShape& shape) noexcept {
    return Connection::bytes(first_shape(shape), LinkOptions{}.at_first());
  }
  static std::size_t most_bytes_per_connection(const InboxShape& shape, std::size_t rails,
                                               bool software) noexcept {
    const LinkOptions options;
    return first_bytes_per_connection(shape) +
           Connection::bytes(shape, software ? options.in_software() : options) +
           (rails - 1) * Lane::kBytes;
  }
  // Summed over the rails.
  std::vector<std::pair<std::string, std::uint64_t>> counters() const override;
  // The devices, ports and GIDs, why they were chosen, and the arrival strategy.
  nlohmann::json describe() const override;
  const Device& device() const noexcept { return device_; }

  // Memory kept for each rank of the job, connected or not.
  static constexpr std::size_t kBytesPerRank =
      sizeof(std::atomic<VerbsLink*>) + Handshake::kBytesPerRank + SharedReceives::kBytesPerRank;
  std::size_t bytes_per_rank() const noexcept override { return kBytesPerRank; }

 private:
  VerbsLink* make_link(int peer);
  std::vector<const Device*> devices() const;

  Options options_;
  Device device_;
  Rails rails_;  // the others
  const InboxShape shape_;
  DeviceRegistrar registrar_;
  SharedReceives shared_;
  CompletionQueues queues_;
  LinkContext link_context_;
  std::vector<std::atomic<VerbsLink*>> links_;    // by world rank; made under the handshake's lock
  std::vector<std::unique_ptr<VerbsLink>> made_;  // owns them
  std::vector<Link*> accepted_;
  std::atomic<bool> any_accepted_{false}, starved_{false};
  std::unique_ptr<Handshake> handshake_;  // last: its thread uses all of the above
};

}  // namespace tutti::transport::verbs
