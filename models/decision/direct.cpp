// Sketches of exchanges whose messages go straight to who needs them. Pure.
#include <algorithm>

#include "models/decision/families.hpp"

namespace tutti::models::families {

void at_once(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  Stage& stage = shift(sketch, 1, bytes);
  stage.combined *= place.P - 1.0;
  const double far = place.P - place.q, near = place.q - 1;
  stage.out = stage.in = {near, far};
  stage.all = {place.P * near * place.copies, place.P * far * place.copies};
  stage.leaving = place.q * far * place.copies;
  // The ranks of a node all begin with the same ranks of the next node, whose ports have their
  // messages one after another meanwhile. Not quite all of it is lost, by the simulator.
  constexpr double kLost = 0.8;
  const double crowd = place.nodes > 1 && place.in_order ? kLost * near : 0;
  stage.border = far + crowd;
  sketch.meets(place.P - 1);
  sketch.sends_to({near, far});
}

// The ranks of a node wait for its port in one round: then they come to it one after another.
void pairwise(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  const double rounds = place.P - 1;
  const auto shifted = [&](double distance, double times) {
    if (times > 1) shift(sketch, distance, bytes, 1, 1, times - 1).staggered = true;
    if (times > 0) shift(sketch, distance, bytes);
  };
  sketch.sends_to({place.q - 1.0, rounds - (place.q - 1)});
  sketch.meets(rounds);
  if (place.in_turn && place.nodes > 1) {
    const double beside = place.q - 1;
    shifted(place.nodes, beside);
    return shifted(1, rounds - beside);
  }
  // The first and the last rounds go to a node beside, from some of a node's ranks.
  const double beside =
      place.nodes > 1 && place.in_order ? std::min(rounds, 2 * (place.q - 1.0)) : 0;
  const int half = (place.q + 1) / 2;
  shifted(half, beside);
  shifted(place.q, rounds - beside);
}

}  // namespace tutti::models::families
