// Reading, writing and looking up.
#include "models/tau_lop/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "models/json.hpp"
#include "models/json_values.hpp"

namespace tutti::models::tau_lop {
namespace {

using nlohmann::json;
using namespace values;

constexpr const char* kLevels[] = {"within", "between"};

double at(const Curve& curve, Bytes bytes) noexcept {
  const Curve::Point& last = curve.points().back();
  if (curve.constant() || bytes <= last.bytes) return curve(bytes);
  return last.value * static_cast<double>(bytes) / static_cast<double>(last.bytes);
}

const json& member(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) wrong(inside(where, key), "is missing");
  return object[key];
}

Surface surface_from(const json& given, const std::string& where) {
  must_be_object(given, where);
  std::map<int, Curve> tables;
  for (const auto& [key, table] : given.items()) {
    const auto tau = parse_number(key);
    if (!tau || *tau < 1 || *tau > 1 << 20)
      wrong(where, fmt::format("'{:.50}' is no number of transfers from 1 on", key));
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
                                          "combine", "segment", "segments_above"});
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
  return all;
}

json to_json(const Parameters& parameters) {
  json all = {{"format", kFormat},
              {"model", kName},
              {"segment", parameters.segment},
              {"segments_above", parameters.segments_above}};
  if (!parameters.name.empty()) all["name"] = parameters.name;
  if (!parameters.source.empty()) all["source"] = parameters.source;
  for (const int channel : {kMemory, kNetwork})
    all[kLevels[channel]] = {{"overhead", values::written(parameters.overhead[channel])},
                             {"transfer", written(parameters.transfer[channel])}};
  if (!parameters.combine.tables().empty()) all["combine"] = written(parameters.combine);
  return all;
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
