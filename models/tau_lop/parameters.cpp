// Reads, writes and looks up the parameters of τ-Lop.
#include "models/tau_lop/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "base/text.hpp"
#include "models/platform/costs.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_values.hpp"

namespace tutti::models::tau_lop {
namespace {

using nlohmann::json;
using namespace values;

constexpr const char* kLevels[] = {"within", "between"};

const json& member(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) wrong(inside(where, key), "is missing");
  return object[key];
}

// A visitor of `each` number of the limits, by name.
template <class Limits, class Visit>
void each(Limits& limits, Visit&& visit) {
  visit("line", limits.line);
  visit("small", limits.small);
  visit("eager", limits.eager);
  visit("cut", limits.cut);
  visit("writes", limits.writes);
  visit("fetches", limits.fetches);
  visit("in_pieces", limits.in_pieces);
}

protocols::Limits limits_from(const json& object, const std::string& where) {
  must_be_object(object, where);
  protocols::Limits limits{};
  std::set<std::string> known;
  each(limits, [&](const char* key, auto& value) {
    known.insert(key);
    const json& given = member(object, key, where);
    if constexpr (std::is_same_v<decltype(value), bool&>) {
      expect(given.is_boolean(), inside(where, key), "true or false", given);
      value = given;
    } else {
      read(given, value, inside(where, key));
    }
  });
  check_keys(object, known, where);
  if (limits.line > limits.small || limits.small > limits.eager || limits.eager < 1)
    wrong(where, "line, small and eager must ascend, and eager be 1 at least");
  return limits;
}

json written(const protocols::Limits& limits) {
  json object;
  each(limits, [&](const char* key, const auto& value) { object[key] = value; });
  return object;
}

double at(const Curve& curve, Bytes bytes) noexcept {
  const Curve::Point& last = curve.points().back();
  if (curve.constant() || bytes <= last.bytes) return curve(bytes);
  return last.value * static_cast<double>(bytes) / static_cast<double>(last.bytes);
}

Surface surface_from(const json& given, const std::string& where) {
  must_be_object(given, where);
  std::map<int, Curve> tables;
  for (const auto& [key, table] : given.items()) {
    const auto tau = parse_number(key);
    if (!tau || *tau < 1 || *tau > 1 << 20)
      wrong(where, fmt::format("'{:.50}' is not a number of transfers, which is 1 or more", key));
    read(table, tables[static_cast<int>(*tau)], inside(where, key));
  }
  if (!tables.count(1)) wrong(inside(where, "1"), "is missing");
  return Surface{std::move(tables)};
}

json written(const Surface& surface) {
  json all = json::object();
  for (const auto& [tau, curve] : surface.tables())
    all[fmt::format("{}", tau)] = values::written(curve);
  return all;
}

}  // namespace

double Surface::operator()(Bytes bytes, int tau) const noexcept {
  if (tables_.empty()) return 0;
  const auto after = tables_.lower_bound(tau);
  if (after == tables_.end())
    return at(tables_.rbegin()->second, bytes) * tau / tables_.rbegin()->first;
  if (after->first == tau || after == tables_.begin()) return at(after->second, bytes);
  const auto before = std::prev(after);
  const double low = at(before->second, bytes), high = at(after->second, bytes);
  return low + (high - low) * (tau - before->first) / (after->first - before->first);
}

Parameters parse_parameters(std::string_view text) {
  const json object = parse_object(text, {"format", "model", "name", "source", "within", "between",
                                          "combine", "segment", "segments_above", "protocols"});
  if (member(object, "model", "") != kName) wrong("model", fmt::format("must be {}", kName));
  Parameters all{.name = text_at(object, "name"), .source = text_at(object, "source")};
  for (const int channel : {kMemory, kNetwork}) {
    const std::string where = kLevels[channel];
    const json& level = member(object, kLevels[channel], "");
    must_be_object(level, where);
    check_keys(level, {"overhead", "transfer"}, where);
    read(member(level, "overhead", where), all.overhead[channel], where + ".overhead");
    all.transfer[channel] = surface_from(member(level, "transfer", where), where + ".transfer");
  }
  if (object.contains("combine")) all.combine = surface_from(object["combine"], "combine");
  read_if_there(object, "segment", all.segment, "");
  read_if_there(object, "segments_above", all.segments_above, "");
  if (object.contains("protocols")) {
    const json& given = object["protocols"];
    must_be_object(given, "protocols");
    check_keys(given, {kLevels[kMemory], kLevels[kNetwork]}, "protocols");
    const auto of = [&](int channel) {
      return limits_from(member(given, kLevels[channel], "protocols"),
                         inside("protocols", kLevels[channel]));
    };
    all.protocols = {of(kMemory), of(kNetwork)};
  }
  return all;
}

json to_json(const Parameters& parameters) {
  json all = {{"format", models::kFormat},
              {"model", kName},
              {"segment", parameters.segment},
              {"segments_above", parameters.segments_above}};
  if (!parameters.name.empty()) all["name"] = parameters.name;
  if (!parameters.source.empty()) all["source"] = parameters.source;
  for (const int channel : {kMemory, kNetwork})
    all[kLevels[channel]] = {{"overhead", values::written(parameters.overhead[channel])},
                             {"transfer", written(parameters.transfer[channel])}};
  if (!parameters.combine.tables().empty()) all["combine"] = written(parameters.combine);
  if (parameters.protocols)
    all["protocols"] = {{kLevels[kMemory], written(parameters.protocols->within)},
                        {kLevels[kNetwork], written(parameters.protocols->between)}};
  return all;
}

Ways ways_of(const Parameters& parameters) {
  if (parameters.protocols)
    return ways_of_tutti(parameters.protocols->within, parameters.protocols->between);
  return ways_of_thesis(parameters.segment > 0 ? parameters.segments_above : kNever,
                        parameters.segment);
}

double time_of(const Cost& cost, const Parameters& parameters) noexcept {
  double sum = 0;
  for (const auto& [term, times] : cost.terms()) {
    const double one = term.kind == Kind::overhead ? parameters.overhead[term.channel](term.bytes)
                       : term.kind == Kind::combine
                           ? parameters.combine(term.bytes, term.tau)
                           : parameters.transfer[term.channel](term.bytes, term.tau);
    sum += one * static_cast<double>(times);
  }
  for (const Cost::Greatest& greatest : cost.maxima()) {
    double most = 0;
    for (const Cost& some : greatest.of) most = std::max(most, time_of(some, parameters));
    sum += most * static_cast<double>(greatest.times);
  }
  return sum;
}

}  // namespace tutti::models::tau_lop
