// The picture of rounds: which messages can go together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "collectives/analysis/world.hpp"
#include "tools/draw/picture.hpp"
#include "tools/drawing/svg.hpp"

namespace tutti::tools {
namespace {

using collectives::Place;
using collectives::StepId;
using collectives::StepKind;
using collectives::World;

constexpr std::size_t kMostRounds = 128;
constexpr std::string_view kNote =
    "rounds: messages that need not wait for each other; a line leaves its sender on the left, "
    "whose colour it has";
constexpr double kRoundsLeft = 60, kRoundsRight = 30, kRoundsTop = 104, kRoundsBottom = 34;

struct Message {
  Rank from, to;
  Bytes bytes;
  int round;  // from 0
};

// A message goes in the round after those of all messages that it waits for, however many a rank
// sends in one round.
class Rounds {
 public:
  explicit Rounds(std::span<const collectives::Schedule> schedules)
      : world_(schedules), after_(world_.steps()), sent_(world_.steps(), -1) {
    for (Rank rank = 0; rank < world_.P(); ++rank) pending_.push_back(rank);
    while (!pending_.empty()) {
      const Rank rank = pending_.back();
      pending_.pop_back();
      world_.take_ready(rank, [&](Place place) { serve(place); });
    }
  }
  std::vector<Message> messages;

 private:
  int& after(Place place) { return after_[world_.number(place)]; }  // rounds before the step
  int& sent(Place place) { return sent_[world_.number(place)]; }

  void serve(Place place) {
    const auto& step = world_.step(place);
    if (collectives::receives(step.kind)) {
      const Place send = world_.partner(place);
      if (sent(send) >= 0)
        done(place, std::max(after(place), sent(send) + 1));
      else
        sent(place) = 0;  // it waits
      return;
    }
    if (step.kind == StepKind::send) {
      const Place receive = world_.partner(place);
      const bool waits = sent(receive) == 0;
      sent(place) = after(place);
      messages.push_back({place.rank, receive.rank, length_of(step), after(place)});
      if (waits) {
        done(receive, std::max(after(receive), after(place) + 1));
        pending_.push_back(receive.rank);
      }
    }
    done(place, after(place));
  }

  void done(Place place, int rounds) {
    for (const StepId next : world_.schedule(place.rank).successors_of(place.id)) {
      int& later = after({place.rank, next});
      later = std::max(later, rounds);
    }
    world_.done(place);
  }

  World world_;
  std::vector<int> after_, sent_;  // by step; sent_ of a receive: 0 if it waits
  std::vector<Rank> pending_;
};

// "64 × 1 KiB"; if they differ, "64: 1 MiB" is how many, and all their bytes.
std::string summary_of(const std::vector<const Message*>& messages) {
  Bytes all = 0;
  bool alike = true;
  for (const Message* message : messages) {
    all += message->bytes;
    alike &= message->bytes == messages.front()->bytes;
  }
  if (all == 0) return fmt::format("{} signals", messages.size());
  if (alike)
    return fmt::format("{} × {}", messages.size(), svg::size_text(messages.front()->bytes));
  return fmt::format("{}: {}", messages.size(), svg::size_text(all));
}

std::string colour_of(Rank rank, int P) { return fmt::format("hsl({},62%,44%)", rank * 300 / P); }

}  // namespace

std::string draw_rounds(const Drawn& what) {
  const int P = static_cast<int>(what.schedules.size());
  const Rounds found{what.schedules};
  std::map<int, std::vector<const Message*>> rounds;
  for (const Message& message : found.messages) rounds[message.round].push_back(&message);
  if (rounds.size() > kMostRounds)
    throw Error(Code::bad_configuration,
                fmt::format("it has {} rounds, and a picture at most {}; take fewer ranks",
                            rounds.size(), kMostRounds));
  const auto count = static_cast<double>(rounds.size());
  const double column = std::clamp(960 / std::max(count, 1.), 84., 220.);
  const double row = std::clamp(640. / P, 13., 42.), dot = std::min(5., row / 3.4);
  const auto x = [&](double round) { return kRoundsLeft + 14 + column * round; };
  const auto y = [&](Rank rank) { return kRoundsTop + row * (rank + 0.5); };
  const double bottom = kRoundsTop + row * P;
  std::string drawn = svg::text(kRoundsLeft - 40, 24, what.title, R"(font-size="15")") +
                      svg::text(kRoundsLeft - 40, 44, kNote, svg::kNote) +
                      svg::text(kRoundsLeft - 8, kRoundsTop - 6, "rank", svg::kTickLeft);
  for (Rank rank = 0; rank < P; ++rank) {
    drawn += svg::line(x(0), y(rank), x(count), y(rank), "#e3e7eb");
    drawn += svg::text(kRoundsLeft - 8, y(rank) + 4, std::to_string(rank),
                       row < 14 ? R"(font-size="9" text-anchor="end")" : svg::kTickLeft);
  }
  int place = 0;
  for (const auto& [round, messages] : rounds) {
    drawn +=
        svg::text(x(place + 0.5), kRoundsTop - 26, fmt::format("round {}", round + 1), svg::kTick);
    drawn += svg::text(x(place + 0.5), kRoundsTop - 10, summary_of(messages),
                       R"(font-size="10" text-anchor="middle" fill="#555")");
    for (const Message* message : messages) {
      const std::string tip =
          fmt::format("round {}: rank {} to rank {}, {}", round + 1, message->from, message->to,
                      svg::size_text(message->bytes));
      drawn += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
                           R"(stroke-width="{}" stroke-opacity="0.8"><title>{}</title></line>)",
                           x(place), y(message->from), x(place + 1), y(message->to),
                           colour_of(message->from, P), P > 24 ? 1.1 : 1.8, svg::escaped(tip));
    }
    ++place;
  }
  drawn += "\n";
  for (Rank rank = 0; rank < P; ++rank)
    for (int i = 0; i <= static_cast<int>(rounds.size()); ++i)
      drawn += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}"/>)", x(i),
                           y(rank), dot, colour_of(rank, P));
  const double least = 40 + std::max(7.4 * static_cast<double>(what.title.size()),
                                     svg::kLetter * static_cast<double>(kNote.size()));
  return svg::document(std::max(x(count) + kRoundsRight, least), bottom + kRoundsBottom, drawn);
}

}  // namespace tutti::tools
