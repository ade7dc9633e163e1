// `tutti verify --interleaved`: several calls under way at once.
#pragma once

#include "collectives/analysis/interleaved_proof.hpp"

namespace tutti::tools {

// Shows how far it is, and prints a row for each kind of proof, as JSON if so, and what was proved
// of which model of the channel. Returns the exit status: 1 if something was violated. Throws
// Error{unknown_algorithm}.
int verify_interleaved(collectives::InterleavedOptions options, bool json);

}  // namespace tutti::tools
