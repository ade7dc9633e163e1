// The proof matrix: every algorithm of the catalogue for every P, root, parameter and size that is
// promised. `tutti verify` prints what it returns. No I/O; uses threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/dealt.hpp"

namespace tutti::collectives {

struct ProofOptions {
  std::optional<Collective> collective;  // nullopt: all
  std::string algorithm;                 // empty: all
  std::vector<int> P;                    // empty: proof_sizes()
  int threads = 0;                       // 0: as many as there are cores
  ProofProgress progress;
};

struct ProofRow {
  Collective collective = Collective::barrier;
  std::string algorithm;
  std::string parameters;   // the varied ones, for people: "k = 1…4, segment = 0, 64, 1000"
  std::size_t cases = 0;    // schedules of all ranks verified together
  std::size_t skipped = 0;  // cases for which the algorithm declares that it does not apply
  std::vector<int> P;
  std::size_t violations = 0;
  // The violation of the first case, in the order of cases, that has one: the case, the kind, the
  // verifier's message. Empty: no case has one.
  std::string first_violation;
  double seconds = 0;  // of all threads together
};

// 1…33, 64, 127, 128, 129, 257, 1000.
std::vector<int> proof_sizes();

// One row for each algorithm that `options` names, in the order of the catalogue. An unknown name
// gives no row.
std::vector<ProofRow> prove(const ProofOptions& options);

}  // namespace tutti::collectives
