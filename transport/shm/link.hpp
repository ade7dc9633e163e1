// The data path over shared memory: a put is a few stores into the peer's inbox, without a system
// call; a write or a fetch is one copy by the kernel (process_vm_writev, process_vm_readv) between
// this rank's memory and the peer's.
#pragma once

#include <sys/uio.h>

#include <array>
#include <span>

#include "transport/link.hpp"
#include "transport/shm/memory.hpp"
#include "transport/shm/revocation.hpp"
#include "transport/shm/stores.hpp"

namespace tutti::transport::shm {

class ShmLink final : public Link, public Fetching {
 public:
  // Between two local ranks of the segment, which outlives the link. A peer whose process is gone
  // already makes a failed link. `cores_shared`: ranks have to wait for each other's cores.
  ShmLink(const InboxShape& shape, int peer, Segment& segment, int local_rank, int local_peer,
          bool cores_shared = false);

  Post put(Ring ring, std::uint32_t index, const void* payload,
           const Trailer& trailer) noexcept override;
  Post put_packed(Ring ring, std::uint32_t index, PackedView& view, const std::byte* payload,
                  const Trailer& trailer) noexcept override;
  Post report(Ring ring, std::uint32_t consumed) noexcept override;
  Post write(const void* source, const Registration&, const RemoteKey& target, std::size_t bytes,
             std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept override;
  Post fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept override;
  Post fetch_packed(PackedView& view, std::byte* target, const RemoteKey& source,
                    std::size_t bytes) noexcept override;
  void pack(PackedView& view, const std::byte* from, Bytes bytes) noexcept override;
  bool fetch_pays(Bytes bytes, const Load& load) noexcept override;
  void probe() noexcept override;
  std::optional<Notice> notice() noexcept override;
  bool drained() noexcept override { return true; }
  const char* kind() const noexcept override { return "shm"; }
  // Bytes of the peer's inbox that this rank has allocated, beyond those of the segment's start.
  std::size_t allocated_bytes() const noexcept { return allocated_bytes_; }
  std::string state_of_peer() override;

 private:
  void break_off(Code code) noexcept override;
  template <class Fill>
  Post put_filled(Ring ring, std::uint32_t index, const Trailer& trailer, Fill&& fill) noexcept;
  // The rest that the kernel has yet to copy between this rank's memory and the peer's.
  struct Rest {
    std::byte* mine;
    std::uint64_t theirs;
    std::size_t bytes;
    iovec here() const noexcept { return {mine, bytes}; }
    iovec there() const noexcept { return there(bytes); }
    iovec there(std::size_t first) const noexcept {
      return {reinterpret_cast<void*>(theirs), first};
    }
  };
  Post copied(Rest& rest, ssize_t bytes) noexcept;
  Post read(Rest rest) noexcept;
  Post read_to_elements(PackedView& view, Rest rest) noexcept;
  Post read_some(std::span<iovec> here, Rest& rest, std::size_t bytes) noexcept;
  Post has_ended() noexcept;
  void peer_is_gone(const char* how) noexcept;
  void note_allocated(Ring ring, std::uint32_t end) noexcept;
  bool allocate(Ring ring, std::uint32_t index) noexcept;
  int allocate(Ring ring, std::uint32_t index, std::uint32_t end) noexcept;
  bool has_room_for_pieces(Bytes bytes) noexcept;

  Segment& segment_;
  const int local_rank_, local_peer_;
  std::byte* const peer_inbox_;
  std::uint32_t &my_marks_, &peers_marks_;  // in the peer's inbox, and in mine
  // Slots of the peer's rings that may be written to, from the first on; at least one more, if
  // there is one, may be read.
  std::array<std::uint32_t, kRings> allocated_{};
  std::size_t allocated_bytes_ = 0;
  ShmRevocation revocation_;
  const int pid_;
  // The secret of the peer's process.
  const std::uint64_t secret_, secret_address_;
  const bool secret_is_own_;
  const bool cores_shared_;
  StorePolicy stores_;
  ReadClock reads_;
  Fetches fetches_;         // by the peer
  FetchClock fetch_clock_;  // of this rank's
  // For data that is packed on the way. A trial costs much there: all must be packed first.
  Fetches packed_fetches_;
  std::array<double, kLengths> packs_{};  // ticks of a byte, before the peer may fetch it
  bool room_for_pieces_;                  // there was always enough
  std::uint32_t notices_read_ = 0;
};

}  // namespace tutti::transport::shm
