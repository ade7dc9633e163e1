// Writes that are under way with one peer, by invitation: those of this rank to the peer, and those
// of the peer to this rank, as far as it has answered a question about them (question.hpp).
//
// Each invitation has one write under way, so a bit says whether their number is odd. The data
// path counts, and the handshake's thread asks and answers by datagrams.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "transport/revocation.hpp"
#include "transport/verbs/connection/question.hpp"

namespace tutti::transport::verbs {

class Writes final : public Inquiry {
 public:
  // `has_datagram`, which must outlive this, is called when there is a question to be sent.
  explicit Writes(const std::function<void()>& has_datagram) noexcept
      : has_datagram_(has_datagram) {}

  // --- of this rank

  // The peer may ask at any moment, so a write is noted before it begins. Returns what take_out()
  // takes if nothing was written.
  std::uint64_t note_begun(std::uint32_t invitation) noexcept {
    const std::uint64_t before = begun_.load(std::memory_order_relaxed);
    begun_.store(before ^ bit(invitation), std::memory_order_release);
    return before;
  }
  void take_out(std::uint64_t before) noexcept { begun_.store(before, std::memory_order_release); }
  // A write that is posted in parts: it was noted when the first one was posted.
  bool is_in_parts(std::uint32_t invitation) const noexcept {
    return (in_parts_ & bit(invitation)) != 0;
  }
  void begin_parts(std::uint32_t invitation) noexcept { in_parts_ |= bit(invitation); }
  // The last part was posted.
  void end_parts(std::uint32_t invitation) noexcept { in_parts_ &= ~bit(invitation); }
  // The peer has all parts that were posted, and no end comes: it counts as if it had not begun.
  void give_parts_up(std::uint32_t invitation) noexcept {
    end_parts(invitation);
    note_begun(invitation);
  }
  // For the answer to the peer. Any thread.
  std::uint64_t begun() const noexcept { return begun_.load(std::memory_order_acquire); }

  // --- of the peer

  // All of its write is here.
  void note_ended(std::uint32_t invitation) noexcept { ended_ ^= bit(invitation); }
  void ask(bool again) noexcept override {
    question_.ask(again);
    has_datagram_();
  }
  Writing writing(std::uint32_t invitation) const noexcept override {
    if (!question_.answered()) return Writing::unknown;
    return ((question_.begun() ^ ended_) & bit(invitation)) != 0 ? Writing::yes : Writing::no;
  }

  // --- for the handshake's thread

  // The last question that was not sent yet, if there is one.
  std::optional<std::uint32_t> take_question() noexcept { return question_.take(); }
  // The peer's answer.
  void take_answer(std::uint32_t question, std::uint64_t begun) noexcept {
    question_.take_answer(question, begun);
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t invitation) {
    return std::uint64_t{1} << invitation;
  }

  const std::function<void()>& has_datagram_;
  // Whether the number of writes is odd: that this rank has begun, and that have come from the
  // peer.
  std::atomic<std::uint64_t> begun_{0};
  std::uint64_t ended_ = 0;
  std::uint64_t in_parts_ = 0;  // writes of this rank that were posted in part
  Question question_;
};

}  // namespace tutti::transport::verbs
