// Shared memory among the ranks of one node, as a Transport.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "transport/shm/memory.hpp"
#include "transport/machine.hpp"
#include "transport/placement.hpp"
#include "transport/transport.hpp"

namespace tutti::transport::shm {

struct Options {
  Copy copy = Copy::automatic;  // of large messages
  Memory memory = Memory::automatic;
  std::function<void(std::string_view)> log = [](std::string_view) {};
  Machine* machine = nullptr;  // outlives the transport; ranks of the node share its processors
};

// set_peers() is collective over the job, and must be called by all ranks that have the transport.
class ShmTransport final : public Transport {
 public:
  // Reaches the ranks that share this rank's node. `placement` must outlive the transport. `meet`
  // is called in set_peers().
  ShmTransport(const Options& options, const Placement& placement, const InboxShape& shape,
               Meet meet);
  ~ShmTransport() override;

  const char* kind() const noexcept override { return "shm"; }
  Address address() const override;
  void set_peers(std::span<const Address> addresses) override;
  void send_disconnect() noexcept override;

  bool reaches(int peer) const noexcept override { return placement_.shares_node(peer); }
  bool connects_at_once() const noexcept override { return true; }
  Link& connect(int peer) override;
  Link* accepted() noexcept override;
  bool leave_notice(const Notice& notice) noexcept override;
  bool needs_progress() const noexcept override { return false; }  // receivers poll their inboxes

  std::size_t bytes_per_connection() const noexcept override {
    return segment_ ? 2 * first_bytes() : 0;  // two inboxes
  }
  nlohmann::json describe() const override;
  // How large messages are copied.
  Copy copy() const noexcept { return segment_ ? segment_->copy() : options_.copy; }

 private:
  int local_rank(int world_rank) const noexcept;  // of a rank of this node
  std::string_view memory() const noexcept;       // that the ranks share
  void describe_processors(nlohmann::json& facts) const;

  const Options options_;
  const Placement& placement_;
  const InboxShape shape_;
  const Meet meet_;
  // Names the segment if this is the node's first rank.
  const std::uint64_t token_ = random_number();
  int my_local_rank_ = 0;
  std::unique_ptr<Segment> segment_;
  std::vector<std::unique_ptr<Link>> links_;  // by local rank
};

}  // namespace tutti::transport::shm
