// A rank's questions to a peer about its writes, by datagrams, which may get lost and be late.
//
// A question that is put again has the same number, so that a late answer to the first try counts:
// where a port is busy with hundreds of MiB, answers took longer than it took to ask again.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace tutti::transport::verbs {

// ask() and the last two are one thread's; the others may be another one's.
class Question {
 public:
  // `again`: the same once more, unless it has been answered.
  void ask(bool again) noexcept {
    if (!again || answered()) ++number_;
    unsent_ = true;
  }
  // Its number, if it was not taken since it was asked.
  std::optional<std::uint32_t> take() noexcept {
    return unsent_.exchange(false) ? std::optional(number_.load()) : std::nullopt;
  }
  // Answers to earlier questions are ignored.
  void take_answer(std::uint32_t number, std::uint64_t begun) noexcept {
    if (number != number_) return;
    begun_ = begun;
    answered_ = number;
  }

  bool answered() const noexcept { return answered_ == number_; }
  // By the last answer.
  std::uint64_t begun() const noexcept { return begun_; }

 private:
  std::atomic<std::uint32_t> number_{0}, answered_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<bool> unsent_{false};
};

}  // namespace tutti::transport::verbs
