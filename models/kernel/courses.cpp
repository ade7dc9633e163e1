// Plays each stage of a kernel once for each channel, by a clock of bytes.
#include "models/kernel/courses.hpp"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <tuple>

#include "base/error.hpp"
#include "base/index.hpp"
#include "collectives/analysis/world.hpp"
#include "models/tau_lop/cost.hpp"

namespace tutti::models::kernel {
namespace {

using collectives::Place;
using collectives::StepId;
using collectives::StepKind;
using collectives::World;
using tau_lop::Course;

// One channel during one stage.
class Channel {
 public:
  Channel(World& world, const std::vector<int>& node, int channel)
      : world_(world), node_(node), channel_(channel), ranks_(index(world.P())) {}

  // Messages through it, from the beginning of the stage on.
  Course course() {
    world_.reset();
    for (Rank rank = 0; rank < world_.P(); ++rank) look(rank, 0);
    while (!ends_.empty()) {
      const auto [now, rank, id] = ends_.top();
      ends_.pop();
      ranks_[index(rank)].sending = false;
      passed({rank, id}, now);
    }
    return tau_lop::overlay(courses_);
  }
  // Receives that still wait at its end.
  std::vector<Result::Blocked> blocked() const {
    std::vector<Result::Blocked> all;
    for (Rank rank = 0; rank < world_.P(); ++rank) {
      const OfRank& one = ranks_[index(rank)];
      for (StepId id = 0; id < one.posted.size(); ++id)
        if (one.posted[id] && !one.arrived[id])
          all.push_back({rank, world_.step({rank, id}).peer, id});
    }
    return all;
  }

 private:
  using End = std::tuple<Bytes, Rank, StepId>;
  struct OfRank {
    std::priority_queue<StepId, std::vector<StepId>, std::greater<>> sends;
    std::vector<std::uint8_t> arrived, posted;  // by step
    bool sending = false;
  };

  int channel_of(Place message) const {
    const bool within = node_[index(message.rank)] == node_[index(world_.step(message).peer)];
    return within ? tau_lop::kMemory : tau_lop::kNetwork;
  }

  // Takes what the rank can do now.
  void look(Rank rank, Bytes now) {
    OfRank& mine = ranks_[index(rank)];
    const std::size_t steps = world_.schedule(rank).steps.size();
    mine.arrived.resize(steps);
    mine.posted.resize(steps);
    std::vector<Place> free;  // sends through the other channel
    world_.take_ready(rank, [&](Place place) {
      const StepKind kind = world_.step(place).kind;
      if (kind == StepKind::send) {
        if (channel_of(place) == channel_)
          mine.sends.push(place.id);
        else
          free.push_back(place);
      } else if (collectives::receives(kind)) {
        mine.posted[place.id] = 1;
        if (mine.arrived[place.id]) world_.done(place);
      } else {
        world_.done(place);
      }
    });
    if (!mine.sending && !mine.sends.empty()) {
      const StepId id = mine.sends.top();
      mine.sends.pop();
      mine.sending = true;
      const Bytes bytes = collectives::length_of(world_.step({rank, id}));
      if (bytes > 0) courses_.push_back({{0, now}, {1, bytes}});
      ends_.push({now + bytes, rank, id});
    }
    for (const Place place : free) passed(place, now);
  }

  void passed(Place send, Bytes now) {
    const Place receive = world_.partner(send);
    OfRank& other = ranks_[index(receive.rank)];
    other.arrived.resize(world_.schedule(receive.rank).steps.size());
    other.posted.resize(other.arrived.size());
    other.arrived[receive.id] = 1;
    world_.done(send);
    if (other.posted[receive.id]) world_.done(receive);
    look(send.rank, now);
    look(receive.rank, now);
  }

  World& world_;
  const std::vector<int>& node_;
  const int channel_;
  std::vector<OfRank> ranks_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<Course> courses_;
};

// Where the stages of each rank begin and end.
struct Bounds {
  std::size_t begin, end;
};
std::vector<Bounds> stages_of(const std::vector<Operation>& all) {
  std::vector<Bounds> stages;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= all.size(); ++i)
    if (i == all.size() || all[i].kind == Kind::stage) {
      stages.push_back({begin, i});
      begin = i + 1;
    }
  return stages;
}

}  // namespace

Normal courses_of(const Kernel& kernel, const std::vector<int>& node, const Choose& choose) {
  Schedules schedules(kernel, node, choose);
  std::vector<std::vector<Bounds>> stages;
  for (const auto& all : kernel.ranks) stages.push_back(stages_of(all));
  Normal sum;
  for (std::size_t stage = 0; stage < stages.front().size(); ++stage) {
    World world(kernel.P(), [&](Rank rank) {
      const auto [begin, end] = stages[index(rank)][stage];
      return schedules.of(rank, begin, end);
    });
    if (!world.messages().ok())
      bad_configuration(
          fmt::format("a message leaves stage {}: {}", stage + 1, world.messages().message));
    for (const int channel : {tau_lop::kMemory, tau_lop::kNetwork}) {
      Channel played(world, node, channel);
      for (const auto& [tau, bytes] : played.course()) sum[{channel, tau}] += bytes;
      if (!world.finished()) schedules.deadlock(played.blocked());
    }
  }
  return sum;
}

std::string text_of(const Normal& normal, Bytes unit) {
  constexpr const char* kChannels[] = {"\u2070", "\u00b9"};
  std::string text;
  for (auto at = normal.rbegin(); at != normal.rend(); ++at) {
    const auto& [key, bytes] = *at;
    const auto& [channel, tau] = key;
    const std::string amount =
        bytes % unit == 0
            ? fmt::format("{}", bytes / unit)
            : fmt::format("{:.6g}", static_cast<double>(bytes) / static_cast<double>(unit));
    text += fmt::format("{}{}T{}({})", text.empty() ? "" : " + ",
                        tau > 1 ? fmt::format("{}\u2225", tau) : "", kChannels[channel], amount);
  }
  return text.empty() ? "0" : text;
}

}  // namespace tutti::models::kernel
