// Random collectives over the hostile wire, by seeds: each seed draws up to three collectives that
// are under way together, their algorithms and sizes, a wire, the shape of its rings, and in every
// other run a misfortune: a rank that stops, or registrations that fail. Every result must be
// right, and every rank must end.
//   hostile_runs FROM TO    these seeds, both included; a seed draws the same in every run
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "collectives/analysis/neighbourhoods.hpp"
#include "tests/collectives/execution/hostile_run.hpp"
#include "tests/collectives/reference.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  // From 0 to `last`, both included.
  int upto(int last) { return std::uniform_int_distribution<>(0, last)(random_); }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  double between(double from, double to) {
    return std::uniform_real_distribution<>(from, to)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[upto(static_cast<int>(choices.size()) - 1)];
  }

  // Short ones mostly, around the limits of the rings too.
  Bytes length() {
    const int most = one_of({8, 64, 400, 1200, 4000});
    return upto(most);
  }

 private:
  std::mt19937 random_;
};

Hostility wire(Draw& draw, std::uint32_t seed) {
  Hostility wire{seed, draw.chance(0.5), draw.chance(0.6), draw.chance(0.3)};
  wire.fetches = wire.direct && draw.chance(0.5);
  wire.passes_pieces = draw.chance(0.3);
  wire.refuse = draw.between(0, 0.6);
  wire.deliver = draw.between(0.05, 1);
  return wire;
}

transport::InboxShape shape(Draw& draw) {
  transport::InboxShape shape{{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};
  for (auto& ring : shape.rings) ring.slots = draw.one_of({1u, 1u, 2u, 4u, 8u});
  return shape;
}

// Something that runs: an algorithm, and a problem that it takes.
HostileCall call(Draw& draw, int P) {
  const auto all = collectives::algorithms();
  for (;;) {
    const collectives::Algorithm& algorithm =
        all[index(draw.upto(static_cast<int>(all.size()) - 1))];
    const Collective collective = algorithm.collective;
    HostileCall call{&algorithm, {{.collective = collective}, P}, {}};
    Problem& problem = call.problem;
    if (is_rooted(collective)) problem.root = draw.upto(P - 1);
    if (may_be_in_place(collective)) problem.in_place = draw.chance(0.3);
    if (reduces(collective)) {
      problem.element = kElement;
      problem.commutative = draw.chance(0.7);
    }
    if (collective != Collective::barrier)
      problem.bytes = draw.length() / problem.element * problem.element;
    if (has_blocks(collective) && draw.chance(0.3)) {
      problem.bytes = 0;
      for (int r = 0; r < P; ++r)
        problem.counts.push_back(draw.length() / problem.element * problem.element);
      if (collective == Collective::alltoall) problem.receive_counts = problem.counts;
    }
    if (draw.chance(0.4)) {
      const int nodes = 1 + draw.upto(P - 1);
      for (int r = 0; r < P; ++r) problem.node.push_back(r * nodes / P);
    }
    give_needed_neighbours(algorithm, problem);
    if (algorithm.traits.k) call.parameters.k = 1 + draw.upto(3);
    if (algorithm.traits.segment && draw.chance(0.5))
      call.parameters.segment = draw.one_of({40, 100, 296, 1000});
    if (algorithm.traits.root) call.parameters.root = draw.upto(P - 1);
    if (!why_not(algorithm, problem, call.parameters)) return call;
  }
}

struct Drawn {
  std::vector<HostileCall> calls{};
  Hostility wire{};
  transport::InboxShape shape{};
  Stop stop{};
};

Drawn draw(std::uint32_t seed) {
  Draw draw(seed);
  Drawn drawn{{}, wire(draw, seed), shape(draw), {}};
  const int P = 1 + draw.upto(draw.chance(0.8) ? 5 : 11);
  for (int n = draw.one_of({1, 1, 2, 3}); n > 0; --n) drawn.calls.push_back(call(draw, P));
  switch (draw.upto(3)) {
    case 0: drawn.stop = {draw.upto(P - 1), static_cast<std::uint64_t>(draw.upto(60))}; break;
    case 1:
      drawn.wire.registers = true;
      drawn.wire.fail_registration = 1 + draw.upto(3);
      break;
    default: break;
  }
  if (draw.chance(0.4)) drawn.wire.grow = draw.one_of({0.001, 0.01, 0.1});
  for (HostileCall& call : drawn.calls)
    if (!reduces(call.problem.collective) && draw.chance(0.6))
      call.gaps = static_cast<std::uint32_t>(draw.one_of({-1, draw.upto(0xFFFF)}));
  return drawn;
}

std::string to_string(const Drawn& drawn) {
  std::string text = fmt::format("P={}", drawn.calls.front().problem.P);
  for (const HostileCall& call : drawn.calls)
    text += fmt::format("; {} {}(k={}, segment={}) of {} bytes", name_of(call.problem.collective),
                        call.algorithm->name, call.parameters.k, call.parameters.segment,
                        call.problem.counts.empty() ? fmt::to_string(call.problem.bytes)
                                                    : std::string("unequal")) +
            (call.gaps ? fmt::format(" with gaps ({:x})", call.gaps) : std::string());
  if (drawn.stop.rank != kNoPeer)
    text += fmt::format("; rank {} stops after {} steps", drawn.stop.rank, drawn.stop.after);
  if (drawn.wire.fail_registration)
    text += fmt::format("; registration {} fails", drawn.wire.fail_registration);
  if (drawn.wire.grow > 0) text += fmt::format("; inboxes grow ({})", drawn.wire.grow);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) {
    return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  };
  if (argc != 3 || number(1) > number(2)) {
    fmt::print(stderr, "usage: hostile_runs FIRST_SEED LAST_SEED\n");
    return 2;
  }
  const std::uint32_t first = number(1), last = number(2);
  std::uint64_t wrong = 0, all = 0, some = 0, none = 0, calls = 0;
  for (std::uint32_t seed = first;; ++seed) {
    const Drawn drawn = draw(seed);
    const HostileOutcome outcome = run_hostile(drawn.calls, drawn.wire, drawn.shape, drawn.stop);
    if (!outcome.wrong.empty()) {
      ++wrong;
      fmt::print("seed {}: {} ({})\n", seed, outcome.wrong, to_string(drawn));
    }
    calls += drawn.calls.size();
    ++(outcome.errors == 0 ? all : outcome.results == 0 ? none : some);
    if (isatty(STDERR_FILENO) && seed % 100 == 0)
      fmt::print(stderr, "\r{} of {} runs", seed - first + 1, last - first + 1);
    if (seed == last) break;
  }
  fmt::print(
      "{} runs of {} collectives: {} with results only, {} with some errors, {} with errors "
      "only; {} wrong\n",
      last - first + 1, calls, all, some, none, wrong);
  return wrong == 0 ? 0 : 1;
}
