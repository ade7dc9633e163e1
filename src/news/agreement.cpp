// Draws the consequences of the news of members.
#include "src/news/agreement.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "src/news/call_words.hpp"
#include "src/news/mark.hpp"

namespace tutti {

using collectives::Collective;
using collectives::Task;
using protocols::Asked;
using protocols::News;

namespace {

// The lengths of what rank `mine` exchanges with its neighbour `theirs`, in one order for both.
void add_edges(Hash& hash, const Task& task, Rank mine, Rank theirs) noexcept {
  const collectives::Neighbourhood& neighbours = *task.neighbours;
  const bool one = task.collective == Collective::neighbor_allgather;
  const auto add = [&](const std::vector<Bytes>& lengths, std::size_t block) {
    hash.add(static_cast<std::uint64_t>(lengths.empty() ? task.bytes : lengths[block]));
  };
  const auto add_sent = [&] {
    for (std::size_t i = 0; i < neighbours.to.size(); ++i)
      if (neighbours.to[i] == theirs) add(task.counts, one ? 0 : i);
  };
  if (mine < theirs) add_sent();
  for (std::size_t i = 0; i < neighbours.from.size(); ++i) {
    const std::size_t block = index(neighbours.matched(static_cast<int>(i)));
    if (neighbours.from[block] == theirs) add(task.receive_counts, block);
  }
  if (mine > theirs) add_sent();
}

// All that the name of a message says.
Asked asked_by(const MessageName& name) {
  Asked asked;
  if (const auto collective = collective_of(name.mark()))
    asked.collective = static_cast<std::int16_t>(*collective);
  return asked;
}

}  // namespace

Agreement::Agreement(Members members, CollectiveNumber first)
    : members_(std::move(members)), count_(first) {}

// --- this rank's calls -------------------------------------------------------------------------

void Agreement::look_for_refusal(const OpenCall& call) noexcept {
  // A number so far behind is about to be one that is still to come.
  while (!refused_.empty() && !is_earlier(refused_.front().number, count_.next()))
    refused_.erase(refused_.begin());
  for (const Refusal& refusal : refusals_)
    if (refusal.number == call.number())
      return failure_.record_refusal(refusal.member, refusal.code, call.number());
}

void Agreement::forget_passed(const OpenCall& call) noexcept {
  std::erase_if(passed_, [&](const Passed& p) { return p.number == call.number(); });
}

News Agreement::refuse(Code code, std::string_view why) noexcept {
  const CollectiveNumber number = count_.take_for_rejected();
  calls_.note_rejected(number);
  std::erase_if(refusals_, [&](const Refusal& r) { return r.number == number; });
  try {
    refused_.push_back({number, code, {}});
  } catch (const std::bad_alloc&) {
    fail_out_of_memory();
    return failure_.news();
  }
  try {
    refused_.back().why = why;
  } catch (const std::bad_alloc&) {  // then this rank hears less of it
  }
  if (refused_.size() > OpenCalls::kRemembered)
    std::string().swap(refused_[refused_.size() - 1 - OpenCalls::kRemembered].why);
  if (refused_.size() > kRefusedKept) refused_.erase(refused_.begin());
  return refusal(refused_.back());
}

News Agreement::refusal(const Refused& call) const noexcept {
  return {.kind = News::Kind::refused,
          .communicator = members_.id(),
          .call = call.number,
          .code = call.code,
          .culprit = members_.world_rank()};
}

const Agreement::Refused* Agreement::refused(CollectiveNumber number) const noexcept {
  const auto found = std::lower_bound(
      refused_.begin(), refused_.end(), number,
      [](const Refused& call, CollectiveNumber n) { return is_earlier(call.number, n); });
  return found != refused_.end() && found->number == number ? &*found : nullptr;
}

bool Agreement::over(CollectiveNumber number) const noexcept {
  return is_earlier(number, count_.next()) && !calls_.find(number);
}

// --- what members say --------------------------------------------------------------------------

std::optional<News> Agreement::hear(const News& news, int from) noexcept {
  switch (news.kind) {
    case News::Kind::failed: return heard_failed(news, from);
    case News::Kind::refused: heard_refused(news, from); break;
    case News::Kind::waits: return heard_waits(news, from);
    case News::Kind::passed: heard_passed(news, from); break;
  }
  return std::nullopt;
}

// The first cause of a refusal of this rank's is what the call has returned.
std::optional<News> Agreement::heard_failed(const News& news, int from) noexcept {
  const bool names_me = news.code != Code::calls_differ && news.code != Code::peer_failed &&
                        news.culprit == members_.world_rank();
  const Refused* const mine = names_me ? refused(news.call) : nullptr;
  if (!mine || mine->code != news.code) return failure_.hear(news, from);
  failure_.record_own_refusal(mine->code, mine->number, mine->why);
  return std::nullopt;
}

// If this rank did not reject the call too, it can never end here.
void Agreement::heard_refused(const News& news, int from) noexcept {
  if (failed() || refused(news.call)) return;
  if (is_earlier(news.call, count_.next()))
    return failure_.record_refusal(from, news.code, news.call);
  if (refusals_.size() == kRefusedKept) return;  // the member says it again when it is waited for
  try {
    refusals_.push_back({from, news.call, news.code});
  } catch (const std::bad_alloc&) {
    fail_out_of_memory();
  }
}

// The member waits for this rank. If that has no end, it has missed the news of why.
std::optional<News> Agreement::heard_waits(const News& news, int from) noexcept {
  if (failed()) return failure_.news();
  if (const Refused* const call = refused(news.call)) return refusal(*call);
  const auto mine = fingerprint(news.call, from);
  if (mine && *mine != news.fingerprint)
    failure_.record_difference(news.call, from, news.asked,
                               "the other rank waits for this one there");
  else if (over(news.call))
    return News{.kind = News::Kind::passed, .communicator = members_.id(), .call = news.call};
  return std::nullopt;
}

void Agreement::heard_passed(const News& news, int from) noexcept {
  if (!calls_.find(news.call)) return;
  const auto same = [&](const Passed& p) { return p.member == from && p.number == news.call; };
  if (std::any_of(passed_.begin(), passed_.end(), same)) return;
  try {
    passed_.push_back({from, news.call, {}});
  } catch (const std::bad_alloc&) {
    return;  // the member says it again
  }
}

bool Agreement::unwanted(const MessageName& name, int from) noexcept {
  if (failed()) return true;
  if (const OpenCall* const call = calls_.find(name.collective)) {
    // Neighbouring calls of different kinds bear different marks.
    const Ordinal mark = OpenCalls::mark_of(*call);
    if (mark == 0 || name.mark() == mark >> kOrdinalBits) return false;
  } else if (!is_earlier(name.collective, count_.next()) || refused(name.collective)) {
    return false;  // a later call; or the sender hears of the refusal when it waits
  }
  failure_.record_difference(name.collective, from, asked_by(name),
                             "the other rank has sent what no call of this one asks for");
  return true;
}

std::optional<News> Agreement::waiting(const OpenCall& call, int member) const noexcept {
  const auto mine = fingerprint(call.number(), member);
  if (!mine) return std::nullopt;
  return News{.kind = News::Kind::waits,
              .communicator = members_.id(),
              .call = call.number(),
              .fingerprint = *mine,
              .asked = asked_of(*calls_.task_of(call.number()), members_.rank())};
}

// At the first look, what came before the news may not have been taken yet; by the next one every
// step has been tried since. Only acknowledgements of the adapter may come later than all that.
void Agreement::note_still_waiting(const OpenCall& call, int member, bool unacknowledged,
                                   Time now) noexcept {
  for (Passed& p : passed_) {
    if (p.member != member || p.number != call.number()) continue;
    if (p.seen == Time{})
      p.seen = now;
    else if (p.seen != now && !unacknowledged)
      failure_.record_difference(
          call.number(), member, {},
          "the other rank has finished the call, or freed the communicator, and this "
          "one waits for it there");
  }
}

// A number for what must be the same at both ends of a call: what all ranks know, and the lengths
// of what the two exchange where only they know them.
std::optional<std::uint32_t> Agreement::fingerprint(CollectiveNumber number,
                                                    int member) const noexcept {
  const Task* const task = calls_.task_of(number);
  if (!task) return std::nullopt;
  const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
  Hash hash;
  hash.add(bits(task->collective)).add(bits(task->root));
  const std::vector<int>& world_ranks = members_.world_ranks();
  const auto place = std::find(world_ranks.begin(), world_ranks.end(), member);
  const auto theirs = static_cast<std::size_t>(place - world_ranks.begin());
  const auto mine = static_cast<std::size_t>(members_.rank());
  if (task->neighbours) {
    add_edges(hash, *task, members_.rank(), static_cast<Rank>(theirs));
    return static_cast<std::uint32_t>(hash.value());
  }
  hash.add(bits(task->bytes));
  const auto& counts = task->counts;
  if (!counts.empty() && task->collective == Collective::alltoall) {
    const auto &up = theirs > mine ? counts : task->receive_counts,
               &down = theirs > mine ? task->receive_counts : counts;
    hash.add(bits(up[theirs])).add(bits(down[theirs]));
  } else if (!counts.empty() &&
             (task->collective == Collective::scatter || task->collective == Collective::gather)) {
    const auto root = static_cast<std::size_t>(task->root);
    if (root == mine || root == theirs) hash.add(bits(counts[root == mine ? theirs : mine]));
  } else {
    for (const Bytes count : counts) hash.add(bits(count));
  }
  return static_cast<std::uint32_t>(hash.value());
}

}  // namespace tutti
