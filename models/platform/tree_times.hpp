// The times that shape a tree, by the parameters of the model in use. Pure.
#pragma once

#include <optional>

#include "collectives/selection/choices.hpp"
#include "collectives/selection/facts.hpp"
#include "models/platform/platform.hpp"

namespace tutti::models {

// LogGP's L' = o_s + L + o_r, g and G of messages under this model, in microseconds, as
// converted() has them; g is at least the time that a message takes the processor of the tree's
// inner ranks: o_s down the tree, o_r up. Twelve digits: a text gives back the same numbers.
// nullopt: the model does not determine them.
std::optional<collectives::LogGP> tree_times(const Model& model, bool up = false);

// The parameters with the times that they leave unset; as they are if the algorithm takes no times,
// or the model does not determine them.
collectives::Parameters with_times(const collectives::Algorithm& algorithm,
                                   collectives::Parameters parameters, const Model& model);
// The model of messages between nodes if these count, because there are several, or because ranks
// of one node use the wire, too; else that of messages within a node.
const Model& model_of_trees(const Platform& platform, const collectives::Facts& facts) noexcept;
// A choice with the times of that model.
collectives::Choice with_times(collectives::Choice choice, const Platform& platform,
                               const collectives::Facts& facts);

}  // namespace tutti::models
