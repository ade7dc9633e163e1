// The choice beside its alternatives, timed by the simulator.
#include "models/judgement.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/decision/shipped.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/models/decision/compared.hpp"

using namespace tutti;
using namespace tutti::models;
using collectives::Collective;

namespace {

const Platform& hardware() { return *find_shipped("hardware"); }

std::string words(const Cell& cell, const Judgement& judgement) {
  return std::string(name_of(cell.collective)) + " on " + std::to_string(cell.nodes) + " x " +
         std::to_string(cell.ranks_per_node) + " ranks, " + std::to_string(cell.bytes) +
         " bytes: " + to_string(judgement.chosen.choice) + ' ' +
         std::to_string(judgement.chosen.simulated) + " us, best " +
         to_string(judgement.best.choice) + ' ' + std::to_string(judgement.best.simulated);
}

}  // namespace

TEST_CASE("what is chosen on clusters is near to the best, by the simulator", "[decision]") {
  std::vector<double> excesses;
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce})
    for (const int nodes : {2, 4, 8})
      for (const int each : {4, 16})
        for (const Bytes bytes : {8, 4096, 65536, 1048576}) {
          if (nodes * each > tests::unless_sanitized(128, 16)) continue;
          const Cell cell{collective, nodes, each, bytes};
          const Judgement judgement = judge(cell, hardware());
          INFO(words(cell, judgement));
          CHECK(judgement.excess() < 1.25);
          excesses.push_back(judgement.excess());
        }
  std::sort(excesses.begin(), excesses.end());
  CHECK(excesses[excesses.size() / 2] < 1.01);
}

// Trees in which all ranks of a node send to others at the same time: the node has one port.
TEST_CASE("many ranks of a node do not speak to others at once", "[decision]") {
  for (const Cell& cell :
       {Cell{Collective::bcast, 16, 64, 65536}, Cell{Collective::bcast, 16, 16, 4096},
        Cell{Collective::reduce, 8, 64, 1048576}, Cell{Collective::reduce, 8, 16, 65536},
        Cell{Collective::reduce, 2, 64, 1048576}}) {
    if (cell.nodes > tests::unless_sanitized(16, 8) ||
        cell.ranks_per_node > tests::unless_sanitized(64, 16))
      continue;
    const Judgement judgement = judge(cell, hardware());
    INFO(words(cell, judgement));
    CHECK(judgement.excess() < 1.25);
    CHECK(judgement.chosen.estimate / judgement.chosen.simulated < 1.5);
    CHECK(judgement.chosen.estimate / judgement.chosen.simulated > 1 / 1.5);
  }
}

// Trees whose senders are all on one node, and lenders whose neighbours are on another one.
TEST_CASE("who shares a node does so in every mapping", "[decision]") {
  for (const Cell& cell : {Cell{Collective::gather, 8, 8, 8, Layout::in_turn},
                           Cell{Collective::scatter, 8, 8, 8, Layout::in_turn},
                           Cell{Collective::allreduce, 8, 3, 8}}) {
    const Judgement judgement = judge(cell, hardware());
    INFO(words(cell, judgement));
    CHECK(judgement.excess() < 1.25);
  }
}

// Jobs count that messages come in pieces, and that packets take the time of cores.
TEST_CASE("what is judged is what jobs choose", "[decision]") {
  for (const auto& [name, cell] : std::initializer_list<std::pair<const char*, Cell>>{
           {"hardware", {Collective::allgather, 8, 4, 300000}},
           {"hardware", {Collective::allgather, 4, 4, 65536}},
           {"hardware", {Collective::bcast, 4, 4, 65536}},
           {"hardware", {Collective::allreduce, 4, 4, 300000}},
           {"rxe", {Collective::gather, 5, 1, 4096}}}) {
    const Platform platform = tests::platform_named(name);
    collectives::Facts facts{cell.P(), cell.nodes, cell.ranks_per_node};
    facts.software_wire = platform.cores->move_packets();
    if (facts.software_wire) facts.cores = 64 * cell.P();  // to spare
    const Judgement judgement = judge(cell, platform);
    INFO(name << ' ' << words(cell, judgement));
    const collectives::Choice chosen =
        Decisions(platform, facts)
            .select({{.collective = cell.collective, .bytes = cell.bytes}, cell.P()});
    CHECK(to_string(judgement.chosen.choice) == to_string(chosen));
    CHECK(judgement.excess() < 1.1);
  }
}

// A share of what `tutti verify --choices` goes through: nodes and ranks that are no powers of two,
// and ranks dealt out in turn.
TEST_CASE("what is chosen is at most a quarter slower than the best", "[decision]") {
  std::vector<double> excesses;
  for (const char* const name : {"hardware", "rxe", "boba", "metropolis"})
    for (const Layout layout : {Layout::blocks, Layout::in_turn})
      for (std::size_t c = 0; c < collectives::kCollectives; ++c)
        for (const int nodes : {1, 2, 5})
          for (const int each : {1, 3, 4})
            for (const Bytes bytes : {8, 4096, 65536}) {
              const Cell cell{static_cast<Collective>(c), nodes, each, bytes, layout};
              const bool once = cell.collective == Collective::barrier && bytes > 8;
              const bool same = layout == Layout::in_turn && (nodes == 1 || each == 1);
              if (cell.P() < 2 || once || same) continue;
              if (cell.P() > tests::unless_sanitized(20, 8)) continue;
              const Judgement judgement = judge(cell, tests::platform_named(name));
              excesses.push_back(judgement.excess());
              INFO(name << (layout == Layout::blocks ? " " : " in turn ")
                        << words(cell, judgement));
              CHECK(judgement.excess() <= 1.25);
            }
  std::sort(excesses.begin(), excesses.end());
  CHECK(excesses[excesses.size() / 2] < 1.005);
}

// Candidates of more steps, and alltoalls, take minutes, and no suite has them:
// `tutti verify --choices --nodes 16 --ppn 64 -m 8` judges them by hand.
TEST_CASE("what is chosen among a thousand ranks is at most a quarter slower", "[decision]") {
  int left_out = 0, played = 0;
  for (std::size_t c = 0; c < collectives::kCollectives; ++c)
    for (const auto& [nodes, each] : {std::pair{16, 64}, std::pair{128, 8}}) {
      if (tests::kSanitized || static_cast<Collective>(c) == Collective::alltoall) continue;
      const Cell cell{static_cast<Collective>(c), nodes, each, 8};
      const Judgement judgement = judge(cell, hardware(), {.most_steps = 30'000});
      left_out += static_cast<int>(judgement.left_out.size());
      played += judgement.played;
      INFO(words(cell, judgement));
      CHECK(judgement.excess() <= 1.25);
    }
  CHECK(3 * left_out <= played);
}

TEST_CASE("candidates that are not simulated are told", "[decision]") {
  const Cell cell{Collective::bcast, 2, 4, 65536};
  const Judgement best = judge(cell, hardware());
  CHECK(best.left_out.empty());
  CHECK(best.played > 10);
  const Judgement all = judge(cell, hardware(), {.all_parameters = true});
  CHECK(all.left_out.empty());
  CHECK(all.played > 2 * best.played);
  CHECK(all.best.simulated <= best.best.simulated);
  const Judgement none = judge(cell, hardware(), {.most_steps = 1});
  CHECK(none.played == 1);
  CHECK(static_cast<int>(none.left_out.size()) == best.played - 1);
}

TEST_CASE("where ranks are laid out changes what is played, and not what was asked", "[decision]") {
  Cell cell{Collective::allreduce, 4, 4, 65536};
  std::vector<double> times;
  for (const Layout layout : {Layout::blocks, Layout::in_turn, Layout::shuffled}) {
    cell.layout = layout;
    const Judgement judgement = judge(cell, hardware());
    INFO(words(cell, judgement));
    CHECK(judgement.played > 5);
    CHECK(judgement.excess() >= 1);
    CHECK(judgement.excess() < 1.6);
    times.push_back(judgement.best.simulated);
  }
  CHECK(times[0] <= times[1]);
}
