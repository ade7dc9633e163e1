#include "tests/collectives/execution/hostile_run.hpp"

#include "collectives/analysis/all_ranks.hpp"
#include "tests/collectives/execution/execution.hpp"
#include "tests/collectives/execution/scattered.hpp"
#include "tests/collectives/reference.hpp"

namespace tutti::tests {
namespace {

using protocols::Answer;
using protocols::Channel;

// Far more than any run takes.
constexpr int kSteps = 2000000;

// One rank's part of one call.
struct Part {
  Part(const HostileCall& call, const Problem& problem,
       const collectives::Program::ChannelTo& channel_to)
      : buffers(problem),
        scattered(buffers, (call.gaps >> problem.rank % 32 & 1u) != 0),
        execution(call.algorithm->build(problem, call.parameters), channel_to, problem.element) {}
  Buffers buffers;
  Scattered scattered;
  Execution execution;
  Answer answer = Answer::again;
  bool gives_up = false;
};

class Ranks {
 public:
  Ranks(const std::vector<HostileCall>& calls, const Hostility& hostility,
        const transport::InboxShape& shape, bool trouble)
      : P_(calls.front().problem.P),
        trouble_(trouble),
        net(P_, shape, hostility),
        cache_(net.registrar, {false, 0, 0}, [](std::string_view) {}),
        channels_(index(P_ * P_)),
        parts_(index(P_)) {
    for (int a = 0; a < P_; ++a)
      for (int b = 0; b < P_; ++b)
        if (a != b) channel(a, b) = std::make_unique<Channel>(net.link(a, b), &cache_, listener_);
    for (const HostileCall& call : calls) {
      problems_.push_back(collectives::problems_of_all_ranks(call.problem));
      combines_.push_back(combine_of(problems_.back().front()));
    }
    for (int r = 0; r < P_; ++r)
      for (std::size_t c = 0; c < calls.size(); ++c) start(r, c, calls[c]);
  }

  // A little of one rank's calls, in an order left to chance. Whether all of them have ended.
  bool advance(int rank) {
    auto& mine = parts_[index(rank)];
    const std::size_t first = net.below(mine.size());
    bool all = true;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t c = (first + i) % mine.size();
      Part& part = *mine[c];
      if (part.answer == Answer::again && net.chance(0.5)) advance(part, rank, c);
      all &= part.answer != Answer::again;
    }
    return all;
  }

  HostileOutcome outcome() const {
    HostileOutcome result;
    for (int r = 0; r < P_; ++r)
      for (std::size_t c = 0; !net.stopped(r) && c < problems_.size(); ++c) {
        Part& part = *parts_[index(r)][c];
        const std::string where = "call " + std::to_string(c) + " on rank " + std::to_string(r);
        if (part.answer == Answer::again) result.wrong = where + " does not end";
        if (part.answer == Answer::failed && !trouble_) result.wrong = where + " failed";
        if (part.answer == Answer::done &&
            (!part.scattered.collect() || !part.buffers.right(problems_[c])))
          result.wrong = where + " has a wrong result";
        ++(part.answer == Answer::done ? result.results : result.errors);
      }
    return result;
  }

  const int P_;

 private:
  std::unique_ptr<Channel>& channel(int from, int to) { return channels_[index(from * P_ + to)]; }

  void start(int rank, std::size_t number, const HostileCall& call) {
    const Problem& problem = problems_[number][index(rank)];
    const auto channel_to = [&](Rank peer) -> Channel& { return *channel(rank, peer); };
    auto part = std::make_unique<Part>(call, problem, channel_to);
    part->scattered.start(part->execution.run, {static_cast<CommunicatorId>(number + 1), 0, 0},
                          combines_[number]);
    parts_[index(rank)].push_back(std::move(part));
  }

  void advance(Part& part, int rank, std::size_t number) {
    if (part.gives_up) return give_up(part, rank);
    auto& run = part.execution.run;
    part.answer = run.advance();
    run.each_waiting([&](Channel& c) {
      c.progress();
      if (trouble_) c.probe();
    });
    // As in the engine, bad news travels from a failed rank to those that wait for it.
    if (trouble_ && part.answer == Answer::again)
      run.each_waiting([&](Channel& c) {
        if (c.failed() || parts_[index(c.peer())][number]->gives_up) part.answer = Answer::failed;
      });
    if (part.answer != Answer::failed) return;
    run.abandon();
    part.gives_up = true;
    part.answer = Answer::again;
  }

  // As in the engine, the buffers are the caller's again once nothing reads from them, for which
  // the rank waits a while, and then breaks off.
  void give_up(Part& part, int rank) {
    bool in_use = false;
    for (int peer = 0; peer < P_; ++peer) {
      Channel* const c = channel(rank, peer).get();
      if (!c) continue;
      c->progress();
      if (c->abandoned().being_read() && net.chance(0.02)) c->abandoned().break_off();
      in_use |= c->abandoned().being_read();
    }
    if (in_use) return;
    part.scattered.poison();
    part.answer = Answer::failed;
  }

  const bool trouble_;

 public:
  HostileNet net;

 private:
  Deaf listener_;
  registration::Cache cache_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::vector<Problem>> problems_;             // by call, by rank
  std::vector<Combine> combines_;                          // by call
  std::vector<std::vector<std::unique_ptr<Part>>> parts_;  // by rank, by call
};

}  // namespace

HostileOutcome run_hostile(const std::vector<HostileCall>& calls, const Hostility& hostility,
                           const transport::InboxShape& shape, const Stop& stop) {
  const bool trouble = stop.rank != kNoPeer || hostility.fail_registration != 0;
  Ranks ranks(calls, hostility, shape, trouble);
  bool over = false;
  for (std::uint64_t step = 0; !over && step < kSteps; ++step) {
    ranks.net.step();
    if (stop.rank != kNoPeer && step == stop.after) ranks.net.stop(stop.rank);
    over = true;
    for (int r = 0; r < ranks.P_; ++r)
      if (!ranks.net.stopped(r)) over &= ranks.advance(r);
  }
  return ranks.outcome();
}

}  // namespace tutti::tests
