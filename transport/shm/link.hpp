// The data path over shared memory: a put is a few stores into the peer's inbox, without a system
// call; a write is one copy by the kernel (process_vm_writev) from this rank's memory to the
// peer's.
#pragma once

#include "transport/link.hpp"
#include "transport/shm/memory.hpp"

namespace tutti::transport::shm {

class ShmLink final : public Link {
 public:
  // Between two local ranks of the segment, which outlives the link. A peer whose process is gone
  // already makes a failed link.
  ShmLink(const InboxShape& shape, int peer, Segment& segment, int local_rank, int local_peer);

  Post put(Ring ring, std::uint32_t index, const void* payload,
           const Trailer& trailer) noexcept override;
  Post report(Ring ring, std::uint32_t consumed) noexcept override;
  Post write(const void* source, const Registration&, const RemoteKey& target, std::size_t bytes,
             std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept override;
  void progress() noexcept override {}
  void probe() noexcept override;
  bool drained() noexcept override { return true; }
  bool writes_directly() const noexcept override { return direct_; }
  const char* kind() const noexcept override { return "shm"; }

 private:
  void peer_is_gone(const char* how) noexcept;

  Segment& segment_;
  const int local_peer_;
  std::byte* const peer_inbox_;
  const int pid_;
  const bool direct_;
};

}  // namespace tutti::transport::shm
