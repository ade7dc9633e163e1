// Measuring this job's wires at its start, in a fraction of a second: a small `tutti measure` for
// who asks for nothing but the right choices.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "models/platform/derive.hpp"
#include "models/platform/platform.hpp"
#include "models/platform/statistics.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// Long enough to be seen besides the round trip, and so few that their memory is small.
int burst_for(Bytes bytes, int wanted) noexcept;
inline constexpr int kUsualBurst = 16, kLongestBurst = 1024;

struct PairReadings {
  models::Readings readings{};
  std::string unsure{};  // why they cannot be trusted; empty: they can
};
// Times of messages between the two ranks of a communicator; rank 0 has the readings. It measures
// an unsure round trip up to three times. Both call it at once. Throws Error.
PairReadings measure_pair(Communicator& pair);
// Why a round trip is unsure: its 95 % interval is wider than its median, us. Empty: it is not.
std::string why_unsure(Bytes bytes, const models::Median& round_trip);

// Rank 0 measures messages to a rank of its own node and to one of another, as far as there are
// such, and keeps the parameters for `wire` (models/platform/saved.hpp), as PLogP's. All ranks have
// them then. `warn` hears of failures and unsure round trips; then they are those that Tutti ships.
// Collective over the bootstrap; the selection serves for nothing but communicators. Throws
// Error{bootstrap_failed}.
models::Platform calibrate(Engine& engine, transport::Bootstrap& bootstrap, Selection& selection,
                           std::string_view wire,
                           const std::function<void(std::string_view)>& warn);

}  // namespace tutti
