// Follows where each byte came from, and which ranks have entered a barrier. Pure.
#include "collectives/analysis/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.hpp"
#include "collectives/analysis/form.hpp"

namespace tutti::collectives {
namespace {

// Where the next extent of either begins, or `end`. `l` and `r` go on to the extents there.
Bytes next_border(const std::vector<Extent>& left, std::size_t& l, const std::vector<Extent>& right,
                  std::size_t& r, Bytes end) noexcept {
  Bytes next = end;
  if (l + 1 < left.size()) next = std::min(next, left[l + 1].begin);
  if (r + 1 < right.size()) next = std::min(next, right[r + 1].begin);
  if (l + 1 < left.size() && left[l + 1].begin == next) ++l;
  if (r + 1 < right.size() && right[r + 1].begin == next) ++r;
  return next;
}

}  // namespace

Knowledge::Knowledge(const World& world, std::span<const Problem> problems)
    : world_(world), problems_(problems), values_(world.P()) {
  const int P = world.P();
  if (problems.front().collective == Collective::barrier) {
    words_ = divide_up(index(P), 64);
    heard_.assign(world.steps() * words_, 0);
    heard_at_exit_.assign(index(P) * words_, 0);
    for (Rank rank = 0; rank < P; ++rank) {
      const std::size_t word = index(rank) / 64;
      const std::uint64_t self = std::uint64_t{1} << (index(rank) % 64);
      heard_at_exit_[index(rank) * words_ + word] |= self;
      for (StepId id = 0; id < world.schedule(rank).steps.size(); ++id)
        heard({rank, id})[word] |= self;
    }
  }
  memories_.reserve(index(P));
  for (Rank rank = 0; rank < P; ++rank) {
    const Schedule& schedule = world.schedule(rank);
    const Problem& problem = problems[index(rank)];
    memories_.push_back({Origins{schedule.input_bytes}, Origins{schedule.output_bytes},
                         Origins{schedule.scratch_bytes}});
    Memory& memory = memories_.back();
    const UserBuffers user = user_buffers(problem);
    const Bytes mine = rank * kSpan;
    const Bytes room = std::max<Bytes>(schedule.output_bytes - user.input_within_output, 0);
    if (user.in_place)
      memory.output.write(user.input_within_output, std::min(user.input, room), {{0, mine}});
    else
      memory.input.write(0, schedule.input_bytes, {{0, mine}});
    if (problem.collective == Collective::bcast && problem.rank == problem.root)
      memory.output.write(0, schedule.output_bytes, {{0, mine}});
  }
}

Origins& Knowledge::buffer(Rank rank, Buffer which) noexcept {
  Memory& memory = memories_[index(rank)];
  return which == Buffer::input    ? memory.input
         : which == Buffer::output ? memory.output
                                   : memory.scratch;
}

// Both operands are extents of [0, length); the result has a border where either has one.
void Knowledge::combine(Place place, const std::vector<Extent>& left,
                        const std::vector<Extent>& right, Bytes length) {
  passing_.clear();
  std::size_t l = 0, r = 0;
  for (Bytes at = 0; at < length;) {
    const auto origin_at = [at](const Extent& extent) {
      return extent.origin == kUndefined ? kUndefined : extent.origin + at - extent.begin;
    };
    const Bytes a = origin_at(left[l]), b = origin_at(right[r]);
    Bytes origin = kUndefined;
    std::string why;
    if (a == kUndefined || b == kUndefined) {
      why = "an operand is not defined";
    } else if (a % kSpan != b % kSpan) {
      why = fmt::format("{} and {} are different places of the data", text(a), text(b));
    } else if (const auto value =
                   values_.combine(static_cast<Value>(a / kSpan), static_cast<Value>(b / kSpan))) {
      origin = *value * kSpan + a % kSpan;
    } else {
      why = fmt::format("a contribution comes twice: {} and {}", text(a), text(b));
    }
    if (!why.empty() && fault_.empty())
      fault_ =
          fmt::format("{}, byte {}: {}", describe(world_.schedule(place.rank), place.id), at, why);
    passing_.push_back({at, origin});
    at = next_border(left, l, right, r, length);
  }
}

void Knowledge::store(Place place, bool combines, const Slice& operand) {
  const Step& step = world_.step(place);
  if (combines) {
    operand_.swap(passing_);
    other_.clear();
    buffer(place.rank, operand.buffer).read(operand.offset, operand.length, other_);
    combine(place, step.reversed ? operand_ : other_, step.reversed ? other_ : operand_,
            step.target.length);
  }
  buffer(place.rank, step.target.buffer).write(step.target.offset, step.target.length, passing_);
}

void Knowledge::local(Place place) {
  const Step& step = world_.step(place);
  if (step.source.length == 0) return;
  passing_.clear();
  buffer(place.rank, step.source.buffer).read(step.source.offset, step.source.length, passing_);
  store(place, step.kind == StepKind::reduce, step.target);
}

void Knowledge::message(Place send, Place receive) {
  for (std::size_t w = 0; w < words_; ++w) heard(receive)[w] |= heard(send)[w];
  const Slice& source = world_.step(send).source;
  const Step& arrival = world_.step(receive);
  if (arrival.target.length == 0) return;
  passing_.clear();
  buffer(send.rank, source.buffer).read(source.offset, source.length, passing_);
  store(receive, arrival.kind == StepKind::recv_reduce, arrival.source);
}

void Knowledge::done(Place place) {
  if (words_ == 0) return;
  const std::uint64_t* mine = heard(place);
  for (std::size_t w = 0; w < words_; ++w)
    heard_at_exit_[index(place.rank) * words_ + w] |= mine[w];
  for (const StepId next : world_.schedule(place.rank).successors_of(place.id)) {
    for (std::size_t w = 0; w < words_; ++w) heard({place.rank, next})[w] |= mine[w];
  }
}

Verdict Knowledge::verdict() const {
  if (!fault_.empty()) return {Violation::wrong_result, fault_};
  if (problems_.front().collective == Collective::barrier) return barrier_verdict();
  for (Rank rank = 0; rank < world_.P(); ++rank) {
    Verdict verdict = data_verdict(rank);
    if (!verdict.ok()) return verdict;
  }
  return problems_.front().collective == Collective::allreduce ? same_bits_verdict() : Verdict{};
}

Verdict Knowledge::barrier_verdict() const {
  for (std::size_t rank = 0; rank < memories_.size(); ++rank) {
    for (std::size_t other = 0; other < memories_.size(); ++other) {
      if ((heard_at_exit_[rank * words_ + other / 64] >> (other % 64) & 1U) != 0) continue;
      return {Violation::wrong_result,
              fmt::format("rank {} can leave the barrier before rank {} enters it", rank, other)};
    }
  }
  return {};
}

std::vector<Knowledge::Promise> Knowledge::promises(Rank r) const {
  const Problem& problem = problems_[index(r)];
  const int P = problem.P;
  std::vector<Promise> all;
  switch (problem.collective) {
    case Collective::barrier: break;
    case Collective::bcast: all.push_back({0, problem.bytes, problem.root, 1, 0}); break;
    case Collective::scatter: {
      if (r == problem.root && problem.in_place) break;
      all.push_back(
          {0, block_bytes(problem, r), problem.root, 1, block_offset(Buffer::input, problem, r)});
      break;
    }
    case Collective::gather:
    case Collective::allgather: {
      if (problem.collective == Collective::gather && r != problem.root) break;
      const Blocks blocks = blocks_in(Buffer::output, problem);
      for (Rank from = 0; from < P; ++from)
        all.push_back({blocks[from].offset, blocks[from].length, from, 1, 0});
      break;
    }
    case Collective::alltoall: {
      const Blocks blocks = blocks_in(Buffer::output, problem);
      for (Rank from = 0; from < P; ++from) {
        const Bytes place = block_offset(Buffer::input, problems_[index(from)], r);
        all.push_back({blocks[from].offset, blocks[from].length, from, 1, place});
      }
      break;
    }
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return promises_of_neighbours(r);
    case Collective::reduce:
      if (r == problem.root) all.push_back({0, problem.bytes, 0, P, 0});
      break;
    case Collective::allreduce: all.push_back({0, problem.bytes, 0, P, 0}); break;
    case Collective::reduce_scatter: {
      all.push_back({0, block_bytes(problem, r), 0, P, block_offset(Buffer::input, problem, r)});
      break;
    }
    case Collective::scan: all.push_back({0, problem.bytes, 0, r + 1, 0}); break;
    case Collective::exscan:
      if (r != 0) all.push_back({0, problem.bytes, 0, r, 0});
      break;
  }
  return all;
}

std::vector<Knowledge::Promise> Knowledge::promises_of_neighbours(Rank r) const {
  const Problem& problem = problems_[index(r)];
  const Neighbourhood mine = neighbours_of(problem);
  const Blocks blocks = blocks_in(Buffer::output, problem);
  std::vector<Promise> all;
  for (int block = 0; block < static_cast<int>(mine.from.size()); ++block) {
    const Slice place = blocks[block];
    const Rank from = mine.from[index(block)];
    if (from == kNoNeighbour) {
      all.push_back({place.offset, place.length, r, 0, 0});
      continue;
    }
    const Problem& theirs = problems_[index(from)];
    const bool one = problem.collective == Collective::neighbor_allgather;
    const int source = one ? 0 : source_of(mine, r, block, neighbours_of(theirs));
    const bool match = source >= 0;  // else nothing can be right
    all.push_back({place.offset, place.length, from, 1,
                   match ? blocks_in(Buffer::input, theirs)[source].offset : kUndefined});
  }
  return all;
}

std::string Knowledge::text(Bytes origin) const {
  if (origin == kUndefined) return "nothing defined";
  return fmt::format("byte {} of {}", origin % kSpan,
                     values_.text(static_cast<Value>(origin / kSpan)));
}

Verdict Knowledge::data_verdict(Rank rank) const {
  const Problem& problem = problems_[index(rank)];
  const Schedule& schedule = world_.schedule(rank);
  const UserBuffers user = user_buffers(problem);
  const Bytes input = user.in_place ? 0 : user.input;
  if (schedule.output_bytes != user.output || schedule.input_bytes != input) {
    return {Violation::wrong_result,
            fmt::format(
                "rank {}: the schedule is for {} bytes of input and {} of output, not {} and {}",
                rank, schedule.input_bytes, schedule.output_bytes, input, user.output)};
  }
  std::vector<Extent> held;
  for (const Promise& promise : promises(rank)) {
    held.clear();
    memories_[index(rank)].output.read(promise.begin, promise.length, held);
    for (const Extent& extent : held) {
      const Bytes place = promise.place + extent.begin;
      if (promise.count == 0 && extent.origin == kUndefined) continue;
      if (extent.origin != kUndefined && extent.origin % kSpan == place &&
          values_.covers(static_cast<Value>(extent.origin / kSpan), promise.first, promise.count,
                         !problem.commutative, problem.left_fold))
        continue;
      return {Violation::wrong_result,
              fmt::format("rank {}: byte {} of the output holds {} instead of byte {} of {}{}",
                          rank, promise.begin + extent.begin, text(extent.origin), place,
                          promise.count == 0 ? "nobody"
                          : promise.count == 1
                              ? fmt::format("rank {}", promise.first)
                              : fmt::format("{} ranks from {} on", promise.count, promise.first),
                          problem.left_fold     ? " from left to right"
                          : problem.commutative ? ""
                                                : " in the order of ranks")};
    }
  }
  return {};
}

// Is every byte the same expression on all ranks? Then all ranks have the same bits.
Verdict Knowledge::same_bits_verdict() const {
  const Bytes length = problems_.front().bytes;
  std::vector<Extent> first, held;
  memories_.front().output.read(0, length, first);
  for (std::size_t rank = 1; rank < memories_.size(); ++rank) {
    held.clear();
    memories_[rank].output.read(0, length, held);
    std::size_t a = 0, b = 0;
    for (Bytes at = 0; at < length;) {
      const auto value = [](const Extent& extent) {
        return static_cast<Value>(extent.origin / kSpan);
      };
      if (!values_.same_bits(value(first[a]), value(held[b]), problems_.front().commutative)) {
        return {Violation::wrong_result,
                fmt::format("byte {} of the result is made in another order on rank {} than on "
                            "rank 0: their last bits may differ",
                            at, rank)};
      }
      at = next_border(first, a, held, b, length);
    }
  }
  return {};
}

}  // namespace tutti::collectives
