// Scratch for a few segments instead of the whole message. Pure.
//
// Why no rank waits for ever, even if there is room for one message only between two ranks: what
// is done with segment i waits for what is done with segments before it (the place in a ring, the
// segment sent before), or with the same segment earlier in the algorithm (its bytes). It never
// waits for a later segment: these come to a full slot only after it, because the segments of a
// message are sent one after another. So there is no circle.
//
// That requires that all messages are cut alike, and that no rank sends another two messages:
// otherwise fold_scratch() does nothing.
#include <algorithm>
#include <map>

#include "base/bits.hpp"
#include "collectives/schedule/pieces.hpp"
#include "collectives/schedule/segmented.hpp"

namespace tutti::collectives {
namespace {

// A range of scratch, and the whole steps that use it; the first of them writes it.
struct Region {
  Slice slice;
  std::vector<StepId> steps;
  bool alike = true;  // no step uses a part of it only
};

std::vector<Region> regions_of(const Schedule& whole) {
  std::map<std::pair<Bytes, Bytes>, std::vector<StepId>> users;  // by offset and end
  for (StepId id = 0; id < whole.steps.size(); ++id) {
    for (const Slice& slice : {whole.steps[id].source, whole.steps[id].target}) {
      if (slice.length == 0 || slice.buffer != Buffer::scratch) continue;
      std::vector<StepId>& steps = users[{slice.offset, slice.end()}];
      if (steps.empty() || steps.back() != id) steps.push_back(id);
    }
  }
  std::vector<Region> regions;
  for (const auto& [range, steps] : users) {
    const Slice slice{Buffer::scratch, range.first, range.second - range.first};
    if (regions.empty() || slice.offset >= regions.back().slice.end()) {
      regions.push_back({slice, steps});
      continue;
    }
    Region& last = regions.back();
    last.slice.length = std::max(last.slice.end(), slice.end()) - last.slice.offset;
    last.alike = false;
    for (const StepId step : steps)
      if (std::find(last.steps.begin(), last.steps.end(), step) == last.steps.end())
        last.steps.push_back(step);
  }
  return regions;
}

// Have all messages that were cut the same pieces, and are there no two from one rank to another?
bool can_fold(const Schedule& whole, Bytes segment) {
  Bytes length = 0;
  for (const Step& step : whole.steps) {
    if (length_of(step) <= segment) continue;
    if (length != 0 && length_of(step) != length) return false;
    if (is_message(step.kind) && step.ordinal != 0) return false;
    length = length_of(step);
  }
  return true;
}

}  // namespace

// Segments are sent one after another; any other step works on segment i when it is done with
// segment i − kSegmentsHeld, so that the two can share a place.
void hold_back(const Schedule& whole, const Pieces& pieces, std::vector<Edge>& edges) {
  for (StepId id = 0; id < whole.steps.size(); ++id) {
    const std::uint32_t ahead = whole.steps[id].kind == StepKind::send ? 1 : kSegmentsHeld;
    for (StepId piece = pieces.first[id]; piece + ahead < pieces.first[id + 1]; ++piece)
      edges.push_back({piece, piece + ahead});
  }
}

// The first step that uses a region writes it: there, segment i takes the place of segment
// i − kSegmentsHeld, and so waits for all that use that one.
void fold_scratch(Schedule& whole, Pieces& pieces, Bytes segment, std::vector<Edge>& edges) {
  if (!can_fold(whole, segment)) return;
  const Bytes ring = kSegmentsHeld * segment;
  Bytes end = 0;  // of the regions so far, at their new places
  for (const Region& region : regions_of(whole)) {
    const bool folds = region.alike && region.slice.length > ring;
    const Bytes place = round_up(end, static_cast<Bytes>(kCacheLine));
    end = place + (folds ? ring : region.slice.length);
    const auto move = [&](Slice& slice, std::uint32_t segment_index) {
      if (slice.length == 0 || !overlap(slice, region.slice)) return;
      slice.offset += place - region.slice.offset;
      if (folds) slice.offset -= segment_index / kSegmentsHeld * ring;
    };
    const StepId writer = region.steps.front();
    for (const StepId user : region.steps) {
      for (StepId piece = pieces.first[user]; piece < pieces.first[user + 1]; ++piece) {
        const std::uint32_t i = pieces.index[piece];
        move(pieces.steps[piece].source, i);
        move(pieces.steps[piece].target, i);
        if (folds && user != writer && i + kSegmentsHeld < pieces.count(writer))
          edges.push_back({piece, pieces.first[writer] + i + kSegmentsHeld});
      }
    }
  }
  whole.scratch_bytes = end;
}

}  // namespace tutti::collectives
