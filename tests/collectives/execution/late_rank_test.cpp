// One rank comes late to Bruck's allgather with k ports: what do the others do meanwhile, and how
// long does it take from then on? The real executor runs in virtual time: in each tick every rank
// that has started makes one step of progress, and each write arrives after kLatency ticks. Writes
// do not wait for each other, so only dependencies cost time.
//
// The same schedules also run as a program would run them that receives in the order in which it is
// written: that is what made more ports slower (IB 5.3.2). TUTTI_SHOW=1 prints the table.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/world.hpp"
#include "tests/collectives/execution/execution.hpp"
#include "tests/collectives/reference.hpp"
#include "tests/protocols/hostile.hpp"

using namespace tutti;
using namespace tutti::tests;
using collectives::Edge;
using collectives::Place;
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

// The same steps, which wait for more. By round: no step of a round before all receives of earlier
// rounds have ended. Blocking: no step before every earlier receive has ended, so that a receive
// does not even begin before the one above it has its message.
Schedule ordered(Schedule schedule, Order order) {
  if (order == Order::ready_first) return schedule;
  std::set<std::pair<StepId, StepId>> edges;
  std::vector<StepId> received;
  std::size_t before_round = 0;  // number of receives before the last send
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
  const std::vector<Problem> each = collectives::problems_of_all_ranks(problem);
  std::vector<Buffers> buffers;
  std::vector<std::unique_ptr<Execution>> executions;
  for (int r = 0; r < P; ++r) {
    buffers.emplace_back(each[index(r)]);
    executions.push_back(
        std::make_unique<Execution>(schedules[index(r)], [&, r](Rank peer) -> Channel& {
          return channels.at({r, peer});
        }));
    executions.back()->run.start(buffers.back().input.data(), buffers.back().output.data(),
                                 {1, 0, 0});
  }
  const auto has = [&](int r, int block) {
    const std::byte* const at = buffers[index(r)].output.data() + block * problem.bytes;
    for (Bytes i = 0; i < problem.bytes; ++i)
      if (at[i] != data_of(block, i)) return false;
    return true;
  };
  Outcome outcome;
  std::vector<Answer> answers(index(P), Answer::again);
  for (int tick = 0; tick < 100 * kLate; ++tick) {
    net.step();
    if (tick == kLate)
      for (int r = 0; r < P; ++r)
        for (int block = 0; block < P; ++block) outcome.missing += r != late && !has(r, block);
    bool all = true;
    for (int r = 0; r < P; ++r) {
      Answer& answer = answers[index(r)];
      if (answer == Answer::again && (r != late || tick >= kLate)) {
        collectives::Run& mine = executions[index(r)]->run;
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

// How many blocks the ranks in time must lack until the late one starts, whoever runs these
// schedules: those written by steps that cannot run without it.
int least_missing(const Problem& problem, const std::vector<Schedule>& schedules, int late) {
  collectives::World world(schedules);
  std::vector<char> ran(world.steps()), waits(world.steps());
  std::vector<Rank> pending;
  const auto run_step = [&](Place place) {
    ran[world.number(place)] = 1;
    world.done(place);
    pending.push_back(place.rank);
  };
  const auto serve = [&](Place place) {
    const StepKind kind = world.step(place).kind;
    if (receives(kind) && !ran[world.number(world.partner(place))]) {
      waits[world.number(place)] = 1;
      return;
    }
    run_step(place);
    if (kind != StepKind::send) return;
    const Place receive = world.partner(place);
    if (waits[world.number(receive)]) run_step(receive);
  };
  for (Rank rank = 0; rank < world.P(); ++rank)
    if (rank != late) pending.push_back(rank);
  while (!pending.empty()) {
    const Rank rank = pending.back();
    pending.pop_back();
    world.take_ready(rank, serve);
  }
  std::set<std::pair<Rank, Bytes>> missing;  // a message may wait where another block is to be
  for (Rank rank = 0; rank < world.P(); ++rank)
    for (StepId id = 0; id < world.schedule(rank).steps.size(); ++id) {
      const Step& step = world.step({rank, id});
      if (rank != late && !ran[world.number({rank, id})] && writes_target(step.kind) &&
          step.target.buffer == collectives::Buffer::output)
        for (Bytes at = step.target.offset; at < step.target.end(); at += problem.bytes)
          missing.insert({rank, at / problem.bytes});
    }
  return static_cast<int>(missing.size());
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
            auto all = collectives::schedules_of_all_ranks(bruck, problem, {.k = k});
            for (Schedule& schedule : all) schedule = ordered(std::move(schedule), order);
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
          // From then on only rounds cost time, and a rendezvous one announcement more: each
          // receive was announced as soon as it could be.
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
