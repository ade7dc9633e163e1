// Rank 0 orders each exchange and times it; the other rank answers.
#include "src/calibration/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/copy.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "collectives/execution/kernels.hpp"
#include "models/platform/saved.hpp"
#include "src/calibration/messages.hpp"
#include "src/calibration/own_core.hpp"
#include "src/job/selection.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<Bytes, 6> kSizes{1, 512, 4096, 16 << 10, 64 << 10, 256 << 10};
constexpr std::size_t kFewest = 4;  // sizes, even if the machine does other work, too
constexpr double kEnough = 3e5;     // us
constexpr int kBatches = 9, kAttempts = 3;
constexpr double kBatch = 100;  // us, about, of calls that are timed together

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
// Busy-waits, to simulate computation.
void delay(double us) {
  for (const auto begin = Clock::now(); since(begin) < us;) {
  }
}
double median(std::vector<double> values) { return models::median_of(std::move(values)).value; }

// The pair's next exchange: a burst of messages there and one back, `times` times.
struct Order {
  std::int64_t bytes, burst, times;  // bytes < 0: nothing more
};

class Pair {
 public:
  explicit Pair(Communicator& communicator)
      : communicator_(communicator), orders_(communicator, {to_other()}, sizeof(Order)) {}

  Message to_other() const noexcept { return {1 - communicator_.rank(), root()}; }
  Message from_other() const noexcept { return {1 - communicator_.rank(), !root()}; }
  Communicator& communicator() noexcept { return communicator_; }
  // Rank 0's, at both.
  Order order(Order next) {
    orders_.begin(&next, &next);
    orders_.finish();
    return next;
  }

 private:
  bool root() const noexcept { return communicator_.rank() == 0; }

  Communicator& communicator_;
  Messages orders_;
};

// One turn of an order.
class Exchange {
 public:
  Exchange(Pair& pair, const Order& order)
      : there_(pair.communicator(), std::vector(index(order.burst), pair.to_other()), order.bytes),
        back_(pair.communicator(), {pair.from_other()}, order.bytes),
        memory_(static_cast<std::size_t>(order.bytes * order.burst)) {}

  void begin_there() { there_.begin(memory_.data(), memory_.data()); }
  void finish_there() { there_.finish(); }
  void begin_back() { back_.begin(memory_.data(), memory_.data()); }
  void finish_back() { back_.finish(); }
  void run() {
    begin_there();
    finish_there();
    begin_back();
    finish_back();
  }

 private:
  Messages there_, back_;
  std::vector<std::byte> memory_;
};

void answer(Pair& pair) {
  for (Order order = pair.order({}); order.bytes >= 0; order = pair.order({})) {
    if (order.bytes > kSizes.back() || order.burst < 1 || order.burst > kLongestBurst ||
        order.times < 0)
      throw Error(Code::transport_failed,
                  "rank 0 has asked for an unknown measurement; do all ranks run the same Tutti?");
    Exchange exchange(pair, order);
    for (std::int64_t i = 0; i < order.times; ++i) exchange.run();
  }
}

// Time of one turn, in microseconds.
models::Median turn(Pair& pair, Bytes bytes, int burst) {
  constexpr double kMost = 64;
  const auto timed = [&](std::int64_t times, int batches) {
    Exchange exchange(pair, pair.order({bytes, burst, batches * times}));
    std::vector<double> all;
    for (int batch = 0; batch < batches; ++batch) {
      const auto begin = Clock::now();
      for (std::int64_t i = 0; i < times; ++i) exchange.run();
      all.push_back(since(begin) / static_cast<double>(times));
    }
    return models::median_of(std::move(all));
  };
  const double about = timed(2, 2).value;
  return timed(static_cast<std::int64_t>(std::clamp(kBatch / about, 1.0, kMost)), kBatches);
}

// Each end is ready long before the other one begins.
void measure_overheads(Pair& pair, models::Readings::Size& reading) {
  Exchange exchange(pair, pair.order({reading.bytes, 1, kBatches}));
  const double pause = 1.5 * reading.round_trip + 1;
  std::vector<double> sends, receives, whole;
  for (int i = 0; i < kBatches; ++i) {
    delay(pause);
    auto begin = Clock::now();
    exchange.begin_there();
    sends.push_back(since(begin));
    exchange.finish_there();
    whole.push_back(since(begin));
    delay(pause);
    begin = Clock::now();
    exchange.begin_back();
    receives.push_back(since(begin));
    exchange.finish_back();
  }
  reading.o_s = median(std::move(sends));
  reading.o_r = median(std::move(receives));
  reading.sent = median(std::move(whole));
}

models::Readings::Size measure_size(Pair& pair, Bytes bytes, double round_trip) {
  models::Readings::Size reading{.bytes = bytes, .round_trip = round_trip};
  int burst = burst_for(bytes, kUsualBurst);
  double time = turn(pair, bytes, burst).value;
  for (const int most = burst_for(bytes, kLongestBurst);
       burst < most && time < 2 * reading.round_trip; time = turn(pair, bytes, burst).value)
    burst = std::min(8 * burst, most);
  // Times that fluctuate may leave less than nothing.
  reading.gap = std::max(time - reading.round_trip, 0.01 * time) / (burst - 1);
  measure_overheads(pair, reading);
  return reading;
}

// Microseconds a byte of what is done again and again.
template <class Call>
double per_byte(Bytes bytes, Call&& call) {
  constexpr int kCalls = 16;
  std::vector<double> all;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    all.push_back(since(begin) / kCalls / static_cast<double>(bytes));
  }
  return median(std::move(all));
}

void measure_compute(models::Platform& platform) {
  constexpr std::size_t kBytes = 64 << 10;
  std::vector<std::byte> a(kBytes), b(kBytes, std::byte{1}), c(kBytes, std::byte{2});
  const auto sum = collectives::kernel(collectives::Operation::sum, collectives::Element::int32);
  platform.copy_per_byte = per_byte(kBytes, [&] { copy_bytes(a.data(), b.data(), kBytes); });
  platform.reduce_per_byte =
      per_byte(kBytes, [&] { sum(nullptr, b.data(), c.data(), c.data(), kBytes); });
}

constexpr std::string_view kModel = "plogp";

bool can_be_fitted(const models::Readings& readings) {
  if (readings.sizes.empty()) return false;
  try {
    models::derive(kModel, readings);
    return true;
  } catch (const Error&) {
    return false;
  }
}

models::Platform platform_of(const std::optional<models::Readings>& within,
                             const std::optional<models::Readings>& between,
                             std::string_view wire) {
  models::Platform platform{.name = "measured",
                            .between = models::derive(kModel, between ? *between : *within),
                            .origin = models::origin_here("the setting model=measure")};
  if (between && within) platform.within = models::derive(kModel, *within);
  platform.source = "measured when a job started, " + platform.origin.date;
  platform.origin.wire = wire;
  measure_compute(platform);
  return platform;
}

// Until a round trip is unsure.
PairReadings read_once(Pair& pair) {
  PairReadings all;
  const auto begin = Clock::now();
  for (const Bytes bytes : kSizes) {
    if (all.readings.sizes.size() >= kFewest && since(begin) >= kEnough) break;
    models::Median round_trip;
    for (int attempt = 0; attempt == 0 || (attempt < kAttempts && !all.unsure.empty()); ++attempt) {
      round_trip = turn(pair, bytes, 1);
      all.unsure = why_unsure(bytes, round_trip);
    }
    if (!all.unsure.empty()) break;
    all.readings.sizes.push_back(measure_size(pair, bytes, round_trip.value));
  }
  return all;
}

PairReadings read(Pair& pair) {
  PairReadings all;
  // A measurement that was disturbed for a moment is repeated.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    all = read_once(pair);
    if (!all.unsure.empty() || can_be_fitted(all.readings)) break;
  }
  pair.order({-1, 0, 0});
  return all;
}

// Rank 0 has the readings, others nullopt. Collective.
std::optional<models::Readings> readings_with(int partner, Engine& engine,
                                              transport::Bootstrap& bootstrap, Selection& selection,
                                              std::string& problem) {
  const int me = bootstrap.rank();
  std::optional<int> rank;
  if (me == 0 || me == partner) rank = me == 0 ? 0 : 1;
  const auto& placement = engine.placement();
  const bool one_node = placement.node_of(0) == placement.node_of(partner);
  auto pair = agree_on_communicator(engine, bootstrap, rank, {0, partner}, selection);
  std::optional<models::Readings> readings;
  if (pair) try {
      const OwnCore core(one_node ? *rank : 0, engine.processors());
      const auto lock = engine.enter();
      PairReadings found = measure_pair(*pair);
      if (found.unsure.empty())
        readings = std::move(found.readings);
      else
        problem = std::move(found.unsure);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  bootstrap.rest();
  const auto lock = engine.enter();
  pair.reset();
  return readings;
}

}  // namespace

int burst_for(Bytes bytes, int wanted) noexcept {
  constexpr Bytes kMost = Bytes{4} << 20;
  return static_cast<int>(std::clamp<Bytes>(kMost / std::max<Bytes>(bytes, 1), 4, wanted));
}

std::string why_unsure(Bytes bytes, const models::Median& round_trip) {
  if (round_trip.width() <= 1) return {};
  return fmt::format(
      "a round trip of {} took {:.3g} us, or anything from {:.3g} to {:.3g}, as where the machine "
      "does other work",
      counted(bytes, "byte"), round_trip.value, round_trip.low, round_trip.high);
}

PairReadings measure_pair(Communicator& communicator) {
  try {
    Pair pair(communicator);
    if (communicator.rank() == 0) return read(pair);
    answer(pair);
    return {};
  } catch (const Error& error) {
    communicator.refuse(error.code);
    throw;
  } catch (...) {
    communicator.refuse(Code::out_of_memory);
    throw;
  }
}

models::Platform calibrate(Engine& engine, transport::Bootstrap& bootstrap, Selection& selection,
                           std::string_view wire,
                           const std::function<void(std::string_view)>& warn) {
  const auto& placement = engine.placement();
  int near = 0, far = 0;  // 0: there is none
  for (int rank = engine.size() - 1; rank > 0; --rank)
    (placement.node_of(rank) == placement.node_of(0) && !engine.wire_on_nodes() ? near : far) =
        rank;
  std::optional<models::Readings> within, between;
  std::string problem = near + far > 0 ? "" : "a job of one rank sends no messages";
  if (near > 0) within = readings_with(near, engine, bootstrap, selection, problem);
  if (far > 0) between = readings_with(far, engine, bootstrap, selection, problem);
  std::optional<models::Platform> found;
  if (bootstrap.rank() == 0) try {
      if (problem.empty()) {
        found = platform_of(within, between, wire);
        models::keep(*found);
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
  if (bootstrap.rank() == 0 && !problem.empty())
    warn(fmt::format("the setting model=measure: {}{}", problem,
                     found ? "" : "; the shipped parameters are taken"));
  return spread_platform(found ? &*found : nullptr, wire, bootstrap);
}

}  // namespace tutti
