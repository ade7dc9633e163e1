// Candidates for a choice: every algorithm with the parameters that are worth trying. Pure.
#pragma once

#include <span>
#include <vector>

#include "collectives/selection/choices.hpp"

namespace tutti::models {

// Plain ones; those with segments, which need a message of two at least, come last.
std::span<const collectives::Choice> plain_candidates(collectives::Collective collective);

// For the levels of a hierarchical algorithm: trees within a node, and algorithms across nodes.
std::span<const collectives::Nested> within_candidates();
std::span<const collectives::Nested> across_candidates(collectives::Collective collective);
// Segments of messages that go through both.
std::span<const Bytes> segment_candidates() noexcept;

}  // namespace tutti::models
