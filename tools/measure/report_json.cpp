// Prints measurements as JSON.
#include <nlohmann/json.hpp>

#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "tools/measure/measure.hpp"

namespace tutti::tools {
namespace {

using models::Median;
using nlohmann::json;

json json_of(const Median& median) {
  return {{"median_us", median.value},
          {"low_us", median.low},
          {"high_us", median.high},
          {"count", median.count},
          {"outliers", median.outliers}};
}

json json_of(const std::vector<AtOnceReading>& all) {
  json rows = json::array();
  for (const AtOnceReading& one : all) {
    json row = json_of(one.time);
    row.update({{"tau", one.tau}, {"bytes", one.bytes}});
    rows.push_back(row);
  }
  return rows;
}

json json_of(const std::vector<CollectiveReading>& all) {
  json rows = json::array();
  for (const CollectiveReading& one : all) {
    json row = json_of(one.time);
    row.update({{"ranks", one.P}, {"bytes", one.bytes}});
    rows.push_back(row);
  }
  return rows;
}

json json_of(const MethodsReading& reading) {
  return {{"few", json_of(reading.few)},
          {"many", json_of(reading.many)},
          {"delay_us", reading.delay},
          {"delayed_round_trip", json_of(reading.delayed_round_trip)},
          {"answered", json_of(reading.answered)},
          {"window", json_of(reading.window)},
          {"longest_window", json_of(reading.longest_window)},
          {"pause_us", reading.pause},
          {"paused_sends", json_of(reading.paused_sends)},
          {"paused_receives", json_of(reading.paused_receives)}};
}

// Parameters by each method, and the readings that they are derived from.
json methods_of(const LevelReading& level) {
  json all = {{"readings", json_of(level.methods.front())}};
  for (const models::ByMethod& one : models::by_methods(level.method_times())) {
    json& values = all["by"][std::string(one.whose)];
    for (const auto& [name, value] : {std::pair{"o_s_us", one.o_s},
                                      {"o_r_us", one.o_r},
                                      {"g_us", one.g},
                                      {"L_us", one.L},
                                      {"G_us_per_byte", one.G}})
      if (value) values[name] = *value;
  }
  return all;
}

json json_of(const LevelReading& level) {
  json one = {{"level", level.level},
              {"wire", level.wire},
              {"device", level.device},
              {"protocols", level.protocols},
              {"ranks", level.ranks},
              {"time_ran_out", level.time_ran_out},
              {"left_out", level.unsure()},
              {"o_by_delays", json_of(level.delayed)},
              {"empty", json_of(level.empty)},
              {"rings", json_of(level.rings)},
              {"combining", json_of(level.combining)},
              {"trees", json_of(level.trees)},
              {"flat_barriers", json_of(level.flat_barriers)},
              {"chains", json_of(level.chains)},
              {"sizes", json::array()},
              {"peers", json::array()},
              {"destinations", json::array()},
              {"fits", json::array()}};
  for (const SizeReading& size : level.sizes)
    one["sizes"].push_back({{"bytes", size.bytes},
                            {"n", size.n},
                            {"round_trip", json_of(size.round_trip)},
                            {"burst", json_of(size.burst)},
                            {"gap_us", size.gap()},
                            {"o_s", json_of(size.o_s)},
                            {"o_r", json_of(size.o_r)},
                            {"sent", json_of(size.sent)}});
  if (!level.methods.empty()) one["methods"] = methods_of(level);
  for (const PeersReading& peers : level.peers)
    one["peers"].push_back(
        {{"time", json_of(peers.time)}, {"o_s", json_of(peers.o_s)}, {"o_r", json_of(peers.o_r)}});
  for (const DestinationsReading& burst : level.destinations)
    one["destinations"].push_back({{"n", burst.n},
                                   {"messages", burst.messages},
                                   {"burst", json_of(burst.burst)},
                                   {"round_trip", json_of(burst.round_trip)},
                                   {"gap_us", burst.gap().gap},
                                   {"on_cores", burst.n < level.on_cores}});
  for (const Fit& fit : fits_of(level)) {
    std::string problem;
    json ranges = json::array();
    for (const models::FittedRange& range : ranges_of(fit, problem))
      ranges.push_back({{"least", range.least},
                        {"most", range.most},
                        {"at_zero_us", range.line.at_zero},
                        {"us_per_byte", range.line.per_byte},
                        {"worst_residual", range.error},
                        {"worst_at", range.worst.bytes}});
    one["fits"].push_back({{"what", fit.what}, {"ranges", ranges}, {"problem", problem}});
  }
  return one;
}

}  // namespace

std::string json_of(const Measured& measured) {
  json all = {
      {"machine", {{"cpu", measured.origin.machine.cpu}, {"cores", measured.origin.machine.cores}}},
      {"measured", {{"date", measured.origin.date}, {"command", measured.origin.command}}},
      {"compute",
       {{"copy_us_per_byte", measured.compute.copy.value},
        {"reduce_us_per_byte", measured.compute.reduce.value}}},
      {"hosts", json::array()},
      {"levels", json::array()},
      {"models", json::object()}};
  for (const Host& host : measured.hosts) all["hosts"].push_back(json_of(host));
  for (const LevelReading& level : measured.levels) all["levels"].push_back(json_of(level));
  for (const auto& [model, predictor, problem] : measured.derived)
    all["models"][model] = predictor ? models::to_json(*predictor) : json{{"problem", problem}};
  if (measured.bisection)
    all["bisection"] = {{"bytes", measured.bisection->bytes},
                        {"pairs", measured.bisection->pairs},
                        {"megabytes_per_second_and_pair", measured.bisection->megabytes}};
  return models::json_text(all, 2);
}

}  // namespace tutti::tools
