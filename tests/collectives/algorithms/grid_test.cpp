// BEO §5: a grid of ranks, rows first or columns first, by the ring or the bi-directional exchange,
// "with the MPI rank corresponding to a row-major or a column-major ordering".
#include <catch2/catch.hpp>

#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

constexpr Bytes kGridBlock = 64;
using Deliveries = std::vector<std::pair<Rank, Bytes>>;  // to whom, how much

Deliveries sent_by(const Schedule& schedule) {
  Deliveries sent;
  for (const Step& step : schedule.steps)
    if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source.length);
  return sent;
}

// R groups of C ranks, numbered group by group (row-major) or in turn (column-major).
struct Numbering {
  int R, C;
  bool column_major;
  Rank at(int row, int column) const {
    return column_major ? mod(column, C) * R + mod(row, R) : mod(row, R) * C + mod(column, C);
  }
  Problem problem(Collective collective) const {
    Problem problem{{.collective = collective, .bytes = kGridBlock, .element = 8}, R * C};
    for (Rank rank = 0; rank < R * C; ++rank)
      problem.node.push_back(column_major ? rank % R : rank / C);
    return problem;
  }
};

// Messages that the rank at `place` of a line of N sends in one phase, to the peer at(its place):
// it gathers blocks, scatters them (the reverse), or combines whole vectors.
enum class Kind { gathers, scatters, combines };
template <class At>
void say(Deliveries& text, Kind kind, bool exchange, int N, int place, Bytes bytes, At&& at) {
  if (!exchange) {
    for (int i = 0; i < N - 1; ++i)
      text.emplace_back(at(kind == Kind::scatters ? place - 1 : place + 1), bytes);
  } else if (kind == Kind::scatters) {
    for (int d = N / 2; d >= 1; d /= 2) text.emplace_back(at(place ^ d), d * bytes);
  } else {
    for (int d = 1; d < N; d *= 2)
      text.emplace_back(at(place ^ d), kind == Kind::gathers ? d * bytes : bytes);
  }
}

}  // namespace

// Bunyip: 4 groups of 24 nodes; measured with the sub-grid of 4 by 16.
TEST_CASE("BEO 5: each phase is the basis' pattern, however the ranks are numbered") {
  for (const auto& [collective, kind] : {std::pair{Collective::allgather, Kind::gathers},
                                         std::pair{Collective::reduce_scatter, Kind::scatters},
                                         std::pair{Collective::allreduce, Kind::combines}}) {
    for (const Numbering numbering : {Numbering{4, 24, false}, Numbering{4, 24, true},
                                      Numbering{4, 16, false}, Numbering{4, 16, true}}) {
      for (const bool exchange : {false, true}) {
        if (exchange && numbering.C == 24) continue;
        for (const bool rows_first : {true, false}) {
          const auto [R, C, column_major] = numbering;
          const std::string name = std::string{rows_first ? "rows-first" : "columns-first"} +
                                   (exchange ? "-exchange" : "");
          const auto all = build_all(name, numbering.problem(collective));
          for (int row = 0; row < R; ++row) {
            for (int column = 0; column < C; ++column) {
              INFO(name_of(collective) << ' ' << name << " R=" << R << " C=" << C << " row " << row
                                       << " column " << column << ' ' << column_major);
              // Unit of the longer phase: the blocks of a whole line, or an allreduce's vector.
              const bool whole = collective == Collective::allreduce;
              const Bytes line = whole ? kGridBlock : kGridBlock * (rows_first ? C : R);
              const Bytes other = whole ? kGridBlock : kGridBlock * (rows_first ? R : C);
              const bool scatters = kind == Kind::scatters;
              Deliveries text;
              for (const bool first : {true, false}) {
                const Bytes bytes =
                    scatters ? (first ? other : kGridBlock) : (first ? kGridBlock : line);
                if (first == rows_first)
                  say(text, kind, exchange, C, column, bytes,
                      [&, r = row](int c) { return numbering.at(r, c); });
                else
                  say(text, kind, exchange, R, row, bytes,
                      [&, c = column](int r) { return numbering.at(r, c); });
              }
              CHECK(sent_by(all[index(numbering.at(row, column))]) == text);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("BEO 5: 96 ranks in 4 groups send 2496 messages, and 288 leave their group") {
  for (const bool column_major : {false, true}) {
    const Numbering numbering{4, 24, column_major};
    const Problem problem = numbering.problem(Collective::allgather);
    for (const char* name : {"rows-first", "columns-first"}) {
      INFO(name << ' ' << column_major);
      const auto all = build_all(name, problem);
      CHECK(messages(all) == 2496);
      int leave = 0;
      Bytes longest = 0;
      for (const Schedule& schedule : all) {
        for (const auto& [to, bytes] : sent_by(schedule)) {
          if (problem.node[index(to)] == problem.node[index(schedule.rank)]) continue;
          ++leave;
          longest = std::max(longest, bytes);
        }
      }
      CHECK(leave == 96 * 3);
      // "only this approach avoided larger inter-group messages"
      CHECK(longest == (name == std::string{"rows-first"} ? 24 : 1) * kGridBlock);
    }
  }
}

TEST_CASE("a grid where nothing is known of groups, or they differ, is the squarest") {
  Problem problem = allgather_of(12, kGridBlock);
  for (const bool differ : {false, true}) {
    if (differ) problem.node = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
    const Deliveries sent = sent_by(build_all("rows-first", problem)[0]);
    CHECK(sent == Deliveries{{1, kGridBlock},
                             {1, kGridBlock},
                             {1, kGridBlock},
                             {4, 4 * kGridBlock},
                             {4, 4 * kGridBlock}});
  }
}
