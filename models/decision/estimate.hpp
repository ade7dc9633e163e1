// The time of a sketch on a platform, and what it is made of. Pure.
#pragma once

#include <string_view>

#include "collectives/selection/facts.hpp"
#include "models/decision/sketch.hpp"
#include "models/platform/platform.hpp"

namespace tutti::models {

// Times in us. `latency` is the sum of its parts.
struct Estimate {
  double time = 0;      // of a call; the choice is made by it
  double set_up = 0;    // of it: making the connections, spread over the calls that use them
  double latency = 0;   // of one call, from the first rank's entry until all have their results
  double interval = 0;  // between calls that follow each other without a pause
  struct Parts {
    double start_up = 0;  // messages of no bytes, one round after another
    double bytes = 0;     // added by their bytes
    double compute = 0;   // combining and copying
    double queueing = 0;  // several messages for one port or processor, and pipelines
    double cores = 0;     // work for cores that ranks share, or that make packets
    double wakes = 0;     // turns of ranks that share a core
  } parts;
  double rounds = 0;
  Count messages, bytes;  // on the critical path
  double leaving = 0;     // bytes that leave the busiest node
  double work = 0;        // of all cores together
  int peers = 0;          // of the rank that has most
  Bytes memory = 0;       // scratch and connections of that rank
};

// The largest part, as the reason of a choice; or that there is none, as for a single rank.
std::string_view reason_of(const Estimate& estimate) noexcept;

// The estimate for `segments` pieces that follow each other through the sketch.
// `parts.start_up` has the bytes of the messages, too.
Estimate estimate(const Sketch& sketch, double segments, const Platform& platform,
                  const collectives::Facts& facts) noexcept;
// The estimate with `parts.bytes` apart from `parts.start_up`.
Estimate detailed(const Sketch& sketch, double segments, const Platform& platform,
                  const collectives::Facts& facts);

}  // namespace tutti::models
