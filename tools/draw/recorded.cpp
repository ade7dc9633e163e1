// From files to charts.
#include "tools/draw/recorded.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/selection/choices.hpp"
#include "models/simulator.hpp"
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

std::vector<RecordedPlace> Recordings::find(collectives::Collective collective,
                                            long long number) const {
  const RecordedCall* best = nullptr;
  std::set<CollectiveNumber> numbers;
  for (const Recorded& file : files_)
    for (const RecordedCall& one : file.calls) {
      if (one.collective != collective) continue;
      if (numbers.size() < 20) numbers.insert(one.name.number);
      if (number >= 0 && one.name.number != number) continue;
      if (!best || one.P > best->P || (one.P == best->P && best->name < one.name)) best = &one;
    }
  if (numbers.empty()) bad_configuration(fmt::format("no {} was recorded", name_of(collective)));
  if (!best)
    bad_configuration(fmt::format("no {} has the number {}; among those that were recorded are {}",
                                  name_of(collective), number, fmt::join(numbers, ", ")));
  return models::places_of(files_, best->name);
}

std::vector<int> Recordings::nodes_of(const std::vector<RecordedPlace>& places) const {
  std::vector<int> nodes;
  nodes.reserve(places.size());
  for (const RecordedPlace& place : places) nodes.push_back(files_[place.file].node);
  return nodes;
}

Chart Recordings::chart(const std::vector<RecordedPlace>& places) const {
  const RecordedCall& first = call(places[0]);
  std::size_t steps = 0;
  for (const RecordedPlace& place : places) steps += call(place).steps.size();
  if (steps == 0 && first.P > 1)
    bad_configuration(fmt::format("{} {} goes by datagrams, and has no steps that could be drawn",
                                  name_of(first.collective), first.algorithm));
  if (steps > kMostBars)
    bad_configuration(fmt::format("it has {} steps, and a picture at most {}", steps, kMostBars));
  const auto aligned = [&](Rank rank, std::int64_t time) {
    return time + clocks_.add[places[static_cast<std::size_t>(rank)].file];
  };
  std::int64_t begin = aligned(0, first.begin), end = begin;
  std::set<std::size_t> loose;
  for (Rank rank = 0; rank < first.P; ++rank) {
    const RecordedPlace& place = places[static_cast<std::size_t>(rank)];
    begin = std::min(begin, aligned(rank, call(place).begin));
    end = std::max(end, aligned(rank, call(place).end));
    if (std::count(clocks_.loose.begin(), clocks_.loose.end(), place.file) != 0)
      loose.insert(place.file);
  }
  const auto us = [&](Rank rank, std::int64_t time) {
    return static_cast<double>(aligned(rank, time) - begin) / 1e3;
  };
  const std::vector<int> node = nodes_of(places);
  const std::set<int> nodes(node.begin(), node.end());
  Chart chart{.title = title_of(first.collective, first.algorithm, node, first.bytes),
              .note = fmt::format("recorded: call {}, on {}", first.name.number,
                                  counted(nodes.size(), "node")),
              .P = first.P,
              .node = node,
              .time = static_cast<double>(end - begin) / 1e3};
  if (clocks_.uncertainty > 0)
    chart.note += fmt::format("; their clocks are brought together within ±{}",
                              svg::time_text(static_cast<double>(clocks_.uncertainty) / 1e3));
  if (!loose.empty())
    chart.note += fmt::format("; not those of the ranks {}, as no messages tell of them",
                              fmt::join(loose, ", "));
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

Chart Recordings::simulated(const std::vector<RecordedPlace>& places,
                            const models::Platform& platform) const {
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
  const auto schedule_of = [&](Rank rank) {
    problem.rank = rank;
    auto schedule = choice.algorithm->build(problem, choice.parameters);
    const std::string digest = fmt::format("{:016x}", schedule.digest());
    if (digest != call(places[static_cast<std::size_t>(rank)]).digest)
      bad_configuration(
          "the recorded schedules are not those that would be simulated: blocks of different "
          "lengths, data in place, or another version of Tutti");
    return schedule;
  };
  const auto result =
      models::simulate(first.P, schedule_of, platform, {.node = nodes, .record = true});
  Chart chart = chart_of(result, nodes, fmt::format("simulated: {}", describe(platform)));
  chart.title = "the same schedules";
  return chart;
}

}  // namespace tutti::tools
