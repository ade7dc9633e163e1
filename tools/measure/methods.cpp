// Measurements between two ranks by the methods of IB §4.3.3 other than PRTT.
#include <algorithm>
#include <chrono>

#include "base/index.hpp"
#include "src/api/library.hpp"
#include "tools/bench/bench.hpp"
#include "tools/measure/measure.hpp"
#include "tools/measure/sampler.hpp"

namespace tutti::tools {
namespace {

constexpr int kFew = 4, kUnderWay = 8;
constexpr double kSamples = 8;  // that share the time

// The two ranks of a communicator, of which rank 0 has the clock.
class PairOfRanks {
 public:
  PairOfRanks(tutti_comm comm, Wire& wire, double seconds)
      : wire_(wire),
        sampler_(comm, seconds / kSamples),
        root_(communicator_of(comm).rank() == 0),
        empty_(exchange(false, 1, 0)) {}

  std::unique_ptr<Exchange> exchange(bool from_root, int n, Bytes bytes) {
    const Message one{root_ ? 1 : 0, root_ == from_root};
    return wire_.exchange(std::vector<Message>(index(n), one), bytes);
  }

  // The time of one of n sends in a row, until the sender may go on.
  models::Median sends(int n, Bytes bytes) {
    const auto burst = exchange(true, n, bytes);
    return sampled([&] {
      const double sent = timed([&] { burst->run(); });
      empty_->run();
      return sent / n;
    });
  }

  // The time of one of n sends that one answer without bytes ends.
  models::Median answered(int n, Bytes bytes) {
    const auto burst = exchange(true, n, bytes);
    return sampled([&] {
      return timed([&] {
               burst->run();
               empty_->run();
             }) /
             n;
    });
  }

  models::Median delayed(Bytes bytes, double us) {
    const auto there = exchange(true, 1, bytes), back = exchange(false, 1, bytes);
    return sampled([&] {
      double waited = 0;
      const double all = timed([&] {
        there->run();
        if (root_) waited = pause(us);
        back->run();
      });
      return all - waited + us;  // as if it were as long as it was to be
    });
  }

  // As answered(), but `together` sends are begun, and completed, together: never more are
  // under way. One side pauses in between.
  models::Median window(int n, int together, Bytes bytes, double us = 0, bool of_sender = true) {
    const auto some = exchange(true, together, bytes);
    const bool pauses = us > 0 && root_ == of_sender;
    return sampled([&] {
      return timed([&] {
               for (int i = 0; i < n; i += together) {
                 some->begin();
                 if (pauses) pause(us);
                 some->finish();
               }
               empty_->run();
             }) /
             n;
    });
  }

  // Rank 0's, to the nanosecond; a second at most.
  double agreed(double us) {
    return sampler_.agreed(static_cast<int>(1e3 * std::clamp(us, 0.0, 1e6))) / 1e3;
  }

 private:
  // Computes, as far as the other one can tell; for how long.
  static double pause(double us) {
    const auto begin = std::chrono::steady_clock::now();
    while (since(begin) < us) {
    }
    return since(begin);
  }

  template <class Call>
  models::Median sampled(Call&& call) {
    return sampler_.sample([&](int calls) {
      double sum = 0;
      for (int i = 0; i < calls; ++i) sum += call();
      return std::vector{sum};
    })[0];
  }

  Wire& wire_;
  Sampler sampler_;
  const bool root_;
  const std::unique_ptr<Exchange> empty_;
};

}  // namespace

MethodsReading measure_methods(tutti_comm comm, Wire& wire, const SizeReading& least,
                               const SizeReading& longest, double seconds) {
  PairOfRanks pair(comm, wire, seconds);
  const Bytes bytes = least.bytes;
  const int n = 8 * kUnderWay;
  MethodsReading all;
  all.delay = pair.agreed(2 * least.round_trip.value + 1);
  all.few = pair.sends(kFew, bytes);
  all.many = pair.sends(n, bytes);
  all.delayed_round_trip = pair.delayed(bytes, all.delay);
  all.answered = pair.answered(n, bytes);
  all.window = pair.window(n, kUnderWay, bytes);
  all.longest_window = pair.window(2 * kUnderWay, kUnderWay, longest.bytes);
  all.pause = pair.agreed(3 * all.window.value + 1);
  all.paused_sends = pair.window(n, 1, bytes, all.pause, true);
  all.paused_receives = pair.window(n, 1, bytes, all.pause, false);
  return all;
}

}  // namespace tutti::tools
