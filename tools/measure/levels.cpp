// The measurements of a level: their sizes, and the time that each gets.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "src/api/library.hpp"
#include "src/data/mpi_lock.hpp"
#include "tools/bench/bench.hpp"
#include "tools/measure/measure.hpp"
#include "tools/measure/ranks.hpp"
#include "tools/progress_bar.hpp"
#include "transport/bootstrap_mpi.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t kMostSizes = 24;
// Shares of a level's time.
constexpr double kForSizes = 0.5, kForDelays = 0.05, kForPeers = 0.06, kForDestinations = 0.04,
                 kForRings = 0.2, kForCombining = 0.05, kForFlatBarriers = 0.02, kForChains = 0.05,
                 kForTrees = 0.03;
constexpr double kForMethods = 0.1;             // besides, if they are asked for
constexpr double kNumbersOfRanks = 4;           // on which collectives are measured, about
constexpr std::size_t kMostDestinations = 256;  // of a burst
constexpr double kBend = 0.2;  // a curve that is nearer to straight needs no size more

Engine& engine_of(tutti_comm comm) { return communicator_of(comm).engine(); }

std::unique_ptr<Wire> wire_of(const MeasureOptions& options, tutti_comm comm) {
  return options.wire == "mpi" ? mpi_wire(comm) : tutti_wire(comm);
}

Bytes agreed(Bytes value, tutti_comm comm) {
  must(tutti_bcast(&value, sizeof value, MPI_BYTE, 0, comm), "tutti_bcast");
  return value;
}

// First times four, then where the curves bend. Rank 0 decides.
Bytes size_after(const std::vector<SizeReading>& known, Bytes least, Bytes most) {
  if (known.empty()) return least;
  const Bytes last = known.back().bytes;
  if (last < most) return std::min(most, std::max<Bytes>(last, 1) * 4);
  if (known.size() >= kMostSizes) return -1;
  std::vector<models::Sample> times, gaps;
  for (const SizeReading& size : known) {
    times.push_back({size.bytes, size.round_trip.value});
    gaps.push_back({size.bytes, std::max(size.gap(), 1e-3)});
  }
  const auto next = models::next_size(times, kBend);
  return next ? *next : models::next_size(gaps, kBend).value_or(-1);
}

// A new size, or one again that was disturbed, as long as there is time; −1: none.
Bytes size_to_measure(LevelReading& level, const MeasureOptions& options, double spent) {
  const Bytes least = *parse_size(options.least), most = *parse_size(options.most);
  const Bytes added = size_after(level.sizes, least, most);
  const bool first_round = level.sizes.empty() || level.sizes.back().bytes < most;
  if (first_round) return added;
  const auto disturbed = std::find_if(level.sizes.begin(), level.sizes.end(),
                                      [](const SizeReading& size) { return !size.sure(); });
  if (spent > kForSizes * options.seconds) {
    level.time_ran_out = added >= 0;
    return -1;
  }
  return disturbed != level.sizes.end() ? disturbed->bytes : added;
}

void measure_sizes(LevelReading& level, const MeasureOptions& options, tutti_comm comm, Wire& wire,
                   ProgressBar& bar) {
  const double seconds = kForSizes * options.seconds / kMostSizes, begin = MPI_Wtime();
  while (true) {
    const Bytes next = agreed(size_to_measure(level, options, MPI_Wtime() - begin), comm);
    if (next < 0) break;
    const SizeReading reading = measure_size(comm, wire, next, seconds);
    const auto place = std::find_if(level.sizes.begin(), level.sizes.end(),
                                    [&](const SizeReading& some) { return some.bytes >= next; });
    if (place == level.sizes.end() || place->bytes != next)
      level.sizes.insert(place, reading);
    else
      *place = reading;
    if (communicator_of(comm).rank() == 0) bar.show(level.sizes.size(), kMostSizes + 1);
  }
}

bool asks_for(const MeasureOptions& options, std::string_view model) {
  const auto& models = options.models;
  return models.empty() || std::find(models.begin(), models.end(), model) != models.end();
}

// Bytes that do not stay in a core's largest cache. (sysconf() tells how large all
// caches of a socket are together.)
Bytes spread_of(const MeasureOptions& options, tutti_comm world) {
  constexpr Bytes kUsual = Bytes{32} << 20;
  if (!options.off_cache) return 0;
  const transport::Processors& processors = engine_of(world).processors();
  const auto cache = processors.last_cache();
  return 2 * (cache ? Bytes{processors.levels()[*cache].bytes} : kUsual);
}

// 2, 4, 8 and so on, and all that there are.
std::vector<int> contentions_of(std::size_t most) {
  std::vector<int> all;
  for (std::size_t tau = 2; tau < most; tau *= 2) all.push_back(static_cast<int>(tau));
  if (most > 1) all.push_back(static_cast<int>(most));
  return all;
}

std::vector<Bytes> times_four(Bytes least, Bytes most) {
  std::vector<Bytes> all;
  for (Bytes bytes = least; bytes < most; bytes *= 4) all.push_back(bytes);
  all.push_back(most);
  return all;
}

// Each τ by its own ranks; the others sleep meanwhile. `measure`: the median of so many bytes
// on a communicator.
template <class Measure>
void measure_at_once(std::vector<AtOnceReading>& readings, const std::vector<int>& contentions,
                     const std::vector<int>& ranks, int ranks_each, const std::vector<Bytes>& sizes,
                     tutti_comm world, Measure&& measure) {
  for (const int tau : contentions) {
    const Members members(engine_of(world), ranks, static_cast<std::size_t>(tau * ranks_each));
    if (members.comm() != TUTTI_COMM_NULL)
      for (const Bytes bytes : sizes)
        readings.push_back({tau, bytes, measure(members.comm(), bytes)});
    transport::MpiBootstrap(MPI_COMM_WORLD, mpi_lock).rest();
  }
}

void measure_rings(LevelReading& reading, const Level& level, const MeasureOptions& options,
                   tutti_comm world) {
  const auto sizes = times_four(*parse_size(options.least), *parse_size(options.most));
  const int each = level.between ? 2 : 1;
  const auto contentions = contentions_of(level.ring.size() / index(each));
  const double seconds =
      kForRings * options.seconds / static_cast<double>(contentions.size() * sizes.size() + 1);
  measure_at_once(reading.rings, contentions, level.ring, each, sizes, world,
                  [&](tutti_comm comm, Bytes bytes) {
                    return measure_ring(comm, *wire_of(options, comm), bytes, level.between,
                                        spread_of(options, world), seconds);
                  });
}

// By the ranks of a node.
void measure_combining_of(LevelReading& reading, const Level& level, const MeasureOptions& options,
                          tutti_comm world) {
  constexpr Bytes kLeast = 64;
  const auto sizes = times_four(kLeast, std::max(*parse_size(options.most), kLeast) / 4 * 4);
  std::vector<int> contentions{1};
  if (!level.between)
    for (const int tau : contentions_of(level.ranks.size())) contentions.push_back(tau);
  const double seconds =
      kForCombining * options.seconds / static_cast<double>(contentions.size() * sizes.size());
  measure_at_once(reading.combining, contentions, level.ranks, 1, sizes, world,
                  [&](tutti_comm comm, Bytes bytes) {
                    return measure_combining(comm, bytes, spread_of(options, world), seconds);
                  });
}

// On 2, 3, 4, 8 and so on of these ranks.
template <class Measure>
std::vector<CollectiveReading> on_some_ranks(const std::vector<int>& ranks,
                                             const std::vector<Bytes>& sizes, tutti_comm world,
                                             Measure&& measure) {
  std::vector<int> counts = contentions_of(ranks.size());
  if (ranks.size() > 3) counts.insert(counts.begin() + 1, 3);
  std::vector<CollectiveReading> all;
  for (const int P : counts) {
    const Members members(engine_of(world), ranks, index(P));
    if (members.comm() != TUTTI_COMM_NULL)
      for (const Bytes bytes : sizes) all.push_back({P, bytes, measure(members.comm(), bytes)});
    transport::MpiBootstrap(MPI_COMM_WORLD, mpi_lock).rest();
  }
  return all;
}

// The first ones of these ranks, as far as each has a core. Where some wait for one, a broadcast
// takes what the scheduler does.
std::vector<int> with_a_core(const std::vector<int>& ranks, const transport::Placement& placement) {
  std::map<int, int> on;  // by machine
  const auto crowded = std::ranges::find_if(ranks, [&](int rank) {
    const int machine = placement.machine_of(placement.node_of(rank));
    return ++on[machine] > placement.threads_of(machine);
  });
  return {ranks.begin(), crowded};
}

std::vector<CollectiveReading> broadcasts(const LevelReading& reading,
                                          const std::vector<int>& ranks,
                                          const MeasureOptions& options, Broadcast what,
                                          double share, tutti_comm world) {
  what.answer = reading.empty.value / 2;
  const auto sizes = times_four(*parse_size(options.least), *parse_size(options.most));
  const double seconds =
      share * options.seconds / (kNumbersOfRanks * static_cast<double>(sizes.size()));
  return on_some_ranks(ranks, sizes, world, [&](tutti_comm comm, Bytes bytes) {
    what.bytes = bytes;
    return measure_broadcast(comm, *wire_of(options, comm), what, seconds);
  });
}

// In a flat tree all messages are between the first rank and others; in a chain of ranks that are
// in turn on two nodes, between these.
void measure_collectives(LevelReading& reading, const Level& level, const MeasureOptions& options,
                         tutti_comm world) {
  reading.flat_barriers = on_some_ranks(level.ranks, {0}, world, [&](tutti_comm comm, Bytes) {
    return measure_flat_barrier(comm, *wire_of(options, comm),
                                kForFlatBarriers * options.seconds / kNumbersOfRanks);
  });
  const Broadcast chain{.tree_of = [](int P, Rank rank) { return collectives::chain(P, rank, 0); }};
  reading.chains = broadcasts(reading, level.ring, options, chain, kForChains, world);
}

void measure_level(LevelReading& reading, const Level& level, const MeasureOptions& options,
                   tutti_comm world) {
  ProgressBar bar(level.name.c_str(), ProgressBar::Elsewhere::lines);
  {
    const Members pair(engine_of(world), level.ranks, 2);
    if (pair.comm() != TUTTI_COMM_NULL) {
      const auto wire = wire_of(options, pair.comm());
      const Rank peer = communicator_of(pair.comm()).rank() == 0 ? 1 : 0;
      reading.limits = wire->limits(peer);
      reading.protocols = wire->protocols(peer);
      measure_sizes(reading, options, pair.comm(), *wire, bar);
      const double seconds = kForDelays * options.seconds / 2;
      reading.delayed = measure_delayed(pair.comm(), *wire, reading.sizes.front(), seconds);
      reading.empty = measure_round_trip(pair.comm(), *wire, 0, seconds);
      if (options.methods)
        reading.methods = {measure_methods(pair.comm(), *wire, reading.sizes.front(),
                                           reading.sizes.back(), kForMethods * options.seconds)};
    }
    transport::MpiBootstrap(MPI_COMM_WORLD, mpi_lock).rest();
  }
  if (level.ranks.size() > 2) {
    const Members all(engine_of(world), level.ranks, level.ranks.size());
    if (all.comm() != TUTTI_COMM_NULL) {
      const auto wire = wire_of(options, all.comm());
      SizeReading least{.bytes = *parse_size(options.least)};
      const int most = static_cast<int>(std::min<std::size_t>(level.ranks.size() - 1, 16));
      for (int n = 1; n <= most; ++n)
        reading.peers.push_back(
            measure_peers(all.comm(), *wire, n, least, kForPeers * options.seconds / most));
      std::vector<int> numbers =
          contentions_of(std::min(level.ranks.size() - 1, kMostDestinations));
      numbers.insert(numbers.begin(), 1);
      const double seconds =
          kForDestinations * options.seconds / static_cast<double>(numbers.size());
      for (const int n : numbers)
        reading.destinations.push_back(
            measure_destinations(all.comm(), *wire, n, least.bytes, seconds));
    }
  }
  transport::MpiBootstrap(MPI_COMM_WORLD, mpi_lock).rest();
}

// Brings the readings of a level's first rank to rank 0, in a form that travels.
template <class Part>
void bring(std::vector<Part>& parts, int from) {
  static_assert(std::is_trivially_copyable_v<Part>);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  auto count = static_cast<int>(parts.size());
  MPI_Bcast(&count, 1, MPI_INT, from, MPI_COMM_WORLD);
  parts.resize(static_cast<std::size_t>(count));
  MPI_Bcast(parts.data(), static_cast<int>(parts.size() * sizeof(Part)), MPI_BYTE, from,
            MPI_COMM_WORLD);
}
void bring(std::string& text, int from) {
  std::vector<char> letters(text.begin(), text.end());
  bring(letters, from);
  text.assign(letters.begin(), letters.end());
}
template <class Part>
void bring_one(Part& part, int from) {
  std::vector<Part> one{part};
  bring(one, from);
  part = one[0];
}

void name_wire(LevelReading& reading, const MeasureOptions& options, Engine& engine) {
  const auto facts = engine.describe();
  const bool within = reading.level == "within nodes";
  reading.wire = options.wire == "mpi"    ? "mpi"
                 : within                 ? "shm"
                 : engine.software_wire() ? "rxe"
                                          : "hardware";
  if (!within && options.wire != "mpi" && facts.contains("device"))
    reading.device = facts["device"].value("name", "");
}

}  // namespace

std::vector<LevelReading> measure_levels(const MeasureOptions& options, tutti_comm world) {
  Engine& engine = communicator_of(world).engine();
  const auto levels = levels_of(engine);
  if (levels.empty())
    throw Error(Code::unsupported,
                "no two ranks can be measured: none share a node, or reach "
                "each other over a device");
  std::vector<LevelReading> all;
  for (const Level& level : levels) {
    LevelReading reading{.level = level.name, .ranks = static_cast<int>(level.ranks.size())};
    reading.on_cores = static_cast<int>(with_a_core(level.ranks, engine.placement()).size());
    measure_level(reading, level, options, world);
    if (asks_for(options, models::tau_lop::kName)) {
      measure_rings(reading, level, options, world);
      const Broadcast tree{
          .tree_of = [](int P, Rank rank) { return collectives::binomial(P, rank, 0); },
          .spread = spread_of(options, world)};
      reading.trees = broadcasts(reading, with_a_core(level.ring, engine_of(world).placement()),
                                 options, tree, kForTrees, world);
      if (&level == &levels.front()) measure_combining_of(reading, level, options, world);
    }
    if (asks_for(options, models::kFittedPLogP))
      measure_collectives(reading, level, options, world);
    const int from = level.ranks.front();
    bring(reading.sizes, from);
    bring(reading.peers, from);
    bring(reading.destinations, from);
    bring(reading.protocols, from);
    bring_one(reading.delayed, from);
    int ran_out = reading.time_ran_out ? 1 : 0;
    bring_one(ran_out, from);
    reading.time_ran_out = ran_out != 0;
    bring_one(reading.empty, from);
    bring(reading.rings, from);
    bring(reading.combining, from);
    bring(reading.flat_barriers, from);
    bring(reading.chains, from);
    bring(reading.trees, from);
    bring(reading.methods, from);
    bring_one(reading.limits, from);
    name_wire(reading, options, engine);
    all.push_back(std::move(reading));
  }
  return all;
}

}  // namespace tutti::tools
