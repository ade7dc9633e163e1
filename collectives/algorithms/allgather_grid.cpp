// Allgather on a grid of ranks: along the rows and along the columns, one after the other; BEO §5.
// A row is a node where all nodes have equally many neighbouring ranks; else the grid is the
// squarest that P has, and for a prime P a single ring. Pure.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

int columns_of(const Problem& problem) {
  const auto& node = problem.node;
  const auto nodes =
      std::find_if(node.begin(), node.end(), [](int n) { return n != 0; }) - node.begin();
  const int per_node = static_cast<int>(nodes);
  bool even = !node.empty() && problem.P % per_node == 0;
  for (int rank = 0; even && rank < problem.P; ++rank) even = node[index(rank)] == rank / per_node;
  if (even) return per_node;
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= problem.P; ++divisor)
    if (problem.P % divisor == 0) rows = divisor;
  return problem.P / rows;
}

struct Grid {
  int C, R, row, column;  // columns and rows, and this rank's place
  Rank at(int r, int c) const { return mod(r, R) * C + mod(c, C); }
};
Grid grid_of(const Problem& problem) {
  const int C = columns_of(problem);
  return {C, problem.P / C, problem.rank / C, problem.rank % C};
}

}  // namespace

// A ring of single blocks along each row, C-1 rounds, then one of whole rows along each column,
// P/C-1 rounds.
Schedule allgather_rows_first(const Problem& problem, const Parameters&) {
  const Grid grid = grid_of(problem);
  const auto [C, R, row, column] = grid;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  for (int i = 0; i < C - 1; ++i) {
    s.send(grid.at(row, column + 1), i == 0 ? s.input() : block[grid.at(row, column - i)]);
    s.recv(grid.at(row, column - 1), block[grid.at(row, column - i - 1)]);
  }
  s.copy(s.input(), block[problem.rank]);
  for (int i = 0; i < R - 1; ++i) {
    s.send(grid.at(row + 1, column), block.range(grid.at(row - i, 0), C));
    s.recv(grid.at(row - 1, column), block.range(grid.at(row - i - 1, 0), C));
  }
  return s.finish();
}

// A ring of single blocks along each column, P/C-1 rounds: so messages between nodes are short.
// Then one of whole columns along each row, C-1 rounds. A column's blocks are not neighbours in the
// output: they travel packed, at one of two places by turns.
Schedule allgather_columns_first(const Problem& problem, const Parameters&) {
  const Grid grid = grid_of(problem);
  const auto [C, R, row, column] = grid;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  for (int i = 0; i < R - 1; ++i) {
    s.send(grid.at(row + 1, column), i == 0 ? s.input() : block[grid.at(row - i, column)]);
    s.recv(grid.at(row - 1, column), block[grid.at(row - i - 1, column)]);
  }
  s.copy(s.input(), block[problem.rank]);
  if (C == 1) return s.finish();
  std::vector<Blocks> columns;
  Bytes longest = 0;
  for (int c = 0; c < C; ++c) {
    std::vector<Bytes> lengths;
    lengths.reserve(index(R));
    for (int of = 0; of < R; ++of) lengths.push_back(block[grid.at(of, c)].length);
    columns.push_back(Blocks::sized(Buffer::scratch, 0, lengths));
    longest = std::max(longest, columns.back().whole().length);
  }
  const Slice places[2] = {s.scratch(longest), s.scratch(longest)};
  // The column that is sent in round i.
  const auto packed = [&, mine = column, count = C](int i) {
    const Blocks& blocks = columns[index(mod(mine - i, count))];
    return blocks.at({Buffer::scratch, places[i % 2].offset, blocks.whole().length});
  };
  for (int of = 0; of < R; ++of) s.copy(block[grid.at(of, column)], packed(0)[of]);
  for (int i = 0; i < C - 1; ++i) {
    s.send(grid.at(row, column + 1), packed(i).whole());
    s.recv(grid.at(row, column - 1), packed(i + 1).whole());
    for (int of = 0; of < R; ++of) s.copy(packed(i + 1)[of], block[grid.at(of, column - i - 1)]);
  }
  return s.finish();
}

}  // namespace tutti::collectives
