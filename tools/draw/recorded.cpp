// Makes a chart from the files of a recorded call.
#include "tools/draw/recorded.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/selection/choices.hpp"
#include "models/simulation/simulator.hpp"
#include "tools/drawing/svg.hpp"
#include "base/files.hpp"
#include "tools/predict/predict.hpp"

namespace tutti::tools {

using models::Recorded;
using models::RecordedCall;
using models::RecordedPlace;
using models::RecordedStep;

namespace {

Recorded read_rank(const std::string& path) {
  const std::string text = read_file(path, kAnyLength);
  try {
    return models::parse_recorded(text);
  } catch (const Error& error) {
    bad_configuration(fmt::format("{:.200}: {}", path, error.message));
  }
}

[[noreturn]] void none_of(collectives::Collective collective) {
  bad_configuration(fmt::format("no {} was recorded", name_of(collective)));
}

}  // namespace

Recordings::Recordings(const std::string& folder) {
  const auto path_of = [&](int rank) { return fmt::format("{}/rank-{}.jsonl", folder, rank); };
  files_.push_back(read_rank(path_of(0)));
  for (int rank = 1; rank < files_[0].ranks; ++rank) files_.push_back(read_rank(path_of(rank)));
  for (int rank = 0; rank < files_[0].ranks; ++rank) {
    const Recorded& file = files_[static_cast<std::size_t>(rank)];
    if (file.rank != rank || file.ranks != files_[0].ranks)
      bad_configuration(fmt::format("{}: it is of rank {} among {}; is it of another job?",
                                    path_of(rank), file.rank, file.ranks));
  }
  clocks_ = models::align(files_);
}

Recordings::Found Recordings::find(collectives::Collective collective,
                                   CollectiveNumber number) const {
  const RecordedCall* best = nullptr;
  std::set<CollectiveNumber> numbers;
  for (const Recorded& file : files_)
    for (const RecordedCall& one : file.calls) {
      if (one.collective != collective) continue;
      if (numbers.size() < 20) numbers.insert(one.name.number);
      if (one.name.number != number) continue;
      if (!best || one.P > best->P || (one.P == best->P && best->name < one.name)) best = &one;
    }
  if (numbers.empty()) none_of(collective);
  if (!best)
    bad_configuration(fmt::format("no {} has the number {}; among those that were recorded are {}",
                                  name_of(collective), number, fmt::join(numbers, ", ")));
  return {models::places_of(files_, best->name), fmt::format("call {}", number)};
}

Recordings::Found Recordings::find_median(collectives::Collective collective) const {
  struct Timed {
    const RecordedCall* call;
    std::int64_t begin, end;
    int ranks;  // that have recorded it
    std::int64_t time() const { return end - begin; }
  };
  std::map<models::CallName, Timed> calls;
  int most_ranks = 0;
  for (std::size_t file = 0; file < files_.size(); ++file)
    for (const RecordedCall& one : files_[file].calls) {
      if (one.collective != collective) continue;
      most_ranks = std::max(most_ranks, one.P);
      const std::int64_t begin = aligned(file, one.begin), end = aligned(file, one.end);
      Timed& timed = calls.try_emplace(one.name, Timed{&one, begin, end, 0}).first->second;
      timed.begin = std::min(timed.begin, begin);
      timed.end = std::max(timed.end, end);
      ++timed.ranks;
    }
  if (calls.empty()) none_of(collective);
  std::map<std::tuple<std::string, Bytes, Rank>, std::vector<Timed>> alike;
  for (const auto& [name, timed] : calls)
    if (timed.call->P == most_ranks && timed.ranks == most_ranks)
      alike[{timed.call->algorithm, timed.call->bytes, timed.call->root}].push_back(timed);
  // If no call has been recorded on all ranks, places_of() says which ranks miss it.
  if (alike.empty()) return {models::places_of(files_, calls.rbegin()->first), {}};
  auto most = alike.begin();
  for (auto some = alike.begin(); some != alike.end(); ++some)
    if (some->second.size() > most->second.size()) most = some;
  std::vector<Timed>& timed = most->second;
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Timed& a, const Timed& b) { return a.time() < b.time(); });
  const Timed& median = timed[(timed.size() - 1) / 2];
  const auto text = [](const Timed& of) {
    return svg::time_text(static_cast<double>(of.time()) / 1e3);
  };
  std::string which = fmt::format("call {}", median.call->name.number);
  if (timed.size() > 1)
    which += fmt::format(", the median of {} such calls ({} to {})", timed.size(),
                         text(timed.front()), text(timed.back()));
  return {models::places_of(files_, median.call->name), which};
}

std::vector<int> Recordings::nodes_of(const std::vector<RecordedPlace>& places) const {
  std::vector<int> nodes;
  nodes.reserve(places.size());
  for (const RecordedPlace& place : places) nodes.push_back(files_[place.file].node);
  return nodes;
}

std::size_t Recordings::steps_to_draw(const std::vector<RecordedPlace>& places) const {
  const RecordedCall& first = call(places[0]);
  std::size_t steps = 0;
  for (const RecordedPlace& place : places) steps += call(place).steps.size();
  if (steps == 0 && first.P > 1)
    bad_configuration(fmt::format("{} {} goes by datagrams, and has no steps that could be drawn",
                                  name_of(first.collective), first.algorithm));
  if (steps > kMostBars)
    bad_configuration(fmt::format("it has {} steps, and a picture at most {}", steps, kMostBars));
  return steps;
}

Chart Recordings::chart(const Found& found) const {
  const std::vector<RecordedPlace>& places = found.places;
  const RecordedCall& first = call(places[0]);
  const std::size_t steps = steps_to_draw(places);
  const auto time_of = [&](Rank rank, std::int64_t time) {
    return aligned(places[static_cast<std::size_t>(rank)].file, time);
  };
  std::int64_t begin = time_of(0, first.begin), end = begin;
  std::set<std::size_t> loose;
  for (Rank rank = 0; rank < first.P; ++rank) {
    const RecordedPlace& place = places[static_cast<std::size_t>(rank)];
    begin = std::min(begin, time_of(rank, call(place).begin));
    end = std::max(end, time_of(rank, call(place).end));
    if (std::count(clocks_.loose.begin(), clocks_.loose.end(), place.file) != 0)
      loose.insert(place.file);
  }
  const auto us = [&](Rank rank, std::int64_t time) {
    return static_cast<double>(time_of(rank, time) - begin) / 1e3;
  };
  const std::vector<int> node = nodes_of(places);
  const std::set<int> nodes(node.begin(), node.end());
  Chart chart{
      .title = title_of(first.collective, first.algorithm, node, first.bytes),
      .note = fmt::format("recorded: {}, on {}", found.which, counted(nodes.size(), "node")),
      .P = first.P,
      .node = node,
      .stays = {},
      .time = static_cast<double>(end - begin) / 1e3};
  if (clocks_.uncertainty > 0)
    chart.note += fmt::format("; their clocks are brought together within ±{}",
                              svg::time_text(static_cast<double>(clocks_.uncertainty) / 1e3));
  if (!loose.empty())
    chart.note += fmt::format("; not those of the ranks {}, as no messages tell of them",
                              fmt::join(loose, ", "));
  chart.stays.reserve(places.size());
  for (Rank rank = 0; rank < first.P; ++rank) {
    const RecordedCall& one = call(places[static_cast<std::size_t>(rank)]);
    chart.stays.push_back({us(rank, one.begin), us(rank, one.end)});
  }
  chart.bars.reserve(steps);
  for (Rank rank = 0; rank < first.P; ++rank)
    for (const RecordedStep& step : call(places[static_cast<std::size_t>(rank)]).steps)
      if (!collectives::receives(step.kind))
        chart.bars.push_back(
            {rank, step.peer, step.kind, step.bytes, us(rank, step.begin), us(rank, step.end), 0});
  // A receive stands open from the start; it is drawn from when its message was sent.
  models::each_message(
      files_, places,
      [&](Rank from, const RecordedStep& sent, Rank to, const RecordedStep& received) {
        const double left = us(from, sent.begin), arrived = us(to, received.end);
        chart.messages.push_back({from, to, left, arrived});
        chart.bars.push_back({to, from, received.kind, received.bytes,
                              std::min(arrived, std::max(left, us(to, received.begin))), arrived,
                              0});
      });
  return chart;
}

Chart Recordings::simulated(const Found& found, const models::Platform& platform) const {
  const std::vector<RecordedPlace>& places = found.places;
  const RecordedCall& first = call(places[0]);
  const auto choices =
      collectives::parse_choices(fmt::format("{}={}", name_of(first.collective), first.algorithm));
  if (choices.empty())
    bad_configuration(fmt::format("this version has no algorithm {}", first.algorithm));
  const collectives::Choice choice = choices.begin()->second;
  collectives::Problem problem{
      {.collective = first.collective, .root = first.root, .bytes = first.bytes}, first.P};
  problem.element = first.element;
  const std::vector<int> nodes = nodes_of(places);
  problem.node = nodes;
  // Files do not say whether data lie in place; the digest does.
  const auto schedule_of = [&](Rank rank) {
    problem.rank = rank;
    const bool may_be_in_place = collectives::may_be_in_place(first.collective) &&
                                 (!collectives::is_rooted(first.collective) || rank == first.root);
    for (const bool in_place : {false, true}) {
      problem.in_place = in_place;
      if (in_place && !may_be_in_place) break;
      auto schedule = choice.algorithm->build(problem, choice.parameters);
      const std::string digest = fmt::format("{:016x}", schedule.digest());
      if (digest == call(places[static_cast<std::size_t>(rank)]).digest) return schedule;
    }
    bad_configuration(
        "the recorded schedules are not those that would be simulated: blocks of different "
        "lengths, or another version of Tutti; draw it without --params and --model");
  };
  const auto result =
      models::simulate(first.P, schedule_of, platform, {.node = nodes, .record = true});
  const bool several_nodes = std::ranges::adjacent_find(nodes, std::not_equal_to()) != nodes.end();
  Chart chart =
      chart_of(result, nodes, fmt::format("simulated: {}", describe(platform, several_nodes)));
  chart.title = "the same schedules";
  return chart;
}

}  // namespace tutti::tools
