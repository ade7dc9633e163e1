// A stretch of bytes from which the messages of one ring are sent, one behind the other: taken and
// freed in order.
//
// A message is through, and its bytes are free, when its write has completed, or when a later
// message goes to the same slot: then the peer has consumed it. Writes of long messages ask for a
// completion. Others do not: all of them that can be under way take less than half of the stretch
// together, so that one of the longest messages always finds room beside them.
//
// Counters only: knows no memory and no queue pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::transport::verbs {

class SendStretch {
 public:
  // `bytes`: four times the longest message at least. `slots`: of the ring. Throws std::bad_alloc.
  SendStretch(std::uint32_t bytes, std::uint32_t slots) : bytes_(bytes), sent_(slots) {}

  // Where the next message goes, from the stretch's beginning. `completed`: the last work request
  // that is known to be complete. nullopt: nowhere, before one that asked for a completion has it.
  std::optional<std::uint32_t> room_for(std::uint32_t bytes, std::uint64_t completed) noexcept {
    while (count_ != 0 && (count_ == sent_.size() || sent_[first_].request <= completed)) {
      first_ = next(first_);
      --count_;
    }
    if (count_ == 0) return 0;
    const std::uint32_t oldest = sent_[first_].begin;
    if (end_ <= oldest) return fits(end_, bytes, oldest);
    if (const auto behind = fits(end_, bytes, bytes_)) return behind;
    return fits(0, bytes, oldest);
  }
  // The message went from there, by that work request.
  void take(std::uint32_t begin, std::uint32_t bytes, std::uint64_t request) noexcept {
    sent_[(first_ + count_++) % sent_.size()] = {begin, request};
    end_ = begin + bytes;
  }
  // Whether the write of such a message asks for a completion.
  bool is_long(std::uint32_t bytes) const noexcept {
    return std::uint64_t{bytes} * 2 * sent_.size() > bytes_;
  }

 private:
  struct Sent {
    std::uint32_t begin;
    std::uint64_t request;
  };
  static std::optional<std::uint32_t> fits(std::uint32_t begin, std::uint32_t bytes,
                                           std::uint32_t end) noexcept {
    return end - begin >= bytes ? std::optional(begin) : std::nullopt;
  }
  std::size_t next(std::size_t place) const noexcept {
    return place + 1 == sent_.size() ? 0 : place + 1;
  }

  const std::uint32_t bytes_;
  std::vector<Sent> sent_;  // those that are not known to be through: a circle
  std::size_t first_ = 0, count_ = 0;
  std::uint32_t end_ = 0;  // of the last one
};

}  // namespace tutti::transport::verbs
