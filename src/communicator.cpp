// Choosing, preparing and driving executions; what becomes of a failure.
#include "src/communicator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tutti {

using collectives::Choice;
using collectives::Collective;
using collectives::Execution;
using protocols::Answer;
using protocols::Channel;

namespace {

collectives::Facts facts_of(const Engine& engine, const std::vector<int>& world_ranks) {
  std::map<std::uint64_t, int> ranks_on;
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

}  // namespace

std::size_t Communicator::KeyHash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = static_cast<std::uint64_t>(key.bytes) * 0x9E3779B97F4A7C15ull;
  hash ^= (static_cast<std::uint64_t>(key.root) << 8) ^ (static_cast<std::uint64_t>(key.collective) << 1) ^
          static_cast<std::uint64_t>(key.in_place);
  return static_cast<std::size_t>(hash * 0x9E3779B97F4A7C15ull);
}

Communicator::Communicator(Engine& engine, CommunicatorId id, int rank, std::vector<int> world_ranks, std::map<Collective, Choice> forced)
    : engine_(engine),
      id_(id),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      forced_(std::move(forced)),
      facts_(facts_of(engine, world_ranks_)) {
  engine_.add(*this);
}

Communicator::~Communicator() { engine_.remove(*this); }

bool Communicator::has_member(int world_rank) const noexcept {
  return std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) != world_ranks_.end();
}

Communicator::Prepared& Communicator::prepared(const Key& key) {
  Prepared*& last = last_[static_cast<std::size_t>(key.collective)];
  if (last && last->key == key) return *last;
  const auto found = prepared_.find(key);
  last = found != prepared_.end() ? &found->second : &prepare(key);
  return *last;
}

Communicator::Prepared& Communicator::prepare(const Key& key) {
  const auto forced = forced_.find(key.collective);
  const Choice choice = forced != forced_.end() ? forced->second : collectives::select(key.collective, key.bytes, facts_).choice;
  const collectives::Problem problem{key.collective, size(), rank_, key.root, key.bytes, key.in_place};
  if (const auto reason = choice.algorithm->not_applicable(problem, choice.parameters))
    throw Error(Code::algorithm_not_applicable, fmt::format("{} cannot run this {}: {}; change the setting `algorithm` (TUTTI_ALGORITHM)",
                                                            collectives::to_string(choice), collectives::name_of(key.collective), *reason));
  if (prepared_.size() >= kMaxPrepared) {
    const auto oldest = std::min_element(prepared_.begin(), prepared_.end(),
                                         [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    std::replace(last_.begin(), last_.end(), &oldest->second, static_cast<Prepared*>(nullptr));
    prepared_.erase(oldest);
  }
  auto execution = std::make_unique<Execution>(choice.algorithm->build(problem, choice.parameters), [&](Rank peer) -> Channel& {
    return engine_.channel(world_ranks_[static_cast<std::size_t>(peer)]);
  });
  return prepared_.insert_or_assign(key, Prepared{key, choice, std::move(execution), 0}).first->second;
}

void Communicator::run(Collective collective, Bytes bytes, int root, bool in_place, const void* input, void* output) {
  if (failed()) [[unlikely]]
    throw_failure();
  Prepared& prepared = this->prepared({collective, in_place, root, bytes});
  prepared.last_use = ++uses_;
  Execution& execution = *prepared.execution;
  execution.start(input, output, id_, number_++);
  Answer answer = execution.advance();
  if (answer == Answer::done) return;
  Patience patience;
  const auto each_waiting = [&](auto&& visit) { execution.each_waiting(visit); };
  while (answer == Answer::again) {
    if (!engine_.relax(patience, *this, each_waiting)) {
      answer = Answer::failed;
      break;
    }
    answer = execution.advance();
  }
  if (answer == Answer::done) return;
  if (Channel* channel = execution.culprit()) {
    fail(channel->failure_code(), channel->peer(), channel->failure());
    channel->forget_complaint();
  }
  if (!failed()) fail(Code::internal, kNoPeer, "a step of the schedule cannot be run; please report this");
  execution.abandon();
  throw_failure();
}

void Communicator::fail(Code code, int culprit, const std::string& text) noexcept {
  if (failed()) return;
  failure_culprit_ = culprit;
  failure_text_ = text;
  failure_code_ = code;
}

void Communicator::throw_failure() {
  if (!std::exchange(spread_, true)) engine_.spread_failure(*this);
  throw Error(failure_code_, failure_text_, failure_culprit_);
}

std::string Communicator::describe() const {
  std::string text = fmt::format(
      R"("communicator":{{"id":{},"size":{},"rank":{},"nodes":{},"max_ranks_per_node":{},"address_bytes":{},"failed":{},"collectives":{{)",
      id_, size(), rank_, facts_.nodes, facts_.max_ranks_per_node, world_ranks_.capacity() * sizeof(int), failed());
  const char* separator = "";
  for (const Prepared* last : last_) {
    if (!last) continue;
    const auto& schedule = last->execution->schedule();
    text += fmt::format(R"({}"{}":{{"algorithm":"{}","digest":"{:016x}","steps":{},"scratch_bytes":{}}})", separator,
                        collectives::name_of(last->key.collective), collectives::to_string(last->choice), schedule.digest(),
                        schedule.steps.size(), schedule.scratch_bytes);
    separator = ",";
  }
  return text + "}}";
}

}  // namespace tutti
