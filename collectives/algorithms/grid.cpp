// Collectives on a grid of ranks: along its rows and along its columns, one after the other; BEO
// §5. The pattern of both phases is the paper's basis: the ring or the bi-directional exchange.
// Pure.
//
// A row is a node where all nodes have equally many ranks, whatever their numbers: if the ranks of
// a node are neighbours, the numbering is row-major; if they are dealt out in turn, column-major.
// Otherwise the grid is the squarest that P has, row-major, and for a prime P a single row.
#include <functional>

#include "base/error.hpp"
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

using Line = std::vector<Rank>;

// All ranks, line by line, and this rank's place. The lines are those along which the ranks send
// first; then those at the same place of all lines do.
struct Grid {
  std::vector<Line> lines;
  int line = 0, place = 0;
  Line across() const {
    Line all;
    all.reserve(lines.size());
    for (const Line& one : lines) all.push_back(one[index(place)]);
    return all;
  }
};

// The number of rows of the squarest grid of P ranks.
int rows_by_number(int P) {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= P; ++divisor)
    if (P % divisor == 0) rows = divisor;
  return rows;
}

std::vector<Line> rows_of(const Problem& problem) {
  if (problem.node.are_alike()) return problem.node.ranks();
  const int rows = rows_by_number(problem.P);
  std::vector<Line> all(index(rows));
  for (Rank rank = 0; rank < problem.P; ++rank)
    all[index(rank / (problem.P / rows))].push_back(rank);
  return all;
}

enum class First : std::uint8_t { rows, columns };

// One rank's row and column, in the order in which it sends along them, and its places there: all
// that it needs if whole vectors are combined, without a list of all ranks.
struct Crossing {
  struct Way {
    int length = 0, at = 0;
    std::function<Rank(int)> rank_of;  // by place; `problem` must outlive it
  } first, second;
};

Crossing crossing_of(const Problem& problem, First first) {
  Crossing::Way row, column;
  if (problem.node.are_alike()) {
    const std::vector<Line>& nodes = problem.node.ranks();
    const int node = problem.node[index(problem.rank)];
    const Line& mine = nodes[index(node)];
    const auto found = std::lower_bound(mine.begin(), mine.end(), problem.rank);
    row = {static_cast<int>(mine.size()), static_cast<int>(found - mine.begin()),
           [&mine](int place) { return mine[index(place)]; }};
    column = {static_cast<int>(nodes.size()), node,
              [&nodes, at = index(row.at)](int place) { return nodes[index(place)][at]; }};
  } else {
    const int rows = rows_by_number(problem.P), length = problem.P / rows;
    row = {length, problem.rank % length,
           [start = problem.rank - problem.rank % length](int place) { return start + place; }};
    column = {rows, problem.rank / length,
              [length, at = row.at](int place) { return place * length + at; }};
  }
  if (first == First::columns) std::swap(row, column);
  return {std::move(row), std::move(column)};
}

Grid grid_of(const Problem& problem, First first) {
  Grid grid{rows_of(problem)};
  if (first == First::columns) {
    std::vector<Line> columns(grid.lines.front().size());
    for (const Line& row : grid.lines)
      for (std::size_t c = 0; c < row.size(); ++c) columns[c].push_back(row[c]);
    grid.lines = std::move(columns);
  }
  for (const Line& line : grid.lines) {
    const auto found = std::find(line.begin(), line.end(), problem.rank);
    if (found == line.end()) continue;
    grid.line = static_cast<int>(&line - grid.lines.data());
    grid.place = static_cast<int>(found - line.begin());
  }
  return grid;
}

// One phase's problem: of the ranks of a line, of which this rank is the one at `place`.
Problem along(std::size_t length, int place, const Problem& problem) {
  Problem part = problem;
  part.P = static_cast<int>(length);
  part.rank = place;
  part.node.clear();
  part.counts.clear();
  return part;
}

// First the blocks of each line are gathered along it, then whole lines across: what has been
// gathered is one message. Where the blocks of a line are not neighbours in the output, they are
// gathered in scratch, P blocks, line by line.
Schedule gather(const Problem& problem, First first, Author basis) {
  const Grid grid = grid_of(problem, first);
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  Line order;
  std::vector<Bytes> lengths, of_lines;
  for (const Line& line : grid.lines) {
    order.insert(order.end(), line.begin(), line.end());
    of_lines.push_back(0);
    for (const Rank rank : line) {
      lengths.push_back(block[rank].length);
      of_lines.back() += lengths.back();
    }
  }
  const bool in_order = std::is_sorted(order.begin(), order.end());
  const Blocks held =
      in_order ? block
               : Blocks::sized(Buffer::scratch, 0, lengths).at(s.scratch(block.whole().length));
  const Line &line = grid.lines[index(grid.line)], across = grid.across();
  const int length = static_cast<int>(line.size()), start = grid.line * length;

  Problem part = along(line.size(), grid.place, problem);
  part.counts.assign(lengths.begin() + start, lengths.begin() + start + length);
  part.in_place = problem.in_place && in_order;
  s.play(basis(part, {}), s.input(), held.range(start, length), line);
  part = along(across.size(), grid.line, problem);
  part.counts = of_lines;
  part.in_place = true;
  s.play(basis(part, {}), {}, held.whole(), across);
  if (!in_order)
    for (int i = 0; i < problem.P; ++i) s.copy(held[i], block[order[index(i)]]);
  return s.finish();
}

// Whole vectors: the ranks of each line combine theirs, then the lines their results.
Schedule combine(const Problem& problem, First first, Author basis) {
  const auto ways = crossing_of(problem, first);
  const auto part_of = [&](const Crossing::Way& way, bool in_place) {
    Problem part = along(index(way.length), way.at, problem);
    part.in_place = in_place;
    Schedule schedule = basis(part, {});
    for (Step& step : schedule.steps)
      if (is_message(step.kind))  // the verifier refuses a peer outside of the line
        step.peer = step.peer >= 0 && step.peer < way.length ? way.rank_of(step.peer) : kNoPeer;
    return schedule;
  };
  Builder s = solve(problem);
  s.play(part_of(ways.first, problem.in_place), s.input(), s.output());
  s.play(part_of(ways.second, true), {}, s.output());
  return s.finish();
}

}  // namespace

// Rows first: with the ring C−1 rounds of single blocks, then R−1 of whole rows, where a row has C
// ranks and there are R rows; with the exchange log2 C + log2 R rounds (more if these are no powers
// of two). Few messages between nodes, long ones.
Schedule allgather_rows_first(const Problem& p, const Parameters&) {
  return gather(p, First::rows, allgather_ring);
}
Schedule allgather_rows_first_exchange(const Problem& p, const Parameters&) {
  return gather(p, First::rows, allgather_recursive_doubling);
}
// Columns first: between nodes single blocks only, then columns of R blocks within them.
Schedule allgather_columns_first(const Problem& p, const Parameters&) {
  return gather(p, First::columns, allgather_ring);
}
Schedule allgather_columns_first_exchange(const Problem& p, const Parameters&) {
  return gather(p, First::columns, allgather_recursive_doubling);
}

// The mirrors of the above, so that the phases change places: rows first is what combines along the
// rows first, whole columns, and sends single blocks between nodes. Commutative only.
Schedule reduce_scatter_rows_first(const Problem& p, const Parameters& q) {
  return mirror(allgather_columns_first, p, q);
}
Schedule reduce_scatter_rows_first_exchange(const Problem& p, const Parameters& q) {
  return mirror(allgather_columns_first_exchange, p, q);
}
Schedule reduce_scatter_columns_first(const Problem& p, const Parameters& q) {
  return mirror(allgather_rows_first, p, q);
}
Schedule reduce_scatter_columns_first_exchange(const Problem& p, const Parameters& q) {
  return mirror(allgather_rows_first_exchange, p, q);
}

// These send whole vectors, as the patterns of BEO §3.3 do for allreduce: C + R − 2 rounds of m
// bytes with the ring, with the exchange as many as above. Commutative only: a row has neighbours
// only where the numbering is row-major.
Schedule allreduce_rows_first(const Problem& p, const Parameters&) {
  return combine(p, First::rows, allreduce_ring_whole);
}
Schedule allreduce_rows_first_exchange(const Problem& p, const Parameters&) {
  return combine(p, First::rows, allreduce_recursive_multiplying);
}
Schedule allreduce_columns_first(const Problem& p, const Parameters&) {
  return combine(p, First::columns, allreduce_ring_whole);
}
Schedule allreduce_columns_first_exchange(const Problem& p, const Parameters&) {
  return combine(p, First::columns, allreduce_recursive_multiplying);
}

}  // namespace tutti::collectives
