// Oracles, collectives and candidates that the command line of `tutti tune` names.
#pragma once

#include <functional>

#include "tools/tune/tune.hpp"

namespace tutti::tools {

// All throw Error{bad_configuration}, which says what there is.

// The oracles of --params: a model each, or the output of `tutti measure --json`, with all models.
// With --method predicted and without --params it is this machine's model.
std::vector<Oracle> oracles_of(const TuneOptions& options);
std::vector<collectives::Collective> collectives_of(const TuneOptions& options);
std::vector<Bytes> sizes_of(const TuneOptions& options);
// Candidates by --algorithm and --segment. An algorithm that no collective here has is an error.
Wanted wanted_of(const TuneOptions& options,
                 const std::vector<collectives::Collective>& collectives);
// Ascending; if none are named, `most`.
std::vector<int> ranks_of(const TuneOptions& options, int most);

// The node of each of the first P ranks.
using NodesOf = std::function<std::vector<int>(int P)>;
// In a job, where the nodes of the first P ranks have any numbers: anew, in the order of first
// appearance.
std::vector<int> nodes_in_order(const std::function<int(Rank)>& node_of, int P);
std::vector<Completion> completions_of(const std::vector<Oracle>& oracles);
// In the order of collectives, then ranks, then sizes, with their candidates.
std::vector<Point> points_of(const TuneOptions& options, const std::vector<int>& ranks,
                             const NodesOf& nodes_of, bool datagrams,
                             std::span<const Completion> completions);

}  // namespace tutti::tools
