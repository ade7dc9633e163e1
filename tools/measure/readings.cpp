// Judgement of readings: whether they are sure, and the models that are derived from them.
#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "tools/measure/measure.hpp"

namespace tutti::tools {

namespace {

constexpr double kSure = 0.5;  // the interval of a median, as a share of it

// The readings whose median is known and above zero; all of them, if these are fewer than `least`.
std::vector<CollectiveReading> sure_ones(const std::vector<CollectiveReading>& all,
                                         std::size_t least) {
  std::vector<CollectiveReading> some;
  for (const CollectiveReading& one : all)
    if (one.time.value > 0 && one.time.width() <= kSure) some.push_back(one);
  return some.size() < least ? all : some;
}

}  // namespace

bool SizeReading::sure() const {
  const double most = kSure * round_trip.value;
  return gap() > 0 && round_trip.width() <= kSure && burst.width() <= kSure &&
         o_s.high - o_s.low <= most && o_r.high - o_r.low <= most;
}

models::Readings::Destinations DestinationsReading::gap() const {
  const double after_first = messages - 1;
  return {.n = n,
          .gap = (burst.value - round_trip.value) / after_first,
          .low = (burst.low - round_trip.high) / after_first,
          .high = (burst.high - round_trip.low) / after_first};
}

std::vector<Bytes> LevelReading::unsure() const {
  std::vector<Bytes> all;
  for (const SizeReading& size : sizes)
    if (!size.sure()) all.push_back(size.bytes);
  return all;
}

models::Readings LevelReading::readings() const {
  models::Readings all{.eager = limits ? limits->eager : models::kNever};
  const bool some = std::any_of(sizes.begin(), sizes.end(), std::mem_fn(&SizeReading::sure));
  for (const SizeReading& size : sizes)
    if (size.sure() || !some)
      all.sizes.push_back({size.bytes, size.round_trip.value, size.gap(), size.o_s.value,
                           size.o_r.value, size.sent.value});
  for (const PeersReading& one : peers)
    all.peers.push_back(
        {one.o_s.value, one.o_r.value, one.time.value - all.sizes.front().round_trip / 2});
  for (const DestinationsReading& one : destinations)
    if (one.n < on_cores) all.destinations.push_back(one.gap());
  for (const CollectiveReading& one : sure_ones(flat_barriers, 2))
    all.flat_barriers.push_back({one.P, one.bytes, one.time.value});
  for (const CollectiveReading& one : sure_ones(chains, 1))
    all.chains.push_back({one.P, one.bytes, one.time.value});
  return all;
}

models::MethodTimes LevelReading::method_times() const {
  const MethodsReading& one = methods.front();
  const SizeReading &least = sizes.front(), &longest = sizes.back();
  double per_byte = 0;
  if (longest.bytes > least.bytes) per_byte = models::fit_line(readings().gaps()).per_byte;
  return {.least = least.bytes,
          .longest = longest.bytes,
          .round_trip = least.round_trip.value,
          .few = one.few.value,
          .many = one.many.value,
          .delay = one.delay,
          .delayed_round_trip = one.delayed_round_trip.value,
          .answered = one.answered.value,
          .send = least.o_s.value,
          .receive = least.o_r.value,
          .empty_round_trip = empty.value,
          .window = one.window.value,
          .longest_window = one.longest_window.value,
          .pause = one.pause,
          .paused_sends = one.paused_sends.value,
          .paused_receives = one.paused_receives.value,
          .overhead = delayed.value,
          .gap = least.gap(),
          .gap_per_byte = per_byte};
}

models::tau_lop::Rings LevelReading::of_rings() const {
  models::tau_lop::Rings all{.round_trip = empty.value};
  if (limits && limits->writes) all.eager = limits->eager;
  for (const SizeReading& size : sizes)
    if (size.sure()) all.rings.push_back({size.bytes, 1, size.round_trip.value / 2});
  for (const AtOnceReading& ring : rings)
    all.rings.push_back({ring.bytes, ring.tau, ring.time.value});
  for (const CollectiveReading& tree : sure_ones(trees, 0))
    all.broadcasts.push_back({tree.bytes, tree.P, tree.time.value});
  return all;
}

std::vector<Fit> fits_of(const LevelReading& level) {
  const models::Readings readings = level.readings();
  return {{"T(m) = alpha + beta m", readings.times()}, {"gap = g + (m-1)G", readings.gaps()}};
}

std::vector<models::FittedRange> ranges_of(const Fit& fit, std::string& problem) {
  try {
    return models::fit_ranges(fit.what, fit.samples);
  } catch (const Error& error) {
    problem = error.message;
    return {};
  }
}

}  // namespace tutti::tools
