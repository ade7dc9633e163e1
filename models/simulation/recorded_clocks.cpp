// Finds a recorded call in the files of all ranks, and aligns the clocks of these.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "models/simulation/recorded.hpp"

namespace tutti::models {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// For two clocks: the least time, as their clocks show it, from a send's begin on the one to its
// receive's end on the other.
using Delays = std::map<std::pair<std::size_t, std::size_t>, std::int64_t>;

// All calls that can be whole, by name, with the places of those ranks that recorded them.
std::map<CallName, std::vector<std::optional<RecordedPlace>>> calls_of(
    const std::vector<Recorded>& files) {
  std::map<CallName, std::vector<std::optional<RecordedPlace>>> all;
  for (std::size_t file = 0; file < files.size(); ++file)
    for (std::size_t i = 0; i < files[file].calls.size(); ++i) {
      const RecordedCall& call = files[file].calls[i];
      if (static_cast<std::size_t>(call.P) > files.size()) continue;  // each rank has its file
      auto& places = all[call.name];
      places.resize(std::max(places.size(), static_cast<std::size_t>(call.P)));
      places[static_cast<std::size_t>(call.rank)] = RecordedPlace{file, i};
    }
  return all;
}

std::optional<std::vector<RecordedPlace>> complete(
    const std::vector<std::optional<RecordedPlace>>& some) {
  std::vector<RecordedPlace> places;
  places.reserve(some.size());
  for (const auto& place : some) {
    if (!place) return {};
    places.push_back(*place);
  }
  return places;
}

Delays delays_between(const std::vector<Recorded>& files, const std::vector<std::size_t>& clock) {
  Delays least;
  for (const auto& [name, some] : calls_of(files)) {
    const auto found = complete(some);
    if (!found) continue;
    const std::vector<RecordedPlace>& places = *found;
    each_message(
        files, places,
        [&](Rank from, const RecordedStep& sent, Rank to, const RecordedStep& received) {
          const auto clock_of = [&](Rank rank) {
            return clock[places[static_cast<std::size_t>(rank)].file];
          };
          if (clock_of(from) == clock_of(to)) return;
          auto& delay = least.try_emplace({clock_of(from), clock_of(to)}, kNone).first->second;
          delay = std::min(delay, received.end - sent.begin);
        });
  }
  return least;
}

}  // namespace

std::vector<RecordedPlace> places_of(const std::vector<Recorded>& files, const CallName& name) {
  const auto all = calls_of(files);
  const auto found = all.find(name);
  if (found != all.end())
    if (auto places = complete(found->second)) return *places;
  throw Error(Code::bad_configuration,
              fmt::format("not all ranks recorded the call {} of this communicator", name.number));
}

Alignment align(const std::vector<Recorded>& files) {
  std::vector<std::size_t> clock;  // by file: the first file that has this clock
  clock.reserve(files.size());
  for (const Recorded& file : files) {
    const auto first = std::find_if(files.begin(), files.end(), [&](const Recorded& other) {
      return other.clock == file.clock;
    });
    clock.push_back(static_cast<std::size_t>(first - files.begin()));
  }
  const Delays delays = delays_between(files, clock);
  Alignment alignment;
  std::map<std::size_t, std::int64_t> add{{0, 0}};  // by clock
  // From clock to clock, the surest pair first.
  for (;;) {
    std::optional<std::int64_t> best;
    std::size_t next = 0;
    std::int64_t added = 0;
    for (const auto& [pair, there] : delays) {
      const auto back = delays.find({pair.second, pair.first});
      if (back == delays.end() || !add.contains(pair.first) || add.contains(pair.second)) continue;
      // true delay there = there + add(second) − add(first) ≥ 0, and back likewise
      const std::int64_t width = (there + back->second) / 2;
      const std::int64_t apart = add.at(pair.first) + (back->second - there) / 2;
      if ((best && *best <= width) || apart > kMostTime || apart < -kMostTime) continue;
      best = width;
      next = pair.second;
      added = apart;
    }
    if (!best) break;
    add[next] = added;
    alignment.uncertainty = std::max(alignment.uncertainty, *best);
  }
  alignment.add.resize(files.size());
  for (std::size_t file = 0; file < files.size(); ++file) {
    const auto found = add.find(clock[file]);
    if (found == add.end())
      alignment.loose.push_back(file);
    else
      alignment.add[file] = found->second;
  }
  return alignment;
}

}  // namespace tutti::models
