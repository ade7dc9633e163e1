// A cost model with its parameters, of either kind: one of single messages, whose times the
// simulator plays, or τ-Lop, which costs whole stages. Code that predicts takes both. Pure.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "models/platform/platform.hpp"
#include "models/tau_lop/parameters.hpp"

namespace tutti::models {

using Predictor = std::variant<Platform, tau_lop::Parameters>;

bool is_tau_lop(std::string_view json);
// As its "model" says. Throws Error{bad_configuration} as parse_platform() does.
Predictor parse_predictor(std::string_view json);
// That one, or all of those that `tutti measure --json` prints: those without a "problem" among the
// "models" of what has "levels".
std::vector<Predictor> parse_predictors(std::string_view json);
nlohmann::json to_json(const Predictor& predictor);

std::string label_of(const Predictor& predictor);  // "plogp", "plogp and loggp", "tau-lop"

// The mean time of so many calls that follow each other is nearly that of many: from the second one
// on, ranks have left each other as far behind as they do.
inline constexpr int kCallsLikeMany = 8;
// Microseconds of one of so many calls that follow each other. `node`: of each rank; `sockets`: of
// each node, which τ-Lop does not know. Throws Error{internal} if messages do not pair off.
double time_of(const Predictor& predictor, const std::vector<int>& node,
               const std::function<collectives::Schedule(Rank)>& schedule_of, int calls = 1,
               int sockets = 1);

}  // namespace tutti::models
