// Builds a sketch from its stages, and answers questions about the whole. Pure.
#include "models/decision/sketch.hpp"

#include <algorithm>

namespace tutti::models {

void Sketch::begin(const Topology& place) {
  place_ = place;
  stages_.clear();
  step_.clear();
  peers_ = other_levels_ = 0;
  parts_ = 1;
  destinations_ = {};
  most_destinations_ = 0;
  scratch_ = 0;
  combines_ = one_way_ = has_levels_ = blocks_ = false;
}

void Sketch::level(const Topology& place) {
  place_ = place;
  has_levels_ = true;
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

void Sketch::sends_to(const Count& ranks) {
  destinations_ = {std::max(destinations_.near, ranks.near),
                   std::max(destinations_.far, ranks.far)};
  most_destinations_ = std::max(most_destinations_, ranks.both());
}

void Sketch::sends_anew(std::size_t first_stage) {
  Count sum;
  for (std::size_t i = first_stage; i < stages_.size(); ++i) {
    sum.near += stages_[i].out.near;
    sum.far += stages_[i].out.far;
  }
  sends_to(sum);
}

void Sketch::copies(double bytes) {
  if (!stages_.empty()) stages_.back().copied += bytes / stages_.back().rounds;
}

void Sketch::cut(double segments, Bytes segment) {
  for (Stage& stage : stages_) {
    if (stage.bytes == 0 && stage.rounds == 0) stage.share = 1 / segments;  // once in a call
    if (stage.bytes == 0 || stage.bytes >= segment) continue;
    const double whole = segments * static_cast<double>(stage.bytes);
    const double length = std::min(static_cast<double>(segment), whole);
    stage.share = static_cast<double>(stage.bytes) / length;
    stage.bytes = static_cast<Bytes>(length);
    stage.combined /= stage.share;
    stage.copied /= stage.share;
  }
}

void Sketch::without_bytes() {
  for (Stage& stage : stages_) stage.bytes = 0;
  for (Stage& stage : step_) stage.bytes = 0;
}

}  // namespace tutti::models
