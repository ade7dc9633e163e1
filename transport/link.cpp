// How an inbox grows, and what a link says of a peer that it no longer trusts, or that has given it
// up.
#include "transport/link.hpp"

#include <cstdio>

#include "base/copy.hpp"

namespace tutti::transport {

void Link::take_over(Ring ring, std::uint32_t sequence, std::uint32_t bytes) noexcept {
  const std::size_t total = padded(bytes) + sizeof(Trailer);
  const std::size_t to = shape_.slot_end(ring, shape_[ring].index_of(sequence)),
                    from = slot_end(ring, in_shape_[ring].index_of(sequence));
  copy_bytes(large_inbox_ + to - total, inbox_ + from - total, total);
}

void Link::grow_in() noexcept {
  inbox_ = large_inbox_;
  in_shape_ = shape_;
  note_offsets();
  for (std::size_t r = 0; r < kRings; ++r) arrivals_[r] += later_arrivals_[r];
  must_grow_in_ = false;
  grown_in_ = true;
  small_ = !grown_out_;
  after_growing_in();
}

void Link::distrust(const char* format, long long a, long long b) noexcept {
  char what[128], text[sizeof failure_text_];
  std::snprintf(what, sizeof what, format, a, b);
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD cannot be trusted: %s; memory is corrupt, or it runs "
                "another version of Tutti",
                peer_, what);
  fail(Code::transport_failed, text);
}

// What failed there as `peer_failed` is alive here: the two have lost each other.
void Link::fail_as_peer_did(Code code) noexcept {
  const bool lost = code == Code::peer_failed;
  const char* const why = lost ? "it no longer heard from this rank" : text_of(code);
  char text[sizeof failure_text_];
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD has given up its connection to this rank: %s; see the "
                "error that it returned",
                peer_, why && code != Code::success ? why : "it does not say why");
  fail(why && !lost && code != Code::success ? code : Code::transport_failed, text);
}

}  // namespace tutti::transport
