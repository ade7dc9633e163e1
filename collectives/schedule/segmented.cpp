// Cutting a schedule into segments. Pure.
#include "collectives/schedule/segmented.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "collectives/schedule/pieces.hpp"

namespace tutti::collectives {
namespace {

bool conflict(const Step& a, const Step& b) noexcept {
  const bool a_reads = reads_source(a.kind), b_reads = reads_source(b.kind);
  const bool a_writes = writes_target(a.kind), b_writes = writes_target(b.kind);
  return (a_writes && b_reads && overlap(a.target, b.source)) ||
         (a_reads && b_writes && overlap(a.source, b.target)) ||
         (a_writes && b_writes && overlap(a.target, b.target));
}

Slice piece_of(Slice slice, Bytes segment, Bytes index) noexcept {
  slice.offset += index * segment;
  slice.length = std::min(segment, slice.length - index * segment);
  return slice;
}

// Both sides cut the same messages alike, so both count the ordinals of pieces in step-major order.
Pieces cut(const Schedule& whole, Bytes segment) {
  Pieces pieces;
  const auto pieces_of = [segment](const Step& step) {
    return std::max<Bytes>(1, divide_up(length_of(step), segment));
  };
  Bytes steps = 0;
  for (const Step& step : whole.steps) steps += pieces_of(step);
  check_steps(steps, segment);
  std::unordered_map<Rank, Ordinal> sent, received;  // pieces so far, by peer
  for (const Step& step : whole.steps) {
    pieces.first.push_back(static_cast<StepId>(pieces.steps.size()));
    const Bytes count = pieces_of(step);
    for (Bytes i = 0; i < count; ++i) {
      Step piece = step;
      if (piece.source.length != 0) piece.source = piece_of(step.source, segment, i);
      if (piece.target.length != 0) piece.target = piece_of(step.target, segment, i);
      if (is_message(step.kind))
        piece.ordinal = (receives(step.kind) ? received : sent)[step.peer]++;
      pieces.steps.push_back(piece);
      pieces.index.push_back(static_cast<std::uint32_t>(i));
    }
  }
  pieces.first.push_back(static_cast<StepId>(pieces.steps.size()));
  return pieces;
}

// The edge before → after between whole steps becomes edges between pieces that share bytes. If the
// edge means order without data, all pieces of `after` wait for all pieces of `before`; returns
// whether it does not.
bool cut_edge(const Schedule& whole, const Pieces& pieces, StepId before, StepId after,
              std::vector<Edge>& edges) {
  const Step &first = whole.steps[before], &second = whole.steps[after];
  const bool data = conflict(first, second);
  // Messages have one range each, so the pieces that meet a piece are adjacent.
  const bool one_range_each = is_message(first.kind) && is_message(second.kind);
  const StepId b_end = pieces.first[after + 1];
  // Pieces of `after` that end before the current piece of `before` need not be looked at again.
  StepId b_first = pieces.first[after];
  for (StepId a = pieces.first[before]; a < pieces.first[before + 1]; ++a) {
    bool met = false;
    for (StepId b = b_first; b < b_end; ++b) {
      if (!data || conflict(pieces.steps[a], pieces.steps[b])) {
        if (one_range_each && data && !met) b_first = b;
        met = true;
        edges.push_back({a, b});
      } else if (met && one_range_each) {
        break;
      }
    }
  }
  return data;
}

// A topological order that goes through the segments together: all first pieces, then all second
// ones. The executor tries ready steps in the order of their ids, and so it feeds all children of a
// tree segment by segment.
std::vector<StepId> segment_order(const Pieces& pieces, const std::vector<Edge>& edges) {
  const std::size_t count = pieces.steps.size();
  std::vector<std::uint32_t> waits(count), first(count + 1);
  std::vector<StepId> after(edges.size());
  for (const Edge& edge : edges) ++waits[edge.after], ++first[edge.before + 1];
  for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (const Edge& edge : edges) after[fill[edge.before]++] = edge.after;

  using Place = std::pair<std::uint32_t, StepId>;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;
  for (StepId id = 0; id < count; ++id) {
    if (waits[id] == 0) ready.push({pieces.index[id], id});
  }
  std::vector<StepId> order;
  while (!ready.empty()) {
    const StepId id = ready.top().second;
    ready.pop();
    order.push_back(id);
    for (std::uint32_t i = first[id]; i < first[id + 1]; ++i) {
      if (--waits[after[i]] == 0) ready.push({pieces.index[after[i]], after[i]});
    }
  }
  if (order.size() < count) throw std::logic_error("segments wait for each other in a circle");
  return order;
}

}  // namespace

void check_steps(Bytes steps, Bytes segment) {
  if (steps <= kMostSteps) return;
  throw Error(Code::algorithm_not_applicable,
              fmt::format("segments of {} bytes would cut this message into {} steps, more than "
                          "the {} there may be; choose longer segments",
                          segment, steps, kMostSteps));
}

Schedule segmented(Schedule whole, Bytes segment, Scratch scratch) {
  if (segment <= 0) return whole;
  const auto longer = [&](const Step& step) { return length_of(step) > segment; };
  if (std::none_of(whole.steps.begin(), whole.steps.end(), longer)) return whole;

  Pieces pieces = cut(whole, segment);
  std::vector<Edge> edges;
  bool by_bytes = true;
  for (StepId before = 0; before < whole.steps.size(); ++before) {
    for (StepId after : whole.successors_of(before))
      by_bytes &= cut_edge(whole, pieces, before, after, edges);
  }
  if (scratch == Scratch::folded) {
    hold_back(whole, pieces, edges);
    if (by_bytes) fold_scratch(whole, pieces, segment, edges);
  }
  const std::vector<StepId> order = segment_order(pieces, edges);
  std::vector<StepId> place(order.size());
  for (StepId i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (Edge& edge : edges) edge = {place[edge.before], place[edge.after]};
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.after, a.before) < std::pair(b.after, b.before);
  });

  whole.steps.clear();
  for (StepId id : order) whole.steps.push_back(pieces.steps[id]);
  link(whole, edges);
  return whole;
}

}  // namespace tutti::collectives
