// The sketch of the trees in a circulant graph, one for each segment. Pure.
#include <algorithm>
#include <utility>
#include <vector>

#include "models/decision/families.hpp"

namespace tutti::models::families {

void circulant_tree(SketchBuilder& sketch, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  const std::size_t begin = sketch.stages().size();
  double rounds = 0;
  bool aligned = true;  // all runs of ranks that one rank has to reach begin where a node does
  int astray = 2;       // on a path: runs that lie across a border, though they fit into a node
  for (int held = place.P; held > 1; held = (held + 1) / 2, ++rounds) {
    const int skip = (held + 1) / 2;
    const double messages = held - skip;
    const bool beyond = place.in_order ? held > place.q : !place.shares_node(skip);
    const bool far = beyond || (place.in_order && !aligned && astray-- > 0);
    aligned = aligned && (!far || skip % place.q == 0);
    const double senders =
        place.in_order ? std::min<double>(messages, place.q) : ceil_div(messages, place.nodes);
    Stage& stage = sketch.add(bytes);
    stage.out = stage.in = Count::of(1, far);
    stage.all = Count::of(messages * place.copies, far);
    stage.border = stage.out.far;
    stage.leaving = stage.border * senders * place.copies;
    stage.woken = messages * place.copies;
    stage.combined = sketch.is_combining() && way == Way::up ? static_cast<double>(bytes) : 0;
    stage.exchange = false;
  }
  if (way == Way::down)
    sketch.sends_anew(begin);
  else if (place.P > 1)
    sketch.sends_to(Count::of(1, place.nodes > 1));
  const std::size_t first = sketch.stages().size();
  for (int held = place.P; held > 1;) {
    held = (held + 1) / 2;  // the skip, and what the next round has
    shift(sketch, held, bytes);
  }
  std::vector<Stage>& stages = sketch.stages();
  std::vector<Stage> step(stages.begin() + static_cast<std::ptrdiff_t>(first), stages.end());
  stages.resize(first);
  // For each segment the root sends one message more than it gets; upwards it gets one more.
  const double share = (place.P - 1.0) / place.P;
  for (Stage& stage : step) {
    Count& less = way == Way::down ? stage.out : stage.in;
    less = {less.near * share, less.far * share};
    if (way == Way::up) stage.combined *= share;
  }
  sketch.set_step(std::move(step));
  sketch.meets(2 * rounds);
}

}  // namespace tutti::models::families
