// The parameters of one model from those of another, so that both say the same of single messages.
// Pure.
#pragma once

#include <optional>
#include <string_view>

#include "models/platform/point_to_point.hpp"

namespace tutti::models {

//   logp, loggp, loggp-overhead, logfp   L, o and g are the same; G + 2O is one G; one message of
//                                        logfp alone, and a logfp with f = 1
//   plogp                                TAU table 7.1, both ways: L + g(1) = L' + o_s + o_r for
//                                        LogGP's L', g(m) = g + (m−1)G
//   hockney, piecewise                   T(m) = α + β·m, or for plogp a table of it
//
// Facts that one of them lacks are lost: which part of the time is the processors', say. nullopt:
// the parameters of `from` do not determine those of a model of this name. Throws
// Error{bad_configuration}: there is no such model.
std::optional<Model> converted(const Model& from, std::string_view to);

}  // namespace tutti::models
