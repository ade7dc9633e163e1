// Reference results of every collective, computed plainly: a rank's buffers before, and its output
// after. For tests that run schedules.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "collectives/schedule/problem.hpp"
#include "base/combine.hpp"

namespace tutti::tests {

using collectives::Collective;
using collectives::Problem;

// Byte i of a rank's contribution.
inline std::byte data_of(int rank, Bytes i) {
  return static_cast<std::byte>((i * 7 + i / 251 + rank * 31 + 5) & 0xff);
}

// The two reductions of tests, on elements of four bytes. The commutative one adds numbers of 32
// bits. The other composes maps x → ax + b, where a and b have 16 bits each, and applies the left
// operand last: it is associative, but not commutative.
inline constexpr Bytes kElement = 4;
inline void reduce_elements(const void* commutative, const void* left, const void* right, void* out,
                            Bytes bytes) {
  for (Bytes at = 0; at < bytes; at += kElement) {
    const auto load = [at](const void* from, auto& to) {
      std::memcpy(&to, static_cast<const std::byte*>(from) + at, sizeof to);
    };
    std::byte* const place = static_cast<std::byte*>(out) + at;
    if (*static_cast<const bool*>(commutative)) {
      std::uint32_t a, b;
      load(left, a), load(right, b);
      a += b;
      std::memcpy(place, &a, sizeof a);
    } else {
      std::uint16_t a[2], b[2];
      load(left, a), load(right, b);
      const std::uint16_t result[2] = {static_cast<std::uint16_t>(a[0] * b[0]),
                                       static_cast<std::uint16_t>(a[0] * b[1] + a[1])};
      std::memcpy(place, result, sizeof result);
    }
  }
}
inline Combine combine_of(const Problem& problem) {
  return {reduce_elements, &problem.commutative};
}

class Buffers {
 public:
  explicit Buffers(const Problem& problem) : problem_(problem) {
    const collectives::UserBuffers user = user_buffers(problem);
    output.assign(index(user.output), std::byte{0xEE});
    std::byte* mine = output.data() + user.input_within_output;
    Bytes length = user.input;
    if (!user.in_place) {
      input.resize(index(user.input));
      mine = input.data();
    }
    if (problem.collective == Collective::bcast && problem.rank == problem.root)
      mine = output.data(), length = user.output;
    for (Bytes i = 0; i < length; ++i) mine[i] = data_of(problem.rank, i);
  }

  // Is the output what the collective promises? `all`: the problems of all ranks.
  bool right(std::span<const Problem> all) const {
    const Problem& p = problem_;
    const auto holds = [&](Bytes at, const std::vector<std::byte>& expected) {
      return expected.empty() ||
             std::memcmp(output.data() + at, expected.data(), expected.size()) == 0;
    };
    const auto of = [&](int rank, Bytes place, Bytes length) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(length));
      for (Bytes i = 0; i < length; ++i) bytes[index(i)] = data_of(rank, place + i);
      return bytes;
    };
    const auto reduced = [&](int end, Bytes place, Bytes length) {
      std::vector<std::byte> sum = of(0, place, length);
      for (int rank = 1; rank < end; ++rank)
        reduce_elements(&p.commutative, sum.data(), of(rank, place, length).data(), sum.data(),
                        length);
      return sum;
    };
    switch (p.collective) {
      case Collective::barrier: return true;
      case Collective::bcast: return holds(0, of(p.root, 0, p.bytes));
      case Collective::scatter:
        return (p.in_place && p.rank == p.root) ||
               holds(0, of(p.root, block_offset(collectives::Buffer::input, p, p.rank),
                           block_bytes(p, p.rank)));
      case Collective::gather:
        if (p.rank != p.root) return true;
        [[fallthrough]];
      case Collective::allgather:
      case Collective::alltoall: {
        const collectives::Blocks blocks = blocks_in(collectives::Buffer::output, p);
        for (int from = 0; from < p.P; ++from) {
          const Bytes place =
              p.collective == Collective::alltoall
                  ? block_offset(collectives::Buffer::input, all[index(from)], p.rank)
                  : 0;
          if (!holds(blocks[from].offset, of(from, place, blocks[from].length))) return false;
        }
        return true;
      }
      case Collective::neighbor_allgather:
      case Collective::neighbor_alltoall: return has_neighbours_blocks(all);
      case Collective::reduce: return p.rank != p.root || holds(0, reduced(p.P, 0, p.bytes));
      case Collective::allreduce: return holds(0, reduced(p.P, 0, p.bytes));
      case Collective::reduce_scatter:
        return holds(0, reduced(p.P, block_offset(collectives::Buffer::input, p, p.rank),
                                block_bytes(p, p.rank)));
      case Collective::scan: return holds(0, reduced(p.rank + 1, 0, p.bytes));
      case Collective::exscan: return p.rank == 0 || holds(0, reduced(p.rank, 0, p.bytes));
    }
    return false;
  }

  // As a program may, once the call has failed: whoever reads them later gets nothing of use.
  void poison() {
    std::fill(input.begin(), input.end(), std::byte{0xBD});
    std::fill(output.begin(), output.end(), std::byte{0xBD});
  }

  std::vector<std::byte> input, output;

 private:
  // Edge by edge: of those between two ranks, the n-th that leaves one is the n-th at the other.
  bool has_neighbours_blocks(std::span<const Problem> all) const {
    const collectives::Neighbourhood mine = neighbours_of(problem_);
    const collectives::Blocks blocks = blocks_in(collectives::Buffer::output, problem_);
    std::vector<int> met(all.size(), 0);
    for (int i = 0; i < static_cast<int>(mine.from.size()); ++i) {
      const int block = mine.crossed ? (i % 2 == 0 ? i + 1 : i - 1) : i;
      const Rank from = mine.from[index(block)];
      const std::byte* const found = output.data() + blocks[block].offset;
      const auto holds = [&](auto&& expected) {
        for (Bytes at = 0; at < blocks[block].length; ++at)
          if (found[at] != expected(at)) return false;
        return true;
      };
      if (from == collectives::kNoNeighbour) {
        if (!holds([](Bytes) { return std::byte{0xEE}; })) return false;
        continue;
      }
      const Problem& theirs = all[index(from)];
      const std::vector<Rank> to = neighbours_of(theirs).to;
      int number = 0;
      for (int skip = met[index(from)]++; to[index(number)] != problem_.rank || skip-- > 0;)
        ++number;
      if (theirs.collective == Collective::neighbor_allgather) number = 0;
      const Bytes begin = blocks_in(collectives::Buffer::input, theirs)[number].offset;
      if (!holds([&](Bytes at) { return data_of(from, begin + at); })) return false;
    }
    return true;
  }

  Problem problem_;
};

}  // namespace tutti::tests
