// The words, and what is worth more of them.
#include "src/news/difference.hpp"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "src/news/call_words.hpp"

namespace tutti {

using protocols::Asked;

Difference::Difference(CollectiveNumber call, const Asked& mine, int other, const Asked& theirs,
                       const char* how) noexcept
    : call_(call), mine_(mine), other_(other), theirs_(theirs) {
  try {
    if (how) how_ = how;
  } catch (const std::bad_alloc&) {  // then people hear less of it
  }
}

bool Difference::is_complete() const noexcept { return is_known(theirs_); }

bool Difference::differs_in_arguments() const {
  return !is_complete() && theirs_.collective == mine_.collective && !arguments_of(mine_).empty();
}

// A call that differs from this rank's says more than one that does not.
void Difference::hear(int member, const Asked& asked) noexcept {
  if (!is_known(asked)) return;
  if (member != other_ && (asked == mine_ || (is_complete() && theirs_ != mine_))) return;
  other_ = member;
  theirs_ = asked;
}

std::string Difference::in_words(const Members& members, const CallCount& count) const {
  const auto side = [this](const Asked& call, int rank) {
    const std::string arguments = arguments_of(call);
    return fmt::format("{}{} on rank {}", name_of(call),
                       !arguments.empty() ? fmt::format(" ({})", arguments)
                       : &call == &theirs_ && differs_in_arguments() ? " with other arguments"
                                                                     : "",
                       rank);
  };
  const int me = members.world_rank();
  std::string first = side(mine_, me), second = side(theirs_, other_);
  if (theirs_.collective >= 0 && (mine_.collective < 0 || other_ < me)) std::swap(first, second);
  std::string text = fmt::format(
      "ranks make different calls: call {} of {} is {} of MPI_COMM_WORLD, "
      "and {}",
      count.of(call_), words_for(members), first, second);
  const bool equal = is_known(mine_) && mine_.lengths == Asked::Lengths::equal;
  if (equal && mine_ == theirs_) text += ", and another one on another rank";
  if (!is_complete()) text += " (TUTTI_CHECK=calls names both calls if they block)";
  if (!how_.empty()) text += fmt::format(". Found on rank {}: {}", me, how_);
  return text;
}

}  // namespace tutti
