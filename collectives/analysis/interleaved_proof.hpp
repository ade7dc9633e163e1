// The proofs of several calls at once: the channel's promise, all orders of small calls, and pairs
// and triples of all algorithms. `tutti verify --interleaved` prints what it returns. No I/O; uses
// threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/dealt.hpp"

namespace tutti::collectives {

struct InterleavedOptions {
  // Pairs and triples with at least one call of this; nullopt, empty: all.
  std::optional<Collective> collective;
  std::string algorithm;
  std::vector<int> P;  // of pairs and triples; empty: interleaved_sizes(quick)
  bool quick = false;  // some of all cases
  int threads = 0;     // 0: as many as there are cores
  ProofProgress progress;
};

struct InterleavedRow {
  std::string what, varied;  // for people
  std::size_t cases = 0;
  std::size_t states = 0;      // visited, where all orders were
  std::size_t incomplete = 0;  // cases with more states than are visited: nothing was found so far
  std::size_t violations = 0;
  std::string first_violation;  // the case, the kind, the verifier's message
  double seconds = 0;           // of all threads together
};

std::vector<int> interleaved_sizes(bool quick);

// A row each for rings, for calls alone, for searches, pairs and triples. No rows: there is no such
// algorithm.
std::vector<InterleavedRow> prove_interleaved(const InterleavedOptions& options);

}  // namespace tutti::collectives
