// Calls of real runs, as the setting `trace` records them (src/job/trace.hpp): reading them, and
// bringing the clocks of their ranks together. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/problem.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::models {

// Times of a rank's clock, ns, are not below 0 and not above this, which is 36 years: sums of a few
// of them fit.
inline constexpr std::int64_t kMostTime = std::int64_t{1} << 60;

struct RecordedStep {
  collectives::StepKind kind;
  Rank peer;  // −1: no message
  Bytes bytes;
  Ordinal ordinal;          // of messages of one direction
  std::int64_t begin, end;  // ns of the rank's clock
};

// The name of a call in all files: two communicators may have the same id, but not the same first
// member, too.
struct CallName {
  CommunicatorId communicator = 0;
  int first = 0;  // the rank of MPI_COMM_WORLD that is rank 0 of the communicator
  CollectiveNumber number = 0;
  friend bool operator==(const CallName&, const CallName&) = default;
  friend bool operator<(const CallName& a, const CallName& b) {
    if (a.communicator != b.communicator) return a.communicator < b.communicator;
    return a.first != b.first ? a.first < b.first : a.number < b.number;
  }
};

// On one rank.
struct RecordedCall {
  CallName name;
  Rank rank = 0;  // of the communicator, as all ranks here
  int P = 0;
  collectives::Collective collective{};
  std::string algorithm;  // with its parameters
  Rank root = 0;
  Bytes bytes = 0, element = 1;
  std::string digest;               // of the schedule
  std::int64_t begin = 0, end = 0;  // ns
  std::vector<RecordedStep> steps;  // none: a broadcast by datagrams
};

// The file of one rank.
struct Recorded {
  int rank = 0, ranks = 1;  // of MPI_COMM_WORLD
  int node = 0;
  std::string host;
  std::string clock;  // equal on ranks that have one clock
  std::vector<RecordedCall> calls;
};

// Throws Error{bad_configuration}, which says in what line: it is cut off, it is no such file, its
// format is another one, a value is not what it should be.
Recorded parse_recorded(std::string_view text);

// Times to add to those of each file, ns, so that they are those of the first one's clock. Ranks
// with one clock need nothing. The fastest messages each way compare two clocks: each
// takes at least nothing, so the difference lies between two bounds, and is taken from their
// middle.
struct Alignment {
  std::vector<std::int64_t> add;  // by file
  // The worst half distance of two bounds, ns.
  std::int64_t uncertainty = 0;
  // Files whose clock nothing ties to the first one's: no messages go both ways, or their clocks
  // are further apart than kMostTime.
  std::vector<std::size_t> loose;
};
Alignment align(const std::vector<Recorded>& files);

// Where a call is: the file and the number in its calls, by rank of the communicator.
struct RecordedPlace {
  std::size_t file = 0, call = 0;
};
// A call as all its ranks recorded it. Throws Error{bad_configuration} if they did not all record
// it; `name` names it.
std::vector<RecordedPlace> places_of(const std::vector<Recorded>& files, const CallName& name);

// The send of each receive of that call, which `visit` is called with: sending rank, its step,
// receiving rank, its step.
template <class Visit>
void each_message(const std::vector<Recorded>& files, const std::vector<RecordedPlace>& places,
                  Visit&& visit) {
  const auto steps_of = [&](std::size_t rank) -> const std::vector<RecordedStep>& {
    return files[places[rank].file].calls[places[rank].call].steps;
  };
  for (std::size_t to = 0; to < places.size(); ++to)
    for (const RecordedStep& received : steps_of(to)) {
      if (!collectives::receives(received.kind)) continue;
      const auto from = static_cast<std::size_t>(received.peer);
      if (from >= places.size()) continue;
      for (const RecordedStep& sent : steps_of(from))
        if (sent.kind == collectives::StepKind::send && sent.peer == static_cast<Rank>(to) &&
            sent.ordinal == received.ordinal)
          visit(static_cast<Rank>(from), sent, static_cast<Rank>(to), received);
    }
}

}  // namespace tutti::models
