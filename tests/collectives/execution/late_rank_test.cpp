// One rank comes late to Bruck's allgather with k ports: what the others do meanwhile, and how long
// it takes from then on. The real executor in virtual time: each tick every rank that has started
// makes one step of progress, and each write arrives after kLatency ticks. Writes do not wait for
// each other, so that only dependencies cost time.
//
// Beside it the same schedules as programs run them that receive in the order in which it is
// written: that is what made more ports slower (IB 5.3.2). TUTTI_SHOW=1 prints the table.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "tests/collectives/execution/execution.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "tests/protocols/hostile.hpp"
#include "tests/collectives/reference.hpp"

using namespace tutti;
using namespace tutti::tests;
using collectives::Edge;
using collectives::Schedule;
using collectives::Step;
using collectives::StepId;
using collectives::StepKind;
using protocols::Answer;
using protocols::Channel;

namespace {

constexpr int kLatency = 8, kLate = 400;
constexpr int kLargestK = 7;

enum class Order { ready_first, by_round, blocking };

// The same steps, that wait for more. By round: nothing of a round before all receives of the
// rounds before have ended. Blocking: nothing before every earlier receive has ended, so that a
// receive is not even begun before the one above it has its message.
Schedule ordered(Schedule schedule, Order order) {
  if (order == Order::ready_first) return schedule;
  std::set<std::pair<StepId, StepId>> edges;
  std::vector<StepId> received;
  std::size_t before_round = 0;  // so many receives stand before the last send
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    const Step& step = schedule.steps[id];
    for (const StepId after : schedule.successors_of(id)) edges.insert({id, after});
    if (step.kind == StepKind::send) before_round = received.size();
    for (std::size_t i = 0; i < (order == Order::blocking ? received.size() : before_round); ++i)
      edges.insert({received[i], id});
    if (receives(step.kind)) received.push_back(id);
  }
  std::vector<Edge> all;
  for (const auto& [before, after] : edges) all.push_back({before, after});
  link(schedule, all);
  return schedule;
}

struct Outcome {
  int missing = 0;  // blocks that ranks in time lack when the late one starts
  int ticks = 0;    // from then on until all have ended
};

Outcome run(const Problem& problem, const std::vector<Schedule>& schedules, int late) {
  const int P = problem.P;
  HostileNet net(P, {{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}}, {.latency = kLatency});
  Deaf listener;
  registration::Cache cache(net.registrar, {false, 0, 0}, [](std::string_view) {});
  std::map<std::pair<int, int>, Channel> channels;
  for (int a = 0; a < P; ++a)
    for (int b = 0; b < P; ++b)
      if (a != b) channels.try_emplace({a, b}, net.link(a, b), &cache, listener);
  const std::vector<Problem> each = by_rank(problem);
  std::vector<Buffers> buffers;
  std::vector<std::unique_ptr<Execution>> executions;
  for (int r = 0; r < P; ++r) {
    buffers.emplace_back(each[static_cast<std::size_t>(r)]);
    executions.push_back(std::make_unique<Execution>(schedules[static_cast<std::size_t>(r)],
                                                     [&, r](Rank peer) -> Channel& {
                                                       return channels.at({r, peer});
                                                     }));
    executions.back()->run.start(buffers.back().input.data(), buffers.back().output.data(),
                                 {1, 0, 0});
  }
  const auto has = [&](int r, int block) {
    const std::byte* const at =
        buffers[static_cast<std::size_t>(r)].output.data() + block * problem.bytes;
    for (Bytes i = 0; i < problem.bytes; ++i)
      if (at[i] != data_of(block, i)) return false;
    return true;
  };
  Outcome outcome;
  std::vector<Answer> answers(static_cast<std::size_t>(P), Answer::again);
  for (int tick = 0; tick < 100 * kLate; ++tick) {
    net.step();
    if (tick == kLate)
      for (int r = 0; r < P; ++r)
        for (int block = 0; block < P; ++block) outcome.missing += r != late && !has(r, block);
    bool all = true;
    for (int r = 0; r < P; ++r) {
      Answer& answer = answers[static_cast<std::size_t>(r)];
      if (answer == Answer::again && (r != late || tick >= kLate)) {
        collectives::Run& mine = executions[static_cast<std::size_t>(r)]->run;
        answer = mine.advance();
        mine.each_waiting([](Channel& c) { c.progress(); });
      }
      all &= answer == Answer::done;
    }
    if (!all) continue;
    for (const Buffers& b : buffers) REQUIRE(b.right(each));
    outcome.ticks = tick - kLate;
    return outcome;
  }
  FAIL("no end");
  return outcome;
}

// The blocks that ranks in time must lack as long as the late one has not started, whoever runs
// these schedules: those that no step writes which can run without it.
int least_missing(const Problem& problem, const std::vector<Schedule>& schedules, int late) {
  const auto P = static_cast<std::size_t>(problem.P);
  std::vector<std::vector<bool>> can(P);
  for (std::size_t r = 0; r < P; ++r) can[r].assign(schedules[r].steps.size(), true);
  can[static_cast<std::size_t>(late)].assign(can[static_cast<std::size_t>(late)].size(), false);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < P; ++r)
      for (StepId id = 0; id < can[r].size(); ++id) {
        const Step& step = schedules[r].steps[id];
        if (receives(step.kind)) {
          const auto from = static_cast<std::size_t>(step.peer);
          for (StepId sent = 0; sent < can[from].size(); ++sent) {
            const Step& send = schedules[from].steps[sent];
            if (send.kind == StepKind::send && send.peer == static_cast<Rank>(r) &&
                send.ordinal == step.ordinal && !can[from][sent] && can[r][id])
              can[r][id] = false, moved = true;
          }
        }
        if (can[r][id]) continue;
        for (const StepId after : schedules[r].successors_of(id))
          if (can[r][after]) can[r][after] = false, moved = true;
      }
  }
  Bytes missing = 0;
  for (std::size_t r = 0; r < P; ++r)
    for (StepId id = 0; id < can[r].size(); ++id) {
      const Step& step = schedules[r].steps[id];
      if (static_cast<int>(r) != late && !can[r][id] && writes_target(step.kind) &&
          step.target.buffer == collectives::Buffer::output)
        missing += step.target.length;
    }
  return static_cast<int>(missing / problem.bytes);
}

}  // namespace

TEST_CASE("Bruck's allgather with a late rank does not get slower with more ports", "[late]") {
  const collectives::Algorithm& bruck = *collectives::find(Collective::allgather, "bruck");
  const bool show = std::getenv("TUTTI_SHOW") != nullptr;
  bool order_costs_blocks = false, order_costs_ticks = false;
  for (const Bytes bytes : {Bytes{40}, Bytes{2000}}) {
    const bool rendezvous = bytes > 1088;
    for (const int P : {8, 16, 27}) {
      if (show)
        fmt::print(
            "\nP = {}, {} messages; blocks missing at the others when the late rank starts, ticks "
            "from then on (latency {})\n"
            "   k   ready first   round by round   blocking receives\n",
            P, rendezvous ? "rendezvous" : "eager", kLatency);
      for (const int late : {0, P / 2, P - 1}) {
        Outcome fewer_ready, fewer_blocking;  // of the k before
        for (int k = 1; k <= kLargestK; ++k) {
          INFO("P=" << P << " k=" << k << " bytes=" << bytes << " late=" << late);
          const Problem problem{{.collective = Collective::allgather, .bytes = bytes}, P};
          const auto schedules = [&](Order order) {
            std::vector<Schedule> all;
            for (const Problem& mine : by_rank(problem))
              all.push_back(ordered(bruck.build(mine, {.k = k}), order));
            return all;
          };
          const auto as_written = schedules(Order::ready_first);
          const Outcome ready = run(problem, as_written, late);
          const Outcome by_round = run(problem, schedules(Order::by_round), late);
          const Outcome blocking = run(problem, schedules(Order::blocking), late);
          if (show && late == 0)
            fmt::print("{:4} {:7} {:5} {:9} {:6} {:10} {:8}\n", k, ready.missing, ready.ticks,
                       by_round.missing, by_round.ticks, blocking.missing, blocking.ticks);

          // Nothing that could be done without the late rank is left to do.
          REQUIRE(ready.missing == least_missing(problem, as_written, late));
          // From then on only rounds count, and a rendezvous' announcement once: each receive was
          // announced as soon as it could be.
          int rounds = 0;
          for (int held = 1; held < P; held *= k + 1) ++rounds;
          REQUIRE(ready.ticks <= (rounds + rendezvous) * kLatency);
          // Order costs.
          REQUIRE(by_round.missing >= ready.missing);
          REQUIRE(by_round.ticks >= ready.ticks);
          REQUIRE(blocking.missing > ready.missing);
          REQUIRE(blocking.ticks >= by_round.ticks);
          order_costs_blocks |= by_round.missing > ready.missing;
          order_costs_ticks |= by_round.ticks > ready.ticks;
          if (rendezvous) REQUIRE(blocking.ticks > ready.ticks);
          if (k > 1) {
            REQUIRE(ready.ticks <= fewer_ready.ticks);
            if (rendezvous) REQUIRE(blocking.ticks >= fewer_blocking.ticks);
          }
          fewer_ready = ready;
          fewer_blocking = blocking;
        }
      }
    }
  }
  CHECK(order_costs_blocks);
  CHECK(order_costs_ticks);
}
