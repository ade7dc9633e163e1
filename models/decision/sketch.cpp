// Changes of a whole sketch. Pure.
#include "models/decision/sketch.hpp"

#include <algorithm>

namespace tutti::models {

void cut_messages(Sketch& sketch, double segments, Bytes segment) {
  for (Stage& stage : sketch.stages) {
    if (stage.bytes == 0 && stage.rounds == 0) stage.share = 1 / segments;  // once in a call
    if (stage.bytes == 0 || stage.bytes >= segment) continue;
    const double whole = segments * static_cast<double>(stage.bytes);
    const double length = std::min(static_cast<double>(segment), whole);
    stage.share = static_cast<double>(stage.bytes) / length;
    stage.bytes = static_cast<Bytes>(length);
    stage.combined /= stage.share;
    stage.copied /= stage.share;
    stage.of_others = static_cast<Bytes>(static_cast<double>(stage.of_others) / stage.share);
  }
}

Sketch without_bytes(const Sketch& sketch) {
  Sketch empty = sketch;
  for (Stage& stage : empty.stages) stage.bytes = stage.of_others = 0;
  for (Stage& stage : empty.step) stage.bytes = stage.of_others = 0;
  return empty;
}

}  // namespace tutti::models
