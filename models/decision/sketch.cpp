// Stages, and what is said of them afterwards. Pure.
#include "models/decision/sketch.hpp"

#include <algorithm>

namespace tutti::models {

void Sketch::begin(const Topology& place) {
  place_ = place;
  stages_.clear();
  step_.clear();
  peers_ = other_levels_ = 0;
  scratch_ = 0;
  combines_ = one_way_ = false;
}

void Sketch::level(const Topology& place) {
  place_ = place;
  other_levels_ += peers_;
  peers_ = 0;
}

Stage& Sketch::add(Bytes bytes) {
  stages_.push_back({});
  stages_.back().bytes = bytes;
  return stages_.back();
}

void Sketch::meets(double peers) {
  peers_ = std::max(peers_, static_cast<int>(std::min<double>(peers, place_.P - 1)));
}

void Sketch::copies(double bytes) {
  if (!stages_.empty()) stages_.back().copied += bytes / stages_.back().rounds;
}

void Sketch::without_bytes() {
  for (Stage& stage : stages_) stage.bytes = 0;
  for (Stage& stage : step_) stage.bytes = 0;
}

}  // namespace tutti::models
