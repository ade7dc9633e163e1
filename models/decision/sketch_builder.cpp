// Counts whom the ranks of a sketch speak to, over its stages and levels. Pure.
#include "models/decision/sketch_builder.hpp"

#include <algorithm>

namespace tutti::models {

SketchBuilder::SketchBuilder(Sketch& sketch, const Topology& place)
    : sketch_(sketch), place_(place) {
  sketch.stages.clear();
  sketch.step.clear();
  sketch = {.stages = std::move(sketch.stages), .step = std::move(sketch.step)};
}

void SketchBuilder::level(const Topology& place) {
  place_ = place;
  has_levels_ = true;
  other_levels_ += std::exchange(peers_, 0);
}

Stage& SketchBuilder::add(Bytes bytes) {
  sketch_.stages.push_back({});
  sketch_.stages.back().bytes = bytes;
  return sketch_.stages.back();
}

void SketchBuilder::meets(double peers) {
  peers_ = std::max(peers_, static_cast<int>(std::min<double>(peers, place_.P - 1)));
  sketch_.peers = other_levels_ + peers_;
}

// The leader of a node may be the rank that sends to most on each level.
void SketchBuilder::sends_to(const Count& ranks) {
  Count& most = sketch_.destinations;
  most = {std::max(most.near, ranks.near), std::max(most.far, ranks.far)};
  sketch_.most_destinations =
      has_levels_ ? most.both() : std::max(sketch_.most_destinations, ranks.both());
}

void SketchBuilder::sends_anew(std::size_t first_stage) {
  Count sum;
  for (std::size_t i = first_stage; i < sketch_.stages.size(); ++i) {
    sum.near += sketch_.stages[i].out.near;
    sum.far += sketch_.stages[i].out.far;
  }
  sends_to(sum);
}

void SketchBuilder::copies(double bytes) {
  if (sketch_.stages.empty()) return;
  Stage& last = sketch_.stages.back();
  last.copied += bytes / last.rounds;
}

}  // namespace tutti::models
