// The stage of a sketch in which one rank sends to several, or gets from several. Pure.
#pragma once

#include "models/decision/families.hpp"

namespace tutti::models::families {

// The rounds in which one rank sends to, or gets from, several.
inline void fan(SketchBuilder& sketch, Bytes bytes, Way way, const Count& many) {
  const Topology& place = sketch.place();
  Stage& stage = sketch.add(bytes);
  const Count one = Count::of(1, place.nodes > 1);
  const double all = many.both();
  stage.out = way == Way::down ? many : one;
  stage.in = way == Way::down ? one : many;
  stage.all = {many.near * place.copies, many.far * place.copies};
  stage.leaving = stage.border = many.far;
  stage.woken = (way == Way::down ? all : 1) * place.copies;
  stage.combined = sketch.is_combining() && way == Way::up ? all * static_cast<double>(bytes) : 0;
  stage.exchange = false;
  stage.hands_down = way == Way::down;
  sketch.sends_to(stage.out);
}

}  // namespace tutti::models::families
