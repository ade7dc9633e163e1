// Choosing, preparing and driving executions; what becomes of a failure.
#include "src/job/communicator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace tutti {

using collectives::Execution;
using protocols::Answer;
using protocols::Channel;
using protocols::News;

namespace {

collectives::Facts facts_of(const Engine& engine, const std::vector<int>& world_ranks) {
  std::map<int, int> ranks_on;  // by node
  int most = 0;
  for (const int rank : world_ranks) most = std::max(most, ++ranks_on[engine.node_of(rank)]);
  collectives::Facts facts{};
  facts.P = static_cast<int>(world_ranks.size());
  facts.nodes = static_cast<int>(ranks_on.size());
  facts.max_ranks_per_node = most;
  facts.software_wire = engine.software_wire() && (facts.nodes > 1 || engine.verbs_on_nodes());
  facts.oversubscribed = engine.oversubscribed();
  return facts;
}

// Different collectives have different marks, and so have neighbouring roots. Sizes show by
// themselves, in the lengths of messages.
Ordinal mark_of(const collectives::Problem& problem) {
  static_assert(collectives::kCollectives < 16);
  const auto collective = static_cast<Ordinal>(problem.collective) + 1;
  return (collective << 8 | (static_cast<Ordinal>(problem.root) & 0xFF)) << kOrdinalBits;
}

}  // namespace

Communicator::Communicator(Engine& engine, CommunicatorId id, int rank,
                           std::vector<int> world_ranks, const collectives::Rules& rules)
    : engine_(engine),
      id_(id),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      rules_(rules),
      facts_(facts_of(engine, world_ranks_)) {
  std::map<int, int> number;  // nodes in order of first appearance
  for (const int world : world_ranks_)
    nodes_.push_back(
        number.try_emplace(engine.node_of(world), static_cast<int>(number.size())).first->second);
  engine_.add(*this);
}

Communicator::~Communicator() { engine_.remove(*this); }

bool Communicator::has_member(int world_rank) const noexcept {
  return std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) != world_ranks_.end();
}

Communicator::Prepared& Communicator::prepared(const Call& call) {
  Prepared*& last = last_[static_cast<std::size_t>(call.task.collective)];
  if (last && last->solves(call.task)) return *last;
  const auto found = std::find_if(prepared_.begin(), prepared_.end(),
                                  [&](const auto& p) { return p->solves(call.task); });
  last = found != prepared_.end() ? found->get() : &prepare(call);
  return *last;
}

Communicator::Prepared& Communicator::prepare(const Call& call) {
  auto prepared = std::make_unique<Prepared>();
  collectives::Problem& problem = prepared->problem;
  static_cast<collectives::Task&>(problem) = call.task;
  problem.P = size();
  problem.rank = rank_;
  problem.datagrams = size() == 1 || engine_.mailbox();
  if (facts_.nodes > 1) problem.node = nodes_;
  prepared->choice = collectives::choose(problem, facts_, rules_);
  const auto& [algorithm, parameters, preferred] = prepared->choice;
  prepared->execution = std::make_unique<Execution>(
      algorithm->build(problem, parameters),
      [&](Rank peer) -> Channel& {
        return engine_.channel(world_ranks_[static_cast<std::size_t>(peer)]);
      },
      problem.element);
  const collectives::Schedule& schedule = prepared->execution->schedule();
  if (schedule.datagrams && size() > 1)
    prepared->multicast = multicast_over(schedule, problem.root);
  else
    prepared->mark = mark_of(problem);
  if (prepared_.size() >= kMaxPrepared) {
    const auto oldest =
        std::min_element(prepared_.begin(), prepared_.end(),
                         [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
    std::replace(last_.begin(), last_.end(), oldest->get(), static_cast<Prepared*>(nullptr));
    std::replace(recent_.begin(), recent_.end(), static_cast<const Prepared*>(oldest->get()),
                 static_cast<const Prepared*>(nullptr));
    prepared_.erase(oldest);
  }
  prepared_.push_back(std::move(prepared));
  return *prepared_.back();
}

std::unique_ptr<protocols::MulticastBroadcast> Communicator::multicast_over(
    const collectives::Schedule& tree, Rank root) {
  const auto world = [&](Rank rank) { return world_ranks_[static_cast<std::size_t>(rank)]; };
  Channel* parent = nullptr;
  std::vector<Channel*> children;
  for (const collectives::Step& step : tree.steps)
    if (step.kind == collectives::StepKind::send)
      children.push_back(&engine_.channel(world(step.peer)));
    else if (collectives::receives(step.kind))
      parent = &engine_.channel(world(step.peer));
  return std::make_unique<protocols::MulticastBroadcast>(*engine_.mailbox(), world(root), parent,
                                                         children);
}

void Communicator::refuse(Code code) noexcept {
  if (failed()) return;
  const CollectiveNumber number = number_++;
  recent_[number % kRemembered] = nullptr;
  std::erase_if(refusals_, [&](const Refusal& r) { return r.number == number; });
  try {
    refused_.emplace(number, code);
    if (refused_.size() > kRefusalsKept) refused_.erase(refused_.begin());
    engine_.spread_refusal(*this, number, code);
  } catch (const std::bad_alloc&) {
    fail(Code::out_of_memory, kNoPeer, "out of memory");
  }
}

void Communicator::refused_by(int world_rank, CollectiveNumber number, Code code) noexcept {
  if (failed() || refused_.contains(number)) return;
  if (static_cast<std::int32_t>(number - number_) >= 0) {
    try {
      refusals_.push_back({world_rank, number, code});
    } catch (const std::bad_alloc&) {
      fail(Code::out_of_memory, kNoPeer, "out of memory");
    }
    return;
  }
  fail(code, world_rank,
       "rank {} of MPI_COMM_WORLD refused its arguments of a collective that this rank takes part "
       "in; see the error it returned",
       world_rank);
}

void Communicator::run(const Call& call) {
  if (failed()) [[unlikely]]
    throw_failure();
  Prepared& prepared = this->prepared(call);
  prepared.last_use = ++uses_;
  if (!refusals_.empty()) [[unlikely]] {
    const auto found = std::find_if(refusals_.begin(), refusals_.end(),
                                    [&](const Refusal& r) { return r.number == number_; });
    if (found != refusals_.end()) {
      const Refusal refusal = *found;
      ++number_;
      refused_by(refusal.world_rank, refusal.number, refusal.code);
      throw_failure();
    }
  }
  const CollectiveNumber number = number_++;
  recent_[number % kRemembered] = &prepared;
  if (number % kCallsPerGlance == 0) engine_.glance();
  if (prepared.multicast) [[unlikely]] {
    prepared.multicast->start({id_, number, 0}, call.output, call.task.bytes);
    return complete(*prepared.multicast);
  }
  prepared.execution->start(call.input, call.output, {id_, number, prepared.mark}, call.combine);
  complete(*prepared.execution);
}

template <class Running>
void Communicator::complete(Running& running) {
  Answer answer = running.advance();
  if (answer == Answer::done) return;
  Patience patience;
  const auto each_waiting = [&](auto&& visit) { running.each_waiting(visit); };
  while (answer == Answer::again) {
    if (!engine_.relax(patience, *this, each_waiting)) {
      answer = Answer::failed;
      break;
    }
    answer = running.advance();
  }
  if (answer == Answer::done) return;
  if (Channel* channel = running.culprit()) {
    fail(channel->failure_code(), channel->peer(), "{}", channel->failure());
    channel->forget_complaint();
  }
  if (!failed())
    fail(Code::internal, kNoPeer, "a step of the schedule cannot be run; please report this");
  running.abandon();
  throw_failure();
}

// A number for what must be the same on both sides of the call: what all know, and the bytes that
// the two exchange where only they do.
std::optional<std::uint32_t> Communicator::fingerprint(CollectiveNumber number,
                                                       int world_rank) const noexcept {
  const CollectiveNumber age = number_ - number;
  if (age == 0 || age > kRemembered || !recent_[number % kRemembered]) return std::nullopt;
  const collectives::Problem& problem = recent_[number % kRemembered]->problem;
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](Bytes value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211ull;
  };
  add(static_cast<Bytes>(problem.collective));
  add(problem.root);
  add(problem.bytes);
  const int peer = static_cast<int>(
      std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) - world_ranks_.begin());
  const auto i = static_cast<std::size_t>(peer), me = static_cast<std::size_t>(rank_);
  if (problem.collective == collectives::Collective::alltoall && !problem.counts.empty()) {
    add(peer > rank_ ? problem.counts[i] : problem.receive_counts[i]);
    add(peer > rank_ ? problem.receive_counts[i] : problem.counts[i]);
  } else if (!problem.counts.empty() && (problem.collective == collectives::Collective::scatter ||
                                         problem.collective == collectives::Collective::gather)) {
    if (problem.root == rank_ || problem.root == peer)
      add(problem.counts[problem.root == rank_ ? i : me]);
  } else {
    for (const Bytes count : problem.counts) add(count);
  }
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

void Communicator::tell_waiting(protocols::Channel& channel) const noexcept {
  if (const auto mine = fingerprint(number_ - 1, channel.peer()))
    channel.mention({.kind = News::Kind::waits,
                     .communicator = id_,
                     .call = number_ - 1,
                     .fingerprint = *mine});
}

void Communicator::waited_for(protocols::Channel& channel, CollectiveNumber number,
                              std::uint32_t theirs) noexcept {
  const int world_rank = channel.peer();
  // It waits in vain: the news was lost, among too much other.
  if (failed()) return channel.announce(failure_news());
  if (const auto refusal = refused_.find(number); refusal != refused_.end())
    return channel.announce({.kind = News::Kind::refused,
                             .communicator = id_,
                             .call = number,
                             .code = refusal->second});
  const auto mine = fingerprint(number, world_rank);
  if (mine && *mine != theirs)
    return fail_as_different(world_rank, "waits for this rank in another call than this rank made");
  if (over(number))
    channel.mention({.kind = News::Kind::passed, .communicator = id_, .call = number});
}

void Communicator::passed_by(int world_rank, CollectiveNumber number) noexcept {
  std::erase_if(passed_, [&](const Passed& p) { return p.number + 1 != number_; });
  const auto same = [&](const Passed& p) { return p.world_rank == world_rank; };
  if (number + 1 != number_ || std::any_of(passed_.begin(), passed_.end(), same)) return;
  try {
    passed_.push_back({world_rank, number, {}});
  } catch (const std::bad_alloc&) {
    return;  // it says so again
  }
}

// At the first look what came before the news may not have been taken yet; at the next one every
// step has been tried since. Only acknowledgements of the adapter may come later than all that.
void Communicator::look_at(Channel& channel, Patience::Time now) noexcept {
  for (Passed& p : passed_) {
    if (p.world_rank != channel.peer() || p.number + 1 != number_) continue;
    if (p.seen == Patience::Time{})
      p.seen = now;
    else if (p.seen != now && !channel.awaits_acknowledgement())
      fail_as_different(
          p.world_rank,
          "has finished a call, or freed the communicator, while this rank waits for it there");
  }
}

bool Communicator::unwanted(const MessageName& name, int sender) noexcept {
  if (failed()) return true;
  const bool latest = name.collective + 1 == number_;
  const Prepared* const mine = latest ? recent_[name.collective % kRemembered] : nullptr;
  const bool other = mine && mine->mark != 0 && name.mark() != mine->mark >> kOrdinalBits;
  // Its sender hears of a refusal when it waits, if only for the slot that this keeps.
  if ((!over(name.collective) && !other) || refused_.contains(name.collective)) return false;
  fail_as_different(sender, "has sent what no call of this rank asks for");
  return true;
}

void Communicator::fail_as_different(int world_rank, const char* what) noexcept {
  fail(Code::size_mismatch, world_rank,
       "rank {} of MPI_COMM_WORLD {}: do all ranks call the same collectives, with the same sizes "
       "and roots?",
       world_rank, what);
}

void Communicator::throw_failure() {
  if (!std::exchange(spread_, true)) engine_.spread_failure(*this);
  throw Error(failure_code_, failure_text_, failure_culprit_);
}

nlohmann::json Communicator::describe() const {
  nlohmann::json facts = {{"id", id_},
                          {"size", size()},
                          {"rank", rank_},
                          {"nodes", facts_.nodes},
                          {"max_ranks_per_node", facts_.max_ranks_per_node},
                          {"address_bytes", world_ranks_.capacity() * sizeof(int)},
                          {"failed", failed()},
                          {"collectives", nlohmann::json::object()}};
  for (const Prepared* last : last_) {
    if (!last) continue;
    const auto& schedule = last->execution->schedule();
    facts["collectives"][std::string(collectives::name_of(last->problem.collective))] = {
        {"algorithm", collectives::to_string(last->choice)},
        {"digest", fmt::format("{:016x}", schedule.digest())},
        {"steps", schedule.steps.size()},
        {"scratch_bytes", schedule.scratch_bytes},
        {"staging_bytes", last->execution->staging_bytes()}};
  }
  return {{"communicator", std::move(facts)}};
}

}  // namespace tutti
