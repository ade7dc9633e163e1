// How an agreement fails, and what people hear of it.
#include <fmt/format.h>

#include "src/job/agreement.hpp"
#include "src/job/call_words.hpp"

namespace tutti {

using protocols::Asked;
using protocols::News;

News Agreement::refusal(const Refused& call) const noexcept {
  return {.kind = News::Kind::refused,
          .communicator = members_.id(),
          .call = call.number,
          .code = call.code,
          .culprit = members_.world_rank()};
}

News Agreement::failure_news() const noexcept {
  News news{.communicator = members_.id(),
            .call = failure_call_,
            .code = failure_code_,
            .culprit = failure_culprit_};
  if (difference_) {
    news.call = difference_->call;
    news.asked = difference_->mine;
    // Who is blamed blames the other: its call is the one that is not this rank's.
    if (news.culprit == members_.world_rank()) news.culprit = difference_->other;
  }
  return news;
}

void Agreement::fail_as_refused(int member, Code code, CollectiveNumber call) noexcept {
  if (failed()) return;
  failure_call_ = call;
  fail(code, member,
       "rank {} of MPI_COMM_WORLD could not begin call {} of {}, in which this rank takes part: {} "
       "(see the error it returned)",
       member, count_.of(call), words_for(members_), text_of(code));
}

// The first cause is what the call has returned, whoever tells this rank of it.
void Agreement::fail_by_own_refusal(const Refused& call) noexcept {
  if (failed()) return;
  failure_code_ = call.code;
  failure_culprit_ = members_.world_rank();
  try {
    failure_text_ =
        call.why.empty()
            ? fmt::format(
                  "the communicator has failed by call {} of {}, which this rank, {} of "
                  "MPI_COMM_WORLD, rejected: {}",
                  count_.of(call.number), words_for(members_), members_.world_rank(),
                  text_of(call.code))
            : "the communicator has failed by a call that this rank rejected: " + call.why;
  } catch (const std::exception&) {
    failure_text_.clear();  // out of memory: the code alone must do
  }
}

void Agreement::fail_as_different(CollectiveNumber call, int member, const Asked& theirs,
                                  const char* how) noexcept {
  if (failed()) return;
  failure_code_ = Code::calls_differ;
  failure_culprit_ = member;
  difference_.emplace(Difference{call, asked_in(call), member, theirs, {}});
  try {
    if (how) difference_->how = how;
  } catch (const std::bad_alloc&) {  // then people hear less of it
  }
  put_difference_into_words();
}

// What others that have failed already may have said is less.
void Agreement::fail_on_all(int culprit, std::string text) noexcept {
  if (failed() && failure_code_ != Code::calls_differ) return;
  failure_code_ = Code::calls_differ;
  failure_culprit_ = culprit;
  failure_text_ = std::move(text);
  difference_.reset();
  told_ = true;
}

bool Agreement::lacks_other_call() const noexcept {
  return difference_ && !difference_->is_complete();
}

bool Agreement::Difference::is_complete() const noexcept { return is_known(theirs); }

// A call that differs from this rank's says more than one that does not.
void Agreement::Difference::hear(int member, const Asked& asked) noexcept {
  if (!is_known(asked)) return;
  if (member != other && (asked == mine || (is_complete() && theirs != mine))) return;
  other = member;
  theirs = asked;
}

void Agreement::tell_difference() noexcept {
  if (difference_) put_difference_into_words();
}

void Agreement::put_difference_into_words() noexcept try {
  const Difference& d = *difference_;
  const auto side = [](const Asked& call, int rank) {
    const std::string arguments = arguments_of(call);
    return fmt::format("{}{} on rank {}", name_of(call),
                       arguments.empty() ? "" : fmt::format(" ({})", arguments), rank);
  };
  std::string first = side(d.mine, members_.world_rank()), second = side(d.theirs, d.other);
  // In one order on all ranks.
  if (d.theirs.collective >= 0 && (d.mine.collective < 0 || d.other < members_.world_rank()))
    std::swap(first, second);
  failure_text_ = fmt::format(
      "ranks make different calls: call {} of {} is {} of MPI_COMM_WORLD, "
      "and {}",
      count_.of(d.call), words_for(members_), first, second);
  const bool equal = is_known(d.mine) && d.mine.lengths == Asked::Lengths::equal;
  if (equal && d.mine == d.theirs) failure_text_ += ", and another one on another rank";
  if (!d.how.empty())
    failure_text_ += fmt::format(". Found on rank {}: {}", members_.world_rank(), d.how);
} catch (const std::exception&) {
  failure_text_.clear();  // out of memory: the code alone must do
}

}  // namespace tutti
