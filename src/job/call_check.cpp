// Comparing by one allreduce. If calls differ, an allgather of what people are told.
#include "src/job/call_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/index.hpp"
#include "collectives/execution/kernels.hpp"
#include "src/news/call_words.hpp"
#include "src/job/request.hpp"

namespace tutti {

using collectives::Collective;
using collectives::Task;

namespace {

// Numbers that are equal on all ranks are both the largest and the smallest, and the smallest is
// the complement of the largest complement.
enum ComparedWord { kTyped, kTypedComplement, kBytes, kBytesComplement, kByBytes, kWords };
using ClaimWords = std::array<std::uint64_t, kWords>;

// Most groups of ranks that are named, and most ranges of a group.
constexpr std::size_t kMostGroupsNamed = 4;

// As long as it lives, people hear of the call that is checked.
class Checked {
 public:
  Checked(CallCount& count, const Task& task) noexcept : count_(count) {
    count_.set_checked(&task);
  }
  ~Checked() { count_.set_checked(nullptr); }
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;

 private:
  CallCount& count_;
};

// "rank 3", "ranks 0-2, 5 and 7". `ranks` in order.
std::string named(const std::vector<int>& ranks) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0, next = 0; i < ranks.size(); i = next) {
    for (next = i + 1; next < ranks.size() && ranks[next] == ranks[next - 1] + 1;) ++next;
    ranges.push_back(next == i + 1   ? fmt::to_string(ranks[i])
                     : next == i + 2 ? fmt::format("{}, {}", ranks[i], ranks[i + 1])
                                     : fmt::format("{}-{}", ranks[i], ranks[next - 1]));
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranges.size(), kMostGroupsNamed); ++i)
    text += (i == 0 ? "" : ", ") + ranges[i];
  return text + (ranges.size() > kMostGroupsNamed ? " and others" : "");
}

}  // namespace

struct CallCheck::Record {
  std::uint64_t typed, bytes;
  char words[240];
};

CallCheck::~CallCheck() {
  for (const auto* const plan : {&reduces_, &gathers_})
    if (*plan) communicator_.agreement().forget((*plan)->task());
}

void CallCheck::run(Plan& plan, const Task& task, const void* mine, void* all) {
  const Checked checked(communicator_.agreement().count(), task);
  Request request(communicator_);
  request.call = {
      mine,
      all,
      {collectives::kernel(collectives::Operation::maximum, collectives::Element::uint64)}};
  request.start(plan);
  request.wait();
}

void CallCheck::compare(const Claim& claim, const Task& task, FunctionRef<std::string()> words) {
  if (!reduces_)
    reduces_ = communicator_.plan_by(
        {.collective = Collective::allreduce, .bytes = sizeof(ClaimWords), .element = 8},
        "recursive-doubling");
  const std::uint64_t call = communicator_.agreement().count().begun() + 1;
  const ClaimWords mine{claim.typed, ~claim.typed, claim.bytes, ~claim.bytes,
                        claim.by_bytes ? 1u : 0u};
  ClaimWords most{};
  run(*reduces_, task, mine.data(), most.data());
  const bool compares_bytes = most[kByBytes] != 0;
  const auto are_equal = [&](ComparedWord word, ComparedWord complement) {
    return most[word] == ~most[complement];
  };
  if (compares_bytes ? are_equal(kBytes, kBytesComplement) : are_equal(kTyped, kTypedComplement))
    return;
  const auto all = records_of_all(claim, task, words());
  reach_all(task);
  fail(call, all, compares_bytes);
}

std::vector<CallCheck::Record> CallCheck::records_of_all(const Claim& claim, const Task& task,
                                                         const std::string& words) {
  if (!gathers_)
    gathers_ = communicator_.plan_by({.collective = Collective::allgather, .bytes = sizeof(Record)},
                                     "bruck");
  Record mine{claim.typed, claim.bytes, {}};
  std::memcpy(mine.words, words.data(), std::min(words.size(), sizeof mine.words - 1));
  std::vector<Record> all(index(communicator_.size()));
  run(*gathers_, task, &mine, all.data());
  return all;
}

// Until all ranks have the records: one that has failed before tells the others less. Ranks
// that hear it know nevertheless.
void CallCheck::reach_all(const Task& task) try {
  const ClaimWords mine{};
  ClaimWords most;
  run(*reduces_, task, mine.data(), most.data());
} catch (const Error& error) {
  if (error.code != Code::calls_differ) throw;
}

void CallCheck::fail(std::uint64_t call, const std::vector<Record>& all, bool by_bytes) {
  Agreement& agreement = communicator_.agreement();
  struct Group {
    std::uint64_t claim;
    const char* words;
    std::vector<int> ranks;  // of MPI_COMM_WORLD
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t claim = by_bytes ? all[i].bytes : all[i].typed;
    auto group = std::ranges::find(groups, claim, &Group::claim);
    if (group == groups.end()) group = groups.insert(group, {claim, all[i].words, {}});
    group->ranks.push_back(agreement.members().world_ranks()[i]);
  }
  for (Group& group : groups) std::ranges::sort(group.ranks);
  std::ranges::sort(groups, {}, [](const Group& group) { return group.ranks.front(); });
  std::string text = fmt::format("ranks make different calls: call {} of {} is ", call,
                                 words_for(agreement.members()));
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroupsNamed); ++i)
    text += fmt::format(
        "{}{} on {}{}", i == 0 ? "" : ", and ",
        std::string_view(groups[i].words, strnlen(groups[i].words, sizeof(Record::words))),
        named(groups[i].ranks), i == 0 ? " of MPI_COMM_WORLD" : "");
  if (groups.size() > kMostGroupsNamed)
    text += fmt::format(", and {} more on others", groups.size() - kMostGroupsNamed);
  const auto other = std::ranges::find_if(groups, [&](const Group& group) {
    return std::ranges::find(group.ranks, agreement.members().world_rank()) == group.ranks.end();
  });
  agreement.failure().record_on_all(other != groups.end() ? other->ranks.front() : kNoPeer,
                                    std::move(text));
  communicator_.throw_failure();
}

}  // namespace tutti
