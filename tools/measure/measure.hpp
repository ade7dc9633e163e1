// Measurements of `tutti measure`, and the interfaces of its parts: patterns.cpp,
// collectives.cpp and methods.cpp exchange messages and time them, levels.cpp goes through sizes,
// ranks.hpp says which ranks do, readings.cpp what was read, report*.cpp and plot.cpp show,
// command.cpp reads the command line and saves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms/trees.hpp"
#include "models/platform/derive.hpp"
#include "models/methods.hpp"
#include "models/predictor.hpp"
#include "models/tau_lop/rings.hpp"
#include "models/platform/statistics.hpp"
#include "tools/busy.hpp"
#include "tools/measure/wire.hpp"

namespace tutti::tools {

// The options as the user wrote them.
struct MeasureOptions {
  std::string wire;  // empty: what the job has
  std::vector<std::string> models;
  std::string least = "1", most = "1M";
  double seconds = 10;              // for each level
  std::optional<std::string> save;  // a file; empty: the user's file of each wire
  std::string svg;
  bool json = false, bisection = false, off_cache = false, methods = false;
  int bisections = 16;
  std::uint64_t seed = 1;
};

// Microseconds.
struct SizeReading {
  Bytes bytes = 0;
  int n = 0;  // messages of a burst
  models::Median round_trip, burst, o_s, o_r, sent;
  double gap() const { return (burst.value - round_trip.value) / (n - 1); }
  // Whether the medians are known to a quarter, and fit each other; else other work disturbed them.
  bool sure() const;
};
// The time that τ processes of a node take at once, for τ-Lop.
struct AtOnceReading {
  int tau = 1;
  Bytes bytes = 0;  // of each
  models::Median time;
};
// The time of a collective of P ranks.
struct CollectiveReading {
  int P = 2;
  Bytes bytes = 0;
  models::Median time;
};
struct PeersReading {
  models::Median time, o_s, o_r;
};
// A burst of messages that go to n ranks in turn, and a message to the last of them alone; each
// until that one has answered.
struct DestinationsReading {
  int n = 1, messages = 2;
  models::Median burst, round_trip;
  models::Readings::Destinations gap() const;  // and its interval
};

// Times of one message each, see models::MethodTimes.
struct MethodsReading {
  models::Median few, many, delayed_round_trip, answered, window, longest_window, paused_sends,
      paused_receives;
  double delay = 0, pause = 0;
};

// Messages within nodes, or between them.
struct LevelReading {
  std::string level;         // "within nodes" or "between nodes"
  std::string wire, device;  // as in models::Origin
  std::string protocols;     // for readers
  int ranks = 0;             // of the level, all of them
  std::vector<SizeReading> sizes;
  std::vector<PeersReading> peers;
  std::vector<DestinationsReading> destinations;
  int on_cores = 0;                      // as many of the first ranks have a core each
  models::Median empty;                  // a round trip of messages without bytes
  std::vector<AtOnceReading> rings;      // τ from 2 on, TAU §7.3
  std::vector<AtOnceReading> combining;  // of the processes of a node
  std::vector<CollectiveReading> trees;  // broadcasts, for least squares, TAU §7.4
  // For PLogP fitted as OCC §6.1 does.
  std::vector<CollectiveReading> flat_barriers, chains;
  models::Median delayed;  // o_s from PRTT(n, d, s) of the least size, which waits in between
  std::vector<MethodsReading> methods;  // one, if they are asked for
  bool time_ran_out = false;
  std::vector<Bytes> unsure() const;  // sizes
  // Without the sizes that are not sure, unless all are so.
  models::Readings readings() const;
  std::optional<protocols::Limits> limits{};
  // How long rings and messages took, for τ-Lop.
  models::tau_lop::Rings of_rings() const;
  // With `methods`.
  models::MethodTimes method_times() const;
};

// Lines that are fitted to a level's readings, and the ranges in which one fits; empty, and why:
// the fit does not converge.
struct Fit {
  const char* what;
  std::vector<models::Sample> samples;
};
std::vector<Fit> fits_of(const LevelReading& level);
std::vector<models::FittedRange> ranges_of(const Fit& fit, std::string& problem);

struct BisectionReading {
  Bytes bytes = 0;  // of a message
  int pairs = 0;
  std::vector<double> megabytes;  // per second and pair, the mean of each bisection
};

// Measures one size between rank 0 and rank 1 of the communicator.
SizeReading measure_size(tutti_comm comm, Wire& wire, Bytes bytes, double seconds);
// o_s by delays, IB §4.3.3: (PRTT(n,d,s) − PRTT(1,0,s))/(n−1) − d.
models::Median measure_delayed(tutti_comm comm, Wire& wire, const SizeReading& least,
                               double seconds);
// Measures by methods other than PRTT between rank 0 and rank 1.
MethodsReading measure_methods(tutti_comm comm, Wire& wire, const SizeReading& least,
                               const SizeReading& longest, double seconds);
// Between rank 0 and ranks 1 to n.
PeersReading measure_peers(tutti_comm comm, Wire& wire, int n, const SizeReading& least,
                           double seconds);
// From rank 0 to ranks 1 to n in turn.
DestinationsReading measure_destinations(tutti_comm comm, Wire& wire, int n, Bytes bytes,
                                         double seconds);
// PRTT(1, 0, s) between rank 0 and rank 1.
models::Median measure_round_trip(tutti_comm comm, Wire& wire, Bytes bytes, double seconds);
// A ring of all ranks, each of which sends a message to the next and gets one from that before it:
// at once; or, `in_turn`, first the even ones send, then the odd ones: half of that.
models::Median measure_ring(tutti_comm comm, Wire& wire, Bytes bytes, bool in_turn, Bytes spread,
                            double seconds);
// A broadcast from rank 0 down a tree that has rounds, one after the other, until the last rank
// has it: it answers without bytes, which takes `answer` us of what is timed. `spread`: see
// Rotating.
struct Broadcast {
  collectives::Tree (*tree_of)(int P, Rank rank);
  Bytes bytes = 0, spread = 0;
  double answer = 0;
};
models::Median measure_broadcast(tutti_comm comm, Wire& wire, const Broadcast& what,
                                 double seconds);
// All ranks signal rank 0, which answers each when it has heard of all.
models::Median measure_flat_barrier(tutti_comm comm, Wire& wire, double seconds);
// All ranks combine so many bytes with as many, each by itself.
models::Median measure_combining(tutti_comm comm, Bytes bytes, Bytes spread, double seconds);
// The mean bandwidth of each of so many random bisections of all ranks.
BisectionReading measure_bisection(tutti_comm comm, Wire& wire, int bisections, std::uint64_t seed);

// Microseconds per byte, of this rank's processor.
struct ComputeReading {
  models::Median copy, reduce;  // of 4096 bytes and more
};
ComputeReading measure_compute(double seconds);

// Collective over MPI_COMM_WORLD, whose ranks all get the readings of rank 0.
std::vector<LevelReading> measure_levels(const MeasureOptions& options, tutti_comm world);

// All that was measured, derived and saved; only rank 0 has it.
struct Measured {
  std::vector<Host> hosts;
  std::vector<LevelReading> levels;
  ComputeReading compute;
  std::optional<BisectionReading> bisection;
  models::Origin origin;
  // A model that was asked for: its parameters, or why there are none.
  struct Derived {
    std::string model;
    std::optional<models::Predictor> predictor;
    std::string problem;
  };
  std::vector<Derived> derived;
};
void print_measured(const Measured& measured);
std::string json_of(const Measured& measured);
void draw_measured(const std::string& path, const Measured& measured);

}  // namespace tutti::tools
