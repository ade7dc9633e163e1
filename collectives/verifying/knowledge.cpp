// Following bytes and causes. Pure.
#include "collectives/verifying/knowledge.hpp"

#include <fmt/format.h>

namespace tutti::collectives {

Knowledge::Knowledge(std::span<const Schedule> all_ranks, const Matching& matching, const Problem& problem)
    : ranks_(all_ranks), matching_(matching), problem_(problem) {
  if (problem.collective == Collective::barrier) {
    words_ = (all_ranks.size() + 63) / 64;
    heard_.assign(matching.partner.size() * words_, 0);
    heard_at_exit_.assign(all_ranks.size() * words_, 0);
    for (std::size_t rank = 0; rank < all_ranks.size(); ++rank) {
      const std::uint64_t self = std::uint64_t{1} << (rank % 64);
      heard_at_exit_[rank * words_ + rank / 64] |= self;
      for (StepId id = 0; id < all_ranks[rank].steps.size(); ++id) heard(rank, id)[rank / 64] |= self;
    }
  }
  memories_.reserve(all_ranks.size());
  for (const Schedule& schedule : all_ranks) {
    memories_.push_back({Origins{schedule.input_bytes}, Origins{schedule.output_bytes}, Origins{schedule.scratch_bytes}});
    Memory& memory = memories_.back();
    const Bytes mine = schedule.rank * problem.bytes;
    if (problem.collective == Collective::allgather && schedule.in_place) memory.output.write(mine, problem.bytes, {{0, mine}});
    if (problem.collective == Collective::allgather && !schedule.in_place) memory.input.write(0, problem.bytes, {{0, mine}});
    if (problem.collective == Collective::bcast && schedule.rank == problem.root) memory.output.write(0, problem.bytes, {{0, 0}});
  }
}

Origins& Knowledge::buffer(Memory& memory, Buffer which) noexcept {
  return which == Buffer::input ? memory.input : which == Buffer::output ? memory.output : memory.scratch;
}

void Knowledge::reduce_into(std::size_t rank, const Slice& target) {
  buffer(memories_[rank], target.buffer).write(target.offset, target.length, {{0, kUndefined}});
}

void Knowledge::local(std::size_t rank, StepId id) {
  const Step& step = ranks_[rank].steps[id];
  if (step.kind == StepKind::reduce) return reduce_into(rank, step.target);
  passing_.clear();
  buffer(memories_[rank], step.source.buffer).read(step.source.offset, step.source.length, passing_);
  buffer(memories_[rank], step.target.buffer).write(step.target.offset, step.target.length, passing_);
}

void Knowledge::message(std::size_t from, StepId send, std::size_t to, StepId receive) {
  for (std::size_t w = 0; w < words_; ++w) heard(to, receive)[w] |= heard(from, send)[w];
  const Slice& source = ranks_[from].steps[send].source;
  const Step& arrival = ranks_[to].steps[receive];
  if (arrival.target.length == 0) return;
  if (arrival.kind == StepKind::recv_reduce) return reduce_into(to, arrival.target);
  passing_.clear();
  buffer(memories_[from], source.buffer).read(source.offset, source.length, passing_);
  buffer(memories_[to], arrival.target.buffer).write(arrival.target.offset, arrival.target.length, passing_);
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
  if (problem_.collective == Collective::barrier) return barrier_verdict();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Verdict verdict = data_verdict(rank);
    if (!verdict.ok()) return verdict;
  }
  return {};
}

Verdict Knowledge::barrier_verdict() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (std::size_t other = 0; other < ranks_.size(); ++other) {
      if ((heard_at_exit_[rank * words_ + other / 64] >> (other % 64) & 1U) != 0) continue;
      return {Violation::wrong_result, fmt::format("rank {} can leave the barrier before rank {} enters it", rank, other)};
    }
  }
  return {};
}

// Both collectives promise the same: byte i of the output has origin i.
Verdict Knowledge::data_verdict(std::size_t rank) const {
  const Bytes promised = problem_.collective == Collective::allgather ? problem_.P * problem_.bytes : problem_.bytes;
  if (ranks_[rank].output_bytes != promised) {
    return {Violation::wrong_result, fmt::format("rank {}: the output has {} bytes, not {}", rank, ranks_[rank].output_bytes, promised)};
  }
  if (promised == 0) return {};
  for (const Run& run : memories_[rank].output.runs()) {
    if (run.origin == run.begin) continue;
    const auto name = [&](Bytes origin) {
      if (origin == kUndefined) return std::string{"nothing defined"};
      if (problem_.collective == Collective::bcast) return fmt::format("the root's byte {}", origin);
      return fmt::format("byte {} of rank {}", origin % problem_.bytes, origin / problem_.bytes);
    };
    return {Violation::wrong_result,
            fmt::format("rank {}: byte {} of the output holds {} instead of {}", rank, run.begin, name(run.origin), name(run.begin))};
  }
  return {};
}

}  // namespace tutti::collectives
