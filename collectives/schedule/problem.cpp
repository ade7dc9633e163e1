// Names of the collectives, and the shapes of their buffers. Pure.
#include "collectives/schedule/problem.hpp"

#include <array>
#include <numeric>

namespace tutti::collectives {
namespace {

constexpr std::array<std::string_view, kCollectives> kNames{"barrier",
                                                            "bcast",
                                                            "scatter",
                                                            "gather",
                                                            "allgather",
                                                            "alltoall",
                                                            "neighbor_allgather",
                                                            "neighbor_alltoall",
                                                            "reduce",
                                                            "allreduce",
                                                            "reduce_scatter",
                                                            "scan",
                                                            "exscan"};

Bytes sum(const std::vector<Bytes>& lengths, const Problem& problem) {
  if (problem.cut) return *problem.cut;
  return lengths.empty() ? problem.P * problem.bytes
                         : std::accumulate(lengths.begin(), lengths.end(), Bytes{0});
}

const std::vector<Bytes>& lengths_in(Buffer buffer, const Problem& p) noexcept {
  return p.collective == Collective::alltoall && (p.in_place || buffer == Buffer::output)
             ? p.receive_counts
             : p.counts;
}

Blocks even_parts(Buffer buffer, const Problem& p) {
  return Blocks::even({buffer, 0, *p.cut}, p.P, p.element);
}

Blocks blocks_of_neighbours(Buffer buffer, const Problem& p) {
  const std::vector<Bytes>& lengths = buffer == Buffer::input ? p.counts : p.receive_counts;
  if (!lengths.empty()) return Blocks::sized(buffer, 0, lengths);
  const Neighbourhood neighbours = neighbours_of(p);
  const std::size_t blocks = buffer == Buffer::output ? neighbours.from.size()
                             : p.collective == Collective::neighbor_allgather
                                 ? 1
                                 : neighbours.to.size();
  return Blocks::sized(buffer, 0, std::vector<Bytes>(blocks, p.bytes));
}

}  // namespace

std::span<const std::string_view> names_of_collectives() noexcept { return kNames; }

std::string_view name_of(Collective collective) noexcept { return kNames[index(collective)]; }

std::optional<Collective> collective_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Collective>(i);
  return std::nullopt;
}

Bytes block_bytes(const Problem& problem, Rank rank) noexcept {
  if (problem.cut) return even_parts(Buffer::input, problem)[rank].length;
  return problem.counts.empty() ? problem.bytes : problem.counts[index(rank)];
}

UserBuffers user_buffers(const Problem& p) {
  const bool root = p.rank == p.root;
  const auto block = [&] { return block_bytes(p, p.rank); };
  const auto start = [&] { return block_offset(Buffer::output, p, p.rank); };
  switch (p.collective) {
    case Collective::barrier: return {};
    case Collective::bcast: return {.output = p.bytes};
    case Collective::scatter:
      return {.input = root ? sum(p.counts, p) : 0, .output = root && p.in_place ? 0 : block()};
    case Collective::gather:
      if (!root) return {.input = block()};
      return {.input = block(),
              .output = sum(p.counts, p),
              .in_place = p.in_place,
              .input_within_output = p.in_place ? start() : 0};
    case Collective::allgather:
      return {.input = block(),
              .output = sum(p.counts, p),
              .in_place = p.in_place,
              .input_within_output = p.in_place ? start() : 0};
    case Collective::alltoall:
      return {.input = sum(p.in_place ? p.receive_counts : p.counts, p),
              .output = sum(p.receive_counts, p),
              .in_place = p.in_place};
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return {.input = blocks_in(Buffer::input, p).whole().length,
              .output = blocks_in(Buffer::output, p).whole().length};
    case Collective::reduce:
      return {.input = p.bytes, .output = root ? p.bytes : 0, .in_place = root && p.in_place};
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return {.input = p.bytes, .output = p.bytes, .in_place = p.in_place};
    case Collective::reduce_scatter:
      return {.input = sum(p.counts, p),
              .output = p.in_place ? sum(p.counts, p) : block(),
              .in_place = p.in_place};
  }
  return {};
}

Bytes block_offset(Buffer buffer, const Problem& p, Rank rank) noexcept {
  if (p.cut) return even_parts(buffer, p)[rank].offset;
  const std::vector<Bytes>& lengths = lengths_in(buffer, p);
  return lengths.empty() ? rank * p.bytes
                         : std::accumulate(lengths.begin(), lengths.begin() + rank, Bytes{0});
}

Blocks blocks_in(Buffer buffer, const Problem& p) {
  if (is_of_neighbours(p.collective)) return blocks_of_neighbours(buffer, p);
  if (p.cut) return even_parts(buffer, p);
  const std::vector<Bytes>& lengths = lengths_in(buffer, p);
  if (lengths.empty()) return Blocks::equal(buffer, p.P, p.bytes);
  return Blocks::sized(buffer, 0, lengths);
}

Neighbourhood neighbours_of(const Problem& problem) {
  return problem.neighbours ? *problem.neighbours : ring_of(problem.P, problem.rank);
}

}  // namespace tutti::collectives
