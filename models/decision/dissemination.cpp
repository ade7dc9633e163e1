// Sketches of exchanges in which a rank sends what it has to a rank beyond. Pure.
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/decision/families.hpp"

namespace tutti::models::families {
namespace {

// The last round has few blocks, which have been there for log2 `early` rounds: it does not wait
// for these.
void send_last_early(SketchBuilder& sketch, std::size_t begin, double early, bool parts) {
  std::vector<Stage>& stages = sketch.stages();
  Stage& last = stages.back();
  if (sketch.is_combining()) {  // backwards: no other message waits for those of that round
    last.order = Stage::Order::open;
    const auto first = stages.begin() + static_cast<std::ptrdiff_t>(begin);
    std::rotate(first, stages.end() - 1, stages.end());
    first[1].order = Stage::Order::joins;
  } else if (parts && early >= 4) {
    // The halves of a message pass the receiver's port before a longer message that is there as a
    // whole only after them, and hold that up.
    last.rounds = last.busy = 2;
  } else {
    last.order = Stage::Order::joins;
    for (std::size_t round = stages.size() - 1; early >= 2; early /= 2)
      stages[--round].order = Stage::Order::open;
  }
}

}  // namespace

// The rounds up to the size of a node go less far together than to the next node but one: they
// cross one border at most.
void dissemination(SketchBuilder& sketch, int k, Bytes bytes, bool grows, bool parts) {
  const Topology& place = sketch.place();
  const std::size_t begin = sketch.stages().size();
  double rounds = 0, early = 1;
  for (double d = 1; d < place.P; d *= k + 1, ++rounds) {
    const double to = std::min<double>(k, std::floor((place.P - 1) / d));
    const double blocks = std::min(d, ceil_div(place.P - d, to));
    Stage& stage = shift(sketch, d, grows ? static_cast<Bytes>(blocks) * bytes : bytes, to);
    if (place.in_order && d * (k + 1.0) * (k + 1.0) <= place.q)
      stage.out = stage.in = Count::of(to, false);
    // With more partners, they have come in some messages of the round before, if not sooner.
    const double needed = std::ceil(blocks * (k + 1.0) / d) - 1;
    if (grows && k > 1 && d > 1 && to == 1 && needed < k) {
      Stage& before = sketch.stages()[sketch.stages().size() - 2];
      before.order = Stage::Order::open;
      before.needed = needed;
      stage.order = Stage::Order::joins;
    }
    stage.parted = parts && blocks > 1;
    early = d / blocks;
    stage.repeats = true;
  }
  if (grows && k == 1 && early >= 2) send_last_early(sketch, begin, early, parts);
  sketch.meets(2 * k * rounds);
  sketch.sends_anew(begin);
}

// Each skip is half of the one before, rounded up. From two blocks to three a rank's own block is
// sent, which has been there from the start: that round does not wait for the one before.
void circulant(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  const std::size_t begin = sketch.stages().size();
  double rounds = 0, parted = 0;
  bool three = false;
  for (int held = place.P; held > 1; held = (held + 1) / 2, ++rounds) {
    const int skip = (held + 1) / 2;
    Stage& stage = shift(sketch, skip, (held - skip) * bytes);
    if (held == 3) stage.order = Stage::Order::open;
    if (held == 2 && three) stage.order = Stage::Order::joins;
    three = held == 3;
    if (held - skip > 1) ++parted;
  }
  sketch.meets(2 * rounds);
  sketch.sends_anew(begin);
  if (parted == 0) return;
  // Blocks that go on at the beginning after the last rank's come as two messages, for the second
  // of which the next round does not wait. It is sent beside others.
  Stage& halves = sketch.add(0);
  halves.rounds = 0;
  halves.busy = parted;
  halves.in = {1, 0};  // each time on another rank, so no port between nodes has all of them
}

}  // namespace tutti::models::families
