// Predicts by the simulator or by τ-Lop's evaluation, as the model is.
#include "models/predictor.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "collectives/analysis/world.hpp"
#include "collectives/schedule/repeated.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/simulation/layout.hpp"
#include "models/simulation/simulator.hpp"
#include "models/tau_lop/evaluation.hpp"

namespace tutti::models {

using nlohmann::json;

bool is_tau_lop(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  return object.is_object() && object.value("model", json()) == tau_lop::kName;
}

Predictor parse_predictor(std::string_view text) {
  if (is_tau_lop(text)) return tau_lop::parse_parameters(text);
  return parse_platform(text);
}

std::vector<Predictor> parse_predictors(std::string_view text) {
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_object() || !whole.contains("levels")) return {parse_predictor(text)};
  std::vector<Predictor> all;
  try {
    for (const auto& [model, predictor] : whole.at("models").items())
      if (!predictor.contains("problem")) all.push_back(parse_predictor(json_text(predictor)));
  } catch (const json::exception& error) {
    throw Error(Code::bad_configuration, fmt::format("{:.200}", error.what()));
  }
  return all;
}

json to_json(const Predictor& predictor) {
  return std::visit([](const auto& parameters) { return to_json(parameters); }, predictor);
}

std::string label_of(const Predictor& predictor) {
  const auto* const platform = std::get_if<Platform>(&predictor);
  if (!platform) return std::string(tau_lop::kName);
  const auto between = name_of(platform->between);
  if (!platform->within || name_of(*platform->within) == between) return std::string(between);
  return fmt::format("{} and {}", name_of(*platform->within), between);
}

double time_of(const Predictor& predictor, const std::vector<int>& node,
               const std::function<collectives::Schedule(Rank)>& schedule_of, int calls,
               int sockets) {
  const auto all_calls = [&](Rank rank) {
    return calls == 1 ? schedule_of(rank) : collectives::repeated(schedule_of(rank), calls);
  };
  const int P = static_cast<int>(node.size());
  if (const auto* const platform = std::get_if<Platform>(&predictor))
    return simulate(P, all_calls, *platform, {.node = node, .socket = sockets_of(node, sockets)})
               .time /
           calls;
  const auto& parameters = std::get<tau_lop::Parameters>(predictor);
  collectives::World world(P, all_calls);
  const auto found = tau_lop::evaluate(world, node, tau_lop::ways_of(parameters));
  return tau_lop::time_of(found.cost, parameters) / calls;
}

}  // namespace tutti::models
