// Following bytes and causes. Pure.
#include "collectives/analysis/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::collectives {

Knowledge::Knowledge(std::span<const Schedule> all_ranks, const Matching& matching,
                     std::span<const Problem> problems)
    : ranks_(all_ranks),
      matching_(matching),
      problems_(problems),
      values_(static_cast<int>(all_ranks.size())) {
  if (problems.front().collective == Collective::barrier) {
    words_ = (all_ranks.size() + 63) / 64;
    heard_.assign(matching.partner.size() * words_, 0);
    heard_at_exit_.assign(all_ranks.size() * words_, 0);
    for (std::size_t rank = 0; rank < all_ranks.size(); ++rank) {
      const std::uint64_t self = std::uint64_t{1} << (rank % 64);
      heard_at_exit_[rank * words_ + rank / 64] |= self;
      for (StepId id = 0; id < all_ranks[rank].steps.size(); ++id)
        heard(rank, id)[rank / 64] |= self;
    }
  }
  memories_.reserve(all_ranks.size());
  for (std::size_t rank = 0; rank < all_ranks.size(); ++rank) {
    const Schedule& schedule = all_ranks[rank];
    memories_.push_back({Origins{schedule.input_bytes}, Origins{schedule.output_bytes},
                         Origins{schedule.scratch_bytes}});
    Memory& memory = memories_.back();
    const UserBuffers user = user_buffers(problems[rank]);
    const Bytes mine = static_cast<Bytes>(rank) * kSpan;
    if (user.in_place)
      memory.output.write(user.input_within_output,
                          std::min(user.input, schedule.output_bytes - user.input_within_output),
                          {{0, mine}});
    else
      memory.input.write(0, schedule.input_bytes, {{0, mine}});
    if (problems[rank].collective == Collective::bcast &&
        problems[rank].rank == problems[rank].root)
      memory.output.write(0, schedule.output_bytes, {{0, mine}});
  }
}

Origins& Knowledge::buffer(Memory& memory, Buffer which) noexcept {
  return which == Buffer::input    ? memory.input
         : which == Buffer::output ? memory.output
                                   : memory.scratch;
}

// Both as runs over [0, length): where either has a border, so has the result.
void Knowledge::combine(std::size_t rank, StepId id, const std::vector<Run>& left,
                        const std::vector<Run>& right, Bytes length) {
  passing_.clear();
  std::size_t l = 0, r = 0;
  for (Bytes at = 0; at < length;) {
    const auto origin_at = [at](const Run& run) {
      return run.origin == kUndefined ? kUndefined : run.origin + at - run.begin;
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
      fault_ = fmt::format("{}, byte {}: {}", collectives::describe(ranks_[rank], id), at, why);
    passing_.push_back({at, origin});
    Bytes next = length;
    if (l + 1 < left.size()) next = std::min(next, left[l + 1].begin);
    if (r + 1 < right.size()) next = std::min(next, right[r + 1].begin);
    at = next;
    if (l + 1 < left.size() && left[l + 1].begin == at) ++l;
    if (r + 1 < right.size() && right[r + 1].begin == at) ++r;
  }
}

void Knowledge::local(std::size_t rank, StepId id) {
  const Step& step = ranks_[rank].steps[id];
  if (step.source.length == 0) return;
  passing_.clear();
  buffer(memories_[rank], step.source.buffer)
      .read(step.source.offset, step.source.length, passing_);
  if (step.kind == StepKind::reduce) {
    operand_.swap(passing_);
    other_.clear();
    buffer(memories_[rank], step.target.buffer)
        .read(step.target.offset, step.target.length, other_);
    combine(rank, id, step.reversed ? operand_ : other_, step.reversed ? other_ : operand_,
            step.target.length);
  }
  buffer(memories_[rank], step.target.buffer)
      .write(step.target.offset, step.target.length, passing_);
}

void Knowledge::message(std::size_t from, StepId send, std::size_t to, StepId receive) {
  for (std::size_t w = 0; w < words_; ++w) heard(to, receive)[w] |= heard(from, send)[w];
  const Slice& source = ranks_[from].steps[send].source;
  const Step& arrival = ranks_[to].steps[receive];
  if (arrival.target.length == 0) return;
  passing_.clear();
  buffer(memories_[from], source.buffer).read(source.offset, source.length, passing_);
  if (arrival.kind == StepKind::recv_reduce) {
    operand_.swap(passing_);
    other_.clear();
    buffer(memories_[to], arrival.source.buffer)
        .read(arrival.source.offset, arrival.source.length, other_);
    combine(to, receive, arrival.reversed ? operand_ : other_, arrival.reversed ? other_ : operand_,
            arrival.target.length);
  }
  buffer(memories_[to], arrival.target.buffer)
      .write(arrival.target.offset, arrival.target.length, passing_);
}

void Knowledge::done(std::size_t rank, StepId id) {
  if (words_ == 0) return;
  const std::uint64_t* mine = heard(rank, id);
  for (std::size_t w = 0; w < words_; ++w) heard_at_exit_[rank * words_ + w] |= mine[w];
  for (StepId next : ranks_[rank].successors_of(id)) {
    for (std::size_t w = 0; w < words_; ++w) heard(rank, next)[w] |= mine[w];
  }
}

Verdict Knowledge::verdict() const {
  if (!fault_.empty()) return {Violation::wrong_result, fault_};
  if (problems_.front().collective == Collective::barrier) return barrier_verdict();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Verdict verdict = data_verdict(rank);
    if (!verdict.ok()) return verdict;
  }
  return problems_.front().collective == Collective::allreduce ? same_bits_verdict() : Verdict{};
}

Verdict Knowledge::barrier_verdict() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (std::size_t other = 0; other < ranks_.size(); ++other) {
      if ((heard_at_exit_[rank * words_ + other / 64] >> (other % 64) & 1U) != 0) continue;
      return {Violation::wrong_result,
              fmt::format("rank {} can leave the barrier before rank {} enters it", rank, other)};
    }
  }
  return {};
}

std::vector<Knowledge::Promise> Knowledge::promises(std::size_t rank) const {
  const Problem& problem = problems_[rank];
  const int P = problem.P;
  const auto r = static_cast<Rank>(rank);
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
        const Bytes place =
            block_offset(Buffer::input, problems_[static_cast<std::size_t>(from)], r);
        all.push_back({blocks[from].offset, blocks[from].length, from, 1, place});
      }
      break;
    }
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

std::string Knowledge::text(Bytes origin) const {
  if (origin == kUndefined) return "nothing defined";
  return fmt::format("byte {} of {}", origin % kSpan,
                     values_.text(static_cast<Value>(origin / kSpan)));
}

Verdict Knowledge::data_verdict(std::size_t rank) const {
  const Problem& problem = problems_[rank];
  const UserBuffers user = user_buffers(problem);
  const Bytes input = user.in_place ? 0 : user.input;
  if (ranks_[rank].output_bytes != user.output || ranks_[rank].input_bytes != input) {
    return {Violation::wrong_result,
            fmt::format(
                "rank {}: the schedule is for {} bytes of input and {} of output, not {} and {}",
                rank, ranks_[rank].input_bytes, ranks_[rank].output_bytes, input, user.output)};
  }
  std::vector<Run> held;
  for (const Promise& promise : promises(rank)) {
    held.clear();
    memories_[rank].output.read(promise.begin, promise.length, held);
    for (const Run& run : held) {
      const Bytes place = promise.place + run.begin;
      if (run.origin != kUndefined && run.origin % kSpan == place &&
          values_.covers(static_cast<Value>(run.origin / kSpan), promise.first, promise.count,
                         !problem.commutative, problem.left_fold))
        continue;
      return {Violation::wrong_result,
              fmt::format("rank {}: byte {} of the output holds {} instead of byte {} of {}{}",
                          rank, promise.begin + run.begin, text(run.origin), place,
                          promise.count == 1
                              ? fmt::format("rank {}", promise.first)
                              : fmt::format("{} ranks from {} on", promise.count, promise.first),
                          problem.left_fold     ? " from left to right"
                          : problem.commutative ? ""
                                                : " in the order of ranks")};
    }
  }
  return {};
}

// Every rank's bytes are the same expression, so all have the same bits.
Verdict Knowledge::same_bits_verdict() const {
  const Bytes length = problems_.front().bytes;
  std::vector<Run> first, held;
  memories_.front().output.read(0, length, first);
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    held.clear();
    memories_[rank].output.read(0, length, held);
    std::size_t a = 0, b = 0;
    for (Bytes at = 0; at < length;) {
      const auto value = [](const Run& run) { return static_cast<Value>(run.origin / kSpan); };
      if (!values_.same_bits(value(first[a]), value(held[b]), problems_.front().commutative)) {
        return {Violation::wrong_result,
                fmt::format("byte {} of the result is made in another order on rank {} than on "
                            "rank 0: their last bits may differ",
                            at, rank)};
      }
      Bytes next = length;
      if (a + 1 < first.size()) next = std::min(next, first[a + 1].begin);
      if (b + 1 < held.size()) next = std::min(next, held[b + 1].begin);
      at = next;
      if (a + 1 < first.size() && first[a + 1].begin == at) ++a;
      if (b + 1 < held.size() && held[b + 1].begin == at) ++b;
    }
  }
  return {};
}

}  // namespace tutti::collectives
