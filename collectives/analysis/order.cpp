// A sweep over each buffer finds who touches which bytes; reachability in the graph of steps says
// who waits for whom.
//
// If a₁, a₂, … touch a byte, in a topological order, it is enough to ask: does each read wait for
// the write before it, and does each write wait for the reads since the write before it (for that
// write itself if there are none)? The order of all other pairs follows, and if any pair is
// unordered, so is one of these.
#include "collectives/analysis/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collectives/analysis/form.hpp"

namespace tutti::collectives {
namespace {

struct Access {
  Bytes begin, end;
  std::uint32_t position;  // in the topological order
  StepId step;
  bool writes;
};

// The place of each step in a topological order; nothing if steps wait for each other in a circle.
std::optional<std::vector<std::uint32_t>> topological_positions(const Schedule& schedule) {
  std::vector<std::uint32_t> position(schedule.steps.size()), waits(schedule.steps.size());
  std::vector<StepId> order;
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    waits[id] = schedule.steps[id].predecessors;
    if (waits[id] == 0) order.push_back(id);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = static_cast<std::uint32_t>(i);
    for (StepId next : schedule.successors_of(order[i])) {
      if (--waits[next] == 0) order.push_back(next);
    }
  }
  if (order.size() != schedule.steps.size()) return std::nullopt;
  return position;
}

// Does one step wait for another, directly or not? Mostly an edge answers that. For the rest a bit
// matrix of all ancestors is made once; beyond kLargestMatrix steps it would be too large, and the
// graph is searched.
class Reachability {
 public:
  Reachability(const Schedule& schedule, const std::vector<std::uint32_t>& position)
      : schedule_(schedule), position_(position) {}

  bool reaches(StepId from, StepId to) {
    const auto next = schedule_.successors_of(from);
    const auto first_few = next.first(std::min(next.size(), kScan));
    if (std::find(first_few.begin(), first_few.end(), to) != first_few.end()) return true;
    if (schedule_.steps.size() > kLargestMatrix) return search(from, to);
    if (ancestors_.empty()) make_matrix();
    return (ancestors_[to * words_ + from / 64] >> (from % 64) & 1U) != 0;
  }

 private:
  static constexpr std::size_t kScan = 8;
  static constexpr std::size_t kLargestMatrix = 16384;  // 32 MiB

  void make_matrix() {
    const std::size_t count = schedule_.steps.size();
    words_ = (count + 63) / 64;
    ancestors_.assign(count * words_, 0);
    std::vector<StepId> order(count);
    for (StepId id = 0; id < count; ++id) order[position_[id]] = id;
    for (StepId id : order) {
      for (StepId next : schedule_.successors_of(id)) {
        for (std::size_t w = 0; w < words_; ++w)
          ancestors_[next * words_ + w] |= ancestors_[id * words_ + w];
        ancestors_[next * words_ + id / 64] |= std::uint64_t{1} << (id % 64);
      }
    }
  }

  bool search(StepId from, StepId to) {
    seen_.resize(schedule_.steps.size());
    ++search_;
    std::vector<StepId> stack{from};
    while (!stack.empty()) {
      const StepId id = stack.back();
      stack.pop_back();
      for (StepId next : schedule_.successors_of(id)) {
        if (next == to) return true;
        if (position_[next] > position_[to] || seen_[next] == search_) continue;
        seen_[next] = search_;
        stack.push_back(next);
      }
    }
    return false;
  }

  const Schedule& schedule_;
  const std::vector<std::uint32_t>& position_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> ancestors_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t search_ = 0;
};

std::vector<Access> accesses(const Schedule& schedule, Buffer buffer,
                             const std::vector<std::uint32_t>& position) {
  std::vector<Access> all;
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    const Step& step = schedule.steps[id];
    const auto touch = [&](const Slice& slice, bool writes) {
      if (slice.length != 0 && slice.buffer == buffer)
        all.push_back({slice.offset, slice.end(), position[id], id, writes});
    };
    // If the operand is also the result, one step reads and writes it byte by byte; what a write
    // must wait for is enough then.
    const bool in_place = step.kind == StepKind::recv_reduce && step.source == step.target;
    if (reads_source(step.kind) && !in_place) touch(step.source, false);
    if (writes_target(step.kind)) touch(step.target, true);
  }
  return all;
}

// Two steps, neither of which waits for the other, among those that touch one byte; these come in a
// topological order.
std::optional<std::pair<StepId, StepId>> unordered_pair(const std::vector<Access>& touching,
                                                        Reachability& graph) {
  std::optional<StepId> write;
  std::vector<StepId> reads;  // since that write
  for (const Access& access : touching) {
    if (!access.writes) {
      if (write && !graph.reaches(*write, access.step)) return std::pair{*write, access.step};
      reads.push_back(access.step);
      continue;
    }
    for (StepId read : reads) {
      if (read == access.step || !graph.reaches(read, access.step))
        return std::pair{read, access.step};
    }
    if (reads.empty() && write && !graph.reaches(*write, access.step))
      return std::pair{*write, access.step};
    write = access.step;
    reads.clear();
  }
  return std::nullopt;
}

Verdict check_buffer(const Schedule& schedule, Buffer buffer,
                     const std::vector<std::uint32_t>& position, Reachability& graph) {
  std::vector<Access> by_begin = accesses(schedule, buffer, position);
  if (std::none_of(by_begin.begin(), by_begin.end(), [](const Access& a) { return a.writes; }))
    return {};
  std::vector<Access> by_end = by_begin;
  std::sort(by_begin.begin(), by_begin.end(),
            [](const Access& a, const Access& b) { return a.begin < b.begin; });
  std::sort(by_end.begin(), by_end.end(),
            [](const Access& a, const Access& b) { return a.end < b.end; });
  // A step reads before it writes.
  const auto before = [](const Access& a, const Access& b) {
    return a.position != b.position ? a.position < b.position : a.writes < b.writes;
  };

  std::vector<Access> touching;  // the current byte, in topological order
  std::size_t opened = 0, closed = 0;
  while (opened < by_begin.size()) {
    const Bytes byte = by_begin[opened].begin;
    for (; closed < by_end.size() && by_end[closed].end <= byte; ++closed) {
      touching.erase(std::lower_bound(touching.begin(), touching.end(), by_end[closed], before));
    }
    for (; opened < by_begin.size() && by_begin[opened].begin == byte; ++opened) {
      touching.insert(std::lower_bound(touching.begin(), touching.end(), by_begin[opened], before),
                      by_begin[opened]);
    }
    // New pairs come only where something begins, so it is enough to look there.
    if (const auto pair = unordered_pair(touching, graph)) {
      return {Violation::unordered_overlap,
              fmt::format(
                  "{} and step {} ({}) both touch byte {} of {}, and neither waits for the other",
                  describe(schedule, pair->first), pair->second,
                  name_of(schedule.steps[pair->second].kind), byte, name_of(buffer))};
    }
  }
  return {};
}

}  // namespace

Verdict check_order(const Schedule& schedule) {
  const auto position = topological_positions(schedule);
  if (!position) {
    return {
        Violation::deadlock,
        fmt::format("rank {}: some of its steps wait for each other in a circle", schedule.rank)};
  }
  Reachability graph{schedule, *position};
  for (Buffer buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
    Verdict verdict = check_buffer(schedule, buffer, *position, graph);
    if (!verdict.ok()) return verdict;
  }
  return {};
}

}  // namespace tutti::collectives
