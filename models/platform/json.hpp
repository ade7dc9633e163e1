// Models and platforms as JSON, and what is wrong with it if something is.
//
//   {"format": 1, "name": "boba", "source": "OCC table 5",
//    "model": "loggp", "parameters": {"L": 30.4, "o": 8.15, "g": 8.683, "G": 0.015},
//    "compute": {"reduce_per_byte": 0.001, "copy_per_byte": 0}}
//
// or, instead of "model" and "parameters", "within" and "between", each with both of them, and for
// messages between two sockets of a node "between_sockets", too. A
// function of the message's size is a number, or an array of [bytes, value] in ascending order. "o"
// stands for o_s and o_r. Everything but the models may be left out. Beside a level's "model" may
// stand the factor on the gap of a rank that sends to so many ranks (platform.hpp), a number or an
// array of [destinations, factor], in ascending order from 1 on:
//
//   "gap_by_destinations": [[1, 1], [16, 1], [32, 0.5]]
//
// Between two points it is interpolated, and beyond the last one it stays. Measured files
// (models/platform/saved.hpp) also say where and how:
//
//   "machine": {"cpu": "AMD EPYC 7B13", "cores": 2},
//   "wire": {"kind": "rxe", "device": "rxe0"},
//   "measured": {"date": "2026-11-22", "command": "tutti measure --save"}
//
// Selection also reads
//
//   "cores": {"wake": 1.2, "per_message": 19, "per_byte": 0.0052},
//   "budget": {"connect": 500, "uses": 100000, "connection": 65536, "memory": 1073741824,
//              "calls": 1}
//
// and "piece" of "compute"; platform.hpp says what they are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/platform/platform.hpp"

namespace tutti::models {

inline constexpr int kFormat = 1;

// Changes that the reader wants in the file's content.
struct Changes {
  // Another model, whose parameters are made from the file's (conversion.hpp); empty: the file's.
  std::string model{};
  // Parameters by name; "within.G" or "between.G" for one level, else all; "between_sockets.G"
  // makes that level out of the one within, if the file has none. Parameters of the file's model
  // change before they are converted, parameters of the other model after that.
  // "gap_by_destinations" is one of them: a factor for any number.
  std::vector<std::pair<std::string, double>> parameters{};
};

// Throws Error{bad_configuration}: the message names the place ("between.parameters.G: …"), or the
// line if the text is no JSON. The caller adds the name of the file.
Platform parse_platform(std::string_view json, const Changes& changes = {});
nlohmann::json to_json(const Platform& platform);

// The model of this name with the parameters of `given`. Every parameter must be there;
// `others_too`: and others may be. `where`: what the messages call the place of `given`.
Model model_from_json(std::string_view model, const nlohmann::json& given, const std::string& where,
                      bool others_too = false);
nlohmann::json parameters_to_json(const Model& model);

}  // namespace tutti::models
