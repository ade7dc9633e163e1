// Words for two calls that differ, and the choice between two that were reported.
#include "src/news/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "src/news/call_words.hpp"

namespace tutti {

using protocols::Asked;

namespace {

// "bcast (8 bytes, root 0) on rank 3".
std::string in_words(const Difference::Side& side, const Asked& other) {
  const std::string arguments = arguments_of(side.asked);
  const bool differs_in_arguments = !is_known(side.asked) && is_known(other) &&
                                    side.asked.collective == other.collective &&
                                    !arguments_of(other).empty();
  return fmt::format("{}{} on rank {}", name_of(side.asked),
                     !arguments.empty()     ? fmt::format(" ({})", arguments)
                     : differs_in_arguments ? " with other arguments"
                                            : "",
                     side.rank);
}

// The end of "call 1 of communicator `solver` ".
std::string in_words(const Difference::Side& one, const Difference::Side& other) {
  const bool knows_one = has_name(one.asked), knows_other = has_name(other.asked);
  if (!knows_one && !knows_other)
    return fmt::format("does not match on ranks {} and {} of MPI_COMM_WORLD", one.rank, other.rank);
  if (!knows_one || !knows_other) {
    const auto& [known, unknown] = knows_one ? std::tie(one, other) : std::tie(other, one);
    return fmt::format("is {} of MPI_COMM_WORLD, and has no match on rank {}",
                       in_words(known, unknown.asked), unknown.rank);
  }
  return fmt::format("is {} of MPI_COMM_WORLD, and {}", in_words(one, other.asked),
                     in_words(other, one.asked));
}

}  // namespace

Difference::Difference(CollectiveNumber call, const Side& mine, const Side& theirs,
                       const char* how) noexcept
    : call_(call), mine_(mine), first_(mine), second_(theirs) {
  compare(mine);
  hear(theirs);
  try {
    if (how) how_ = how;
  } catch (const std::bad_alloc&) {  // then people hear less of it
  }
}

Difference::Difference(CollectiveNumber call, const Side& mine, const Side& from,
                       const Side& theirs) noexcept
    : Difference(call, mine, theirs, nullptr) {
  first_ = from;
  hear(from);
}

bool Difference::is_complete() const noexcept {
  return found() || (is_known(first_.asked) && is_known(second_.asked));
}

void Difference::hear(const Side& side) noexcept {
  if (!is_known(side.asked) || has_heard(side.rank)) return;
  try {
    heard_.push_back(side.rank);
  } catch (const std::bad_alloc&) {  // then it may be heard once more
  }
  for (Side* const blamed : {&first_, &second_})
    if (blamed->rank == side.rank && !is_known(blamed->asked)) *blamed = side;
  compare(side);
}

bool Difference::has_heard(int member) const noexcept {
  return std::ranges::find(heard_, member) != heard_.end();
}

// No call that matches the lowest one is lower; so they differ from whatever it differs from.
void Difference::compare(const Side& side) noexcept {
  if (!is_known(side.asked)) return;
  if (lowest_.rank == kNoPeer || side.rank < lowest_.rank) {
    if (lowest_.rank != kNoPeer && !may_match(side.asked, lowest_.asked)) differing_ = lowest_;
    lowest_ = side;
  } else if (!may_match(side.asked, lowest_.asked) && (!found() || side.rank < differing_.rank)) {
    differing_ = side;
  }
}

std::string Difference::in_words(const Members& members, const CallCount& count) const {
  Side one = found() ? lowest_ : first_, other = found() ? differing_ : second_;
  if (!has_name(one.asked) && !has_name(other.asked)) one = mine_;
  if (other.rank < one.rank) std::swap(one, other);
  std::string text = fmt::format("ranks make different calls: call {} of {} {}", count.of(call_),
                                 words_for(members), tutti::in_words(one, other));
  if (is_known(one.asked) && one.asked == other.asked && one.asked.lengths == Asked::Lengths::equal)
    text += ", and another one on another rank";
  if (!is_complete()) text += " (TUTTI_CHECK=calls names both calls if they block)";
  // Where both calls show what differs, all ranks say the same.
  if (!found() && !how_.empty())
    text += fmt::format(". Found on rank {}: {}", members.world_rank(), how_);
  return text;
}

}  // namespace tutti
