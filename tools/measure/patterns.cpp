// The exchanges that are timed. Rank 0 of the communicator has the clock; the others answer.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/copy.hpp"
#include "base/index.hpp"
#include "collectives/execution/kernels.hpp"
#include "models/simulation/chance.hpp"
#include "src/api/library.hpp"
#include "src/calibration/calibration.hpp"
#include "tools/bench/bench.hpp"
#include "tools/measure/measure.hpp"
#include "tools/measure/sampler.hpp"

namespace tutti::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Computes, as far as others can tell.
void delay(double us) {
  for (const auto begin = Clock::now(); since(begin) < us;) {
  }
}

int rank_in(tutti_comm comm) { return communicator_of(comm).rank(); }

std::vector<Message> messages(Rank peer, bool sent, int n) {
  return std::vector<Message>(index(n), Message{peer, sent});
}

// The root sends and then receives, the other one the other way round.
Sampler::Batch one_after_the_other(Exchange& there, Exchange& back) {
  return [&](int calls) {
    return std::vector{timed([&] {
      for (int i = 0; i < calls; ++i) {
        there.run();
        back.run();
      }
    })};
  };
}

}  // namespace

models::Median measure_round_trip(tutti_comm comm, Wire& wire, Bytes bytes, double seconds) {
  const bool root = rank_in(comm) == 0;
  const Rank peer = root ? 1 : 0;
  const auto there = wire.exchange(messages(peer, root, 1), bytes);
  const auto back = wire.exchange(messages(peer, !root, 1), bytes);
  return Sampler(comm, seconds).sample(one_after_the_other(*there, *back))[0];
}

models::Median measure_ring(tutti_comm comm, Wire& wire, Bytes bytes, bool in_turn, Bytes spread,
                            double seconds) {
  const int P = communicator_of(comm).size(), me = rank_in(comm);
  const Message out{(me + 1) % P, true}, in{(me + P - 1) % P, false};
  Sampler sampler(comm, seconds);
  if (!in_turn) {
    const auto both = wire.exchange({out, in}, bytes, spread);
    return sampler.sample([&](int calls) {
      return std::vector{timed([&] {
        for (int i = 0; i < calls; ++i) both->run();
      })};
    })[0];
  }
  const bool even = me % 2 == 0;
  const auto first = wire.exchange({even ? out : in}, bytes, spread);
  const auto second = wire.exchange({even ? in : out}, bytes, spread);
  models::Median whole = sampler.sample(one_after_the_other(*first, *second))[0];
  for (double* const value : {&whole.value, &whole.low, &whole.high}) *value /= 2;
  return whole;
}

models::Median measure_combining(tutti_comm comm, Bytes bytes, Bytes spread, double seconds) {
  Rotating operand(Rotating::read, bytes, spread), other(Rotating::written, bytes, spread);
  const auto sum = collectives::kernel(collectives::Operation::sum, collectives::Element::int32);
  return Sampler(comm, seconds).sample([&](int calls) {
    const double mine = timed([&] {
      for (int i = 0; i < calls; ++i) {
        std::byte* const into = other.next();
        sum(nullptr, operand.next(), into, into, static_cast<std::size_t>(bytes));
      }
    });
    double slowest = 0;
    must(tutti_allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm), "tutti_allreduce");
    return std::vector{slowest};
  })[0];
}

SizeReading measure_size(tutti_comm comm, Wire& wire, Bytes bytes, double seconds) {
  SizeReading reading{.bytes = bytes, .n = burst_for(bytes, kUsualBurst)};
  reading.round_trip = measure_round_trip(comm, wire, bytes, seconds / 3);
  const bool root = rank_in(comm) == 0;
  const Rank peer = root ? 1 : 0;
  Sampler sampler(comm, seconds / 3);
  const auto first = wire.exchange(messages(peer, root, 1), bytes);
  const auto reply = wire.exchange(messages(peer, !root, 1), bytes);
  // As many as take longer than the round trip: else its fluctuation is in the gap.
  for (bool longer = true; longer;) {
    const auto burst = wire.exchange(messages(peer, root, reading.n), bytes);
    reading.burst = sampler.sample(one_after_the_other(*burst, *reply))[0];
    const int most = burst_for(bytes, kLongestBurst);
    longer = reading.n < most &&
             sampler.agreed(reading.burst.value < 2 * reading.round_trip.value ? 1 : 0) != 0;
    if (longer) reading.n = std::min(8 * reading.n, most);
  }
  // Each end is ready long before the other one begins.
  const double pause = 1.5 * reading.round_trip.value + 1;
  const auto overheads = sampler.sample([&](int calls) {
    std::vector<double> sums(3);
    for (int i = 0; i < calls; ++i) {
      if (root) delay(pause);
      const double begun = timed([&] { first->begin(); });
      const double ended = timed([&] { first->finish(); });
      if (root) delay(pause);
      sums[0] += begun;
      sums[1] += timed([&] { reply->begin(); });
      sums[2] += begun + ended;
      reply->finish();
    }
    return sums;
  });
  reading.o_s = overheads[0];
  reading.o_r = overheads[1];
  reading.sent = overheads[2];
  return reading;
}

models::Median measure_delayed(tutti_comm comm, Wire& wire, const SizeReading& least,
                               double seconds) {
  constexpr int n = 16;
  const bool root = rank_in(comm) == 0;
  const Rank peer = root ? 1 : 0;
  const auto one = wire.exchange(messages(peer, root, 1), least.bytes);
  const auto reply = wire.exchange(messages(peer, !root, 1), least.bytes);
  const double d = std::max(2 * least.gap(), least.round_trip.value) + 1;
  return Sampler(comm, seconds).sample([&](int calls) {
    double sum = 0;
    for (int call = 0; call < calls; ++call) {
      // A delay is as long as it is, not as long as it was to be.
      double waited = 0;
      const double all = timed([&] {
        for (int i = 0; i < n; ++i) {
          if (root && i > 0) waited += timed([&] { delay(d); });
          one->run();
        }
        reply->run();
      });
      sum += (all - waited - least.round_trip.value) / (n - 1);
    }
    return std::vector{std::max(0.0, sum)};
  })[0];
}

PeersReading measure_peers(tutti_comm comm, Wire& wire, int n, const SizeReading& least,
                           double seconds) {
  const int rank = rank_in(comm);
  const bool root = rank == 0;
  std::vector<Message> out, back, last;
  for (Rank peer = 1; peer <= n; ++peer) {
    if (root) {
      out.push_back({peer, true});
      back.push_back({peer, false});
    } else if (peer == rank) {
      out.push_back({0, false});
      back.push_back({0, true});
    }
  }
  if (root) last = {{n, false}};
  if (rank == n) last = back;
  const auto there = wire.exchange(out, least.bytes);
  const auto all = wire.exchange(back, least.bytes);
  const auto reply = wire.exchange(last, least.bytes);
  Sampler sampler(comm, seconds / 2);
  PeersReading reading;
  reading.time = sampler.sample([&](int calls) {
    return std::vector{timed([&] {
      for (int i = 0; i < calls; ++i) {
        there->run();
        reply->run();
      }
    })};
  })[0];
  const double pause = 1.5 * reading.time.value + 1;
  const auto overheads = sampler.sample([&](int calls) {
    std::vector<double> sums(2);
    for (int i = 0; i < calls; ++i) {
      if (root) delay(pause);
      sums[0] += timed([&] { there->begin(); }) / n;
      there->finish();
      if (root) delay(pause);
      sums[1] += timed([&] { all->begin(); }) / n;
      all->finish();
    }
    return sums;
  });
  reading.o_s = overheads[0];
  reading.o_r = overheads[1];
  return reading;
}

DestinationsReading measure_destinations(tutti_comm comm, Wire& wire, int n, Bytes bytes,
                                         double seconds) {
  constexpr int kBurst = 64, kEach = 4;  // messages at least, of all and of each destination
  const int rank = rank_in(comm), each = std::max(kEach, (kBurst + n - 1) / n);
  const bool root = rank == 0;
  DestinationsReading reading{.n = n, .messages = n * each};
  std::vector<Message> out, one, back;
  if (root)
    for (int i = 0; i < reading.messages; ++i) out.push_back({1 + i % n, true});
  else if (rank <= n)
    out = messages(0, false, each);
  if (root || rank == n) {
    one = messages(root ? n : 0, root, 1);
    back = messages(root ? n : 0, !root, 1);
  }
  const auto burst = wire.exchange(out, bytes);
  const auto single = wire.exchange(one, bytes);
  const auto reply = wire.exchange(back, bytes);
  Sampler sampler(comm, seconds / 2);
  reading.burst = sampler.sample(one_after_the_other(*burst, *reply))[0];
  reading.round_trip = sampler.sample(one_after_the_other(*single, *reply))[0];
  return reading;
}

BisectionReading measure_bisection(tutti_comm comm, Wire& wire, int bisections,
                                   std::uint64_t seed) {
  constexpr Bytes kBytes = 256 << 10;
  constexpr int kBurst = 8;
  const int P = communicator_of(comm).size(), me = rank_in(comm);
  BisectionReading reading{.bytes = kBytes, .pairs = P / 2};
  models::Chance chance(seed);
  for (int i = 0; i < bisections; ++i) {
    std::vector<Rank> order(index(P));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t at = order.size(); at > 1; --at)
      std::swap(order[at - 1],
                order[static_cast<std::size_t>(chance.uniform() * static_cast<double>(at))]);
    std::vector<Message> out, back;  // the ranks in even places send to those after them
    bool sends = false;
    for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
      if (order[at] != me && order[at + 1] != me) continue;
      sends = order[at] == me;
      const Rank peer = order[sends ? at + 1 : at];
      out = messages(peer, sends, kBurst);
      back = messages(peer, !sends, 1);
    }
    const auto there = wire.exchange(out, kBytes);
    const auto reply = wire.exchange(back, 0);
    double mine = 0;
    for (const bool counts : {false, true}) {  // the first time connects
      must(tutti_barrier(comm), "tutti_barrier");
      const double us = timed([&] {
        there->run();
        reply->run();
      });
      if (counts && sends) mine = static_cast<double>(kBytes) * kBurst / us;
    }
    double sum = 0;
    must(tutti_allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm), "tutti_allreduce");
    reading.megabytes.push_back(sum / reading.pairs);
  }
  return reading;
}

ComputeReading measure_compute(double seconds) {
  // About what collectives copy and combine at a time.
  constexpr std::size_t kBytes = 64 << 10;
  std::vector<std::byte> a(kBytes), b(kBytes, std::byte{1}), c(kBytes, std::byte{2});
  const auto sum = collectives::kernel(collectives::Operation::sum, collectives::Element::int32);
  const auto sampled = [&](const std::function<void()>& call) {
    std::vector<double> times;
    const auto begin = Clock::now();
    do {
      times.push_back(timed([&] {
                        for (int i = 0; i < 16; ++i) call();
                      }) /
                      16 / static_cast<double>(kBytes));
    } while (times.size() < 11 || (times.size() < 201 && since(begin) < seconds * 5e5 &&
                                   models::median_of(times).width() > kNarrow / 2));
    return models::median_of(times);
  };
  return {.copy = sampled([&] { copy_bytes(a.data(), b.data(), kBytes); }),
          .reduce = sampled([&] { sum(nullptr, b.data(), c.data(), c.data(), kBytes); })};
}

}  // namespace tutti::tools
