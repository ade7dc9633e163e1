// The proof matrix for few ranks; `tutti verify` runs all of it. And a second opinion on the
// verifier: real bytes, in random order.
#include "collectives/analysis/proof.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include "collectives/schedule/cursor.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

// With sanitizers every access costs twenty times as much.
#ifdef __SANITIZE_ADDRESS__
constexpr int kEveryUpTo = 9, kThen = 17;
#else
constexpr int kEveryUpTo = 17, kThen = 33;
#endif

TEST_CASE("every algorithm is right for many P") {
  ProofOptions options;
  for (int P = 1; P <= kEveryUpTo; ++P) options.P.push_back(P);
  options.P.push_back(kThen);
  std::size_t reports = 0, expected = 0;
  options.progress = [&](std::size_t, std::size_t total) { ++reports, expected = total; };
  const auto rows = prove(options);
  CHECK(rows.size() == algorithms().size());
  CHECK(reports == expected);
  for (const ProofRow& row : rows) {
    INFO(row.algorithm << ": " << row.first_violation);
    CHECK(row.violations == 0);
    CHECK(row.cases > 0);
  }
}

TEST_CASE("the proof can be narrowed") {
  ProofOptions options;
  options.collective = Collective::allgather;
  options.algorithm = "bruck";
  options.P = {130};
  options.threads = 1;
  const auto rows = prove(options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cases == 32);  // three sizes and uneven counts, in place or not, k = 1…4
  CHECK(rows[0].violations == 0);
  options.algorithm = "nonsense";
  CHECK(prove(options).empty());
  CHECK(proof_sizes().back() == 1000);
}

namespace {

using Memory = std::vector<unsigned char>;

struct RankState {
  Memory input, output, scratch;
  Cursor cursor;
  std::vector<StepId> active;
};

unsigned char pattern(Bytes i) { return static_cast<unsigned char>(i * 131 + (i >> 8) * 7 + 1); }

// Runs all ranks on real bytes, one randomly chosen step at a time; messages wait in unbounded
// mailboxes.
std::vector<Memory> run_at_random(const std::vector<Schedule>& all, const Problem& problem,
                                  std::mt19937& random) {
  std::vector<RankState> ranks;
  for (const Schedule& s : all) {
    const auto memory = [](Bytes bytes) { return Memory(static_cast<std::size_t>(bytes), 0xee); };
    ranks.push_back(
        {memory(s.input_bytes), memory(s.output_bytes), memory(s.scratch_bytes), Cursor{s}, {}});
    Memory& mine = problem.collective == Collective::bcast || s.in_place ? ranks.back().output
                                                                         : ranks.back().input;
    const Bytes first = s.rank * problem.bytes;
    for (Bytes i = 0; i < problem.bytes; ++i) {
      if (problem.collective == Collective::allgather)
        mine[static_cast<std::size_t>(i + (s.in_place ? first : 0))] = pattern(first + i);
      if (problem.collective == Collective::bcast && s.rank == problem.root)
        mine[static_cast<std::size_t>(i)] = pattern(i);
    }
  }
  std::map<std::tuple<Rank, Rank, Ordinal>, Memory> mail;
  for (int idle = 0; idle < 100000; ++idle) {
    const std::size_t r = random() % all.size();
    RankState& rank = ranks[r];
    const auto ready = rank.cursor.ready();
    rank.active.insert(rank.active.end(), ready.begin(), ready.end());
    rank.cursor.take_all();
    if (rank.active.empty()) continue;
    const std::size_t which = random() % rank.active.size();
    const StepId id = rank.active[which];
    const Step& step = all[r].steps[id];
    const auto at = [&](const Slice& slice) {
      Memory& memory = slice.buffer == Buffer::input    ? rank.input
                       : slice.buffer == Buffer::output ? rank.output
                                                        : rank.scratch;
      return memory.data() + slice.offset;
    };
    if (step.kind == StepKind::send) {
      mail[{all[r].rank, step.peer, step.ordinal}] =
          Memory(at(step.source), at(step.source) + step.source.length);
    } else if (step.kind == StepKind::recv) {
      const auto letter = mail.find({step.peer, all[r].rank, step.ordinal});
      if (letter == mail.end()) continue;
      std::copy(letter->second.begin(), letter->second.end(), at(step.target));
    } else if (step.source.length != 0) {
      std::memcpy(at(step.target), at(step.source), static_cast<std::size_t>(step.source.length));
    }
    rank.active.erase(rank.active.begin() + static_cast<std::ptrdiff_t>(which));
    rank.cursor.done(id);
    idle = 0;
  }
  std::vector<Memory> outputs;
  for (RankState& rank : ranks) {
    REQUIRE(rank.cursor.finished());
    outputs.push_back(rank.output);
  }
  return outputs;
}

}  // namespace

TEST_CASE("real bytes in random order give what was proved") {
  std::mt19937 random{20240607};
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::bcast && algorithm.collective != Collective::allgather)
      continue;
    for (int P : {1, 2, 3, 5, 8, 11}) {
      for (int k : {1, 2, 3}) {
        const bool in_place = random() % 2 == 0 && algorithm.collective == Collective::allgather;
        const Problem problem{
            {.collective = algorithm.collective, .root = P / 2, .bytes = 37, .in_place = in_place},
            P};
        INFO(algorithm.name << " P=" << P << " k=" << k);
        if (why_not(algorithm, problem, {})) continue;
        const auto all =
            build_all(algorithm.name, problem,
                      {algorithm.traits.k ? k : 1, algorithm.traits.segment ? 5 * k : 0});
        for (const Memory& output : run_at_random(all, problem, random)) {
          bool right = true;
          for (std::size_t i = 0; i < output.size(); ++i)
            right = right && output[i] == pattern(static_cast<Bytes>(i));
          CHECK(right);
        }
      }
    }
  }
}

TEST_CASE(
    "a broadcast that has no reduce of its name cannot be the level of an allreduce; a reduce is "
    "the mirror of any") {
  for (const char* name : {"splitted-binary", "scatter-ring", "scatter-recursive-doubling"}) {
    INFO(name);
    const Parameters parameters{.within = {find(Collective::bcast, name), 1}, .across = {}};
    Problem problem{
        {.collective = Collective::allreduce, .bytes = 24}, 8, 0, true, {0, 0, 0, 0, 1, 1, 1, 1}};
    CHECK(why_not(*find(Collective::allreduce, "hierarchical"), problem, parameters));
    problem.collective = Collective::reduce;
    const Algorithm* reduce = find(Collective::reduce, "hierarchical");
    REQUIRE_FALSE(why_not(*reduce, problem, parameters));
    std::vector<Schedule> all;
    for (problem.rank = 0; problem.rank < problem.P; ++problem.rank)
      all.push_back(reduce->build(problem, parameters));
    problem.rank = 0;
    CHECK(verify(all, problem).ok());
  }
}

TEST_CASE("levels that cannot run for the nodes there are do not apply; those that can are right") {
  struct Case {
    Collective collective;
    const char *within, *across;  // of the name's own collective: a broadcast within, and across as
                                  // the collective has it
  };
  for (const Case& one :
       {Case{Collective::bcast, "bine", "bine"}, Case{Collective::reduce, "bine", "bine"},
        Case{Collective::allreduce, "bine", "bine-doubling"},
        Case{Collective::allgather, "bine", "bine"},
        Case{Collective::allgather, "circulant", "neighbor-exchange"}}) {
    const Collective across_of =
        one.collective == Collective::reduce ? Collective::bcast : one.collective;
    const Parameters parameters{.within = {find(Collective::bcast, one.within), 1},
                                .across = {find(across_of, one.across), 1}};
    const Algorithm* hierarchical = find(one.collective, "hierarchical");
    int applied = 0, refused = 0;
    for (int per_node = 1; per_node <= 4; ++per_node)
      for (int nodes = 1; nodes <= 5; ++nodes) {
        INFO(name_of(one.collective) << " within=" << one.within << " across=" << one.across << ": "
                                     << nodes << " nodes of " << per_node);
        Problem problem{{.collective = one.collective, .bytes = 24}, nodes * per_node};
        for (int rank = 0; rank < problem.P; ++rank) problem.node.push_back(rank / per_node);
        if (why_not(*hierarchical, problem, parameters)) {
          ++refused;
          continue;
        }
        ++applied;
        std::vector<Schedule> all;
        for (problem.rank = 0; problem.rank < problem.P; ++problem.rank)
          all.push_back(hierarchical->build(problem, parameters));
        problem.rank = 0;
        CHECK(verify(all, problem).ok());
      }
    CHECK(applied > 0);
    CHECK(refused > 0);
  }
}
