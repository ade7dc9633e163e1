// Failure: why a communicator has failed, and in which words. The first cause stays; of two calls
// that differ, what comes to light later is added to the words. Pure.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "src/news/call_count.hpp"
#include "src/news/difference.hpp"
#include "src/news/members.hpp"
#include "src/news/open_calls.hpp"

namespace tutti {

class Failure {
 public:
  // All must outlive this object.
  Failure(const Members& members, const CallCount& count, const OpenCalls& calls) noexcept
      : members_(members), count_(count), calls_(calls) {}

  bool happened() const noexcept { return code_ != Code::success; }
  Code code() const noexcept { return code_; }
  int culprit() const noexcept { return culprit_; }
  // Empty: there is no memory for it.
  const std::string& text() const noexcept { return text_; }
  // The news that members must hear.
  protocols::News news() const noexcept;
  // Whether a call has returned the failure, and the members were told.
  bool told() const noexcept { return told_; }
  // Returns what told() was, and sets it.
  bool note_told() noexcept { return std::exchange(told_, true); }

  // --- causes, of which the first is recorded

  // Any but that calls differ.
  template <class... Args>
  void record(Code code, int culprit, fmt::format_string<Args...> text, Args&&... args) noexcept {
    if (happened()) return;
    culprit_ = culprit;
    code_ = code;
    reword([&] { return fmt::format(text, std::forward<Args>(args)...); });
  }
  // A step of `call` gave the cause. If it is that calls differ, a message bore the call's name and
  // did not fit: the same collective was called there, with other arguments.
  void record_in(const OpenCall& call, Code code, int culprit, const char* text) noexcept;
  // That call is not the same here and at `member`, where it is `theirs` as far as known. `how`
  // this rank has found out; null: others have told it.
  void record_difference(CollectiveNumber call, int member, const protocols::Asked& theirs,
                         const char* how) noexcept;
  // The member has refused a call that this rank has begun.
  void record_refusal(int member, Code code, CollectiveNumber call) noexcept;
  // This rank has refused a call that another has begun, `why` as that call has returned it.
  void record_own_refusal(Code code, CollectiveNumber call, std::string_view why) noexcept;
  // A member says that the communicator has failed there. Returns the answer, if there is one.
  std::optional<protocols::News> hear(const protocols::News& news, int from) noexcept;
  // All ranks know that calls differ, at the same moment, and in which words. Takes the place of
  // what members have said of that before.
  void record_on_all(int culprit, std::string text) noexcept;

  // --- calls that differ

  // News of the other call may still come, until tell_difference() has put into words what is known
  // by then.
  bool lacks_other_call() const noexcept { return difference_ && !difference_->is_complete(); }
  // That member has not said yet what the call is there.
  bool lacks_call_of(int member) const noexcept {
    return difference_ && !difference_->has_heard(member);
  }
  void tell_difference() noexcept;

 private:
  // Empties the text if there is no memory for it: the code alone must do then.
  template <class Words>
  void reword(Words&& words) noexcept {
    try {
      text_ = words();
    } catch (...) {
      text_.clear();
    }
  }
  // The call here, as far as it is known.
  Difference::Side mine_in(CollectiveNumber call) const noexcept;
  std::optional<protocols::News> hear_difference(const protocols::News& news, int from) noexcept;

  const Members& members_;
  const CallCount& count_;
  const OpenCalls& calls_;
  Code code_ = Code::success;
  int culprit_ = kNoPeer;
  std::string text_;
  CollectiveNumber call_ = 0;  // that was refused, if one was
  std::optional<Difference> difference_;
  bool told_ = false;
};

}  // namespace tutti
