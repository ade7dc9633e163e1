// The parameters of τ-Lop, measured or given, and the time that an expression takes with them. As
// JSON:
//
//   {"format": 1, "model": "tau-lop", "name": "somewhere", "source": "who measured it",
//    "within":  {"overhead": 0.5, "transfer": {"1": [[64, 0.1], [65536, 20]], "4": [[64, 0.2]]}},
//    "between": {"overhead": 3, "transfer": {"1": [[64, 1.5], [65536, 70]]}},
//    "combine": {"1": [[64, 0.01]]}, "segment": 8192, "segments_above": 65536}
//
// A number, or a table of [bytes, microseconds]; tables of transfers by how many are under way at
// once (τ). "combine" and the segments may be left out: 0. Parameters of `tutti measure` have,
// instead of the segments, "protocols": {"within": {"line": 48, …}, "between": {…}}, Tutti's own
// (protocols/protocol_for.hpp), so that messages travel as they do. TAU §3.3 and chapter 7. Pure.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "models/platform/curve.hpp"
#include "models/tau_lop/cost.hpp"
#include "models/tau_lop/evaluation.hpp"

namespace tutti::models::tau_lop {

inline constexpr std::string_view kName = "tau-lop";

// Time of bytes by contention. Between the contentions of the tables it is interpolated; beyond the
// last one it grows in proportion, which is the most that τ-Lop allows (§3.3). So it does with
// bytes beyond a table's end.
class Surface {
 public:
  Surface() = default;
  explicit Surface(std::map<int, Curve> tables) : tables_(std::move(tables)) {}
  double operator()(Bytes bytes, int tau) const noexcept;
  const std::map<int, Curve>& tables() const noexcept { return tables_; }

 private:
  std::map<int, Curve> tables_;  // empty: 0
};

struct Parameters {
  std::string name{}, source{};
  Curve overhead[2];    // o^c(m), us
  Surface transfer[2];  // L^c(m, τ), us; within a node it is also what copying takes
  Surface combine;      // γ(m, τ), us
  Bytes segment = 0, segments_above = 0;
  struct Protocols {
    protocols::Limits within, between;
  };
  std::optional<Protocols> protocols{};
};

// As the parameters have it: Tutti's, or the thesis'.
Ways ways_of(const Parameters& parameters);

// Throws Error{bad_configuration}, which names the place.
Parameters parse_parameters(std::string_view json);
nlohmann::json to_json(const Parameters& parameters);

double time_of(const Cost& cost, const Parameters& parameters) noexcept;  // us

}  // namespace tutti::models::tau_lop
