// The proofs of several calls for few ranks; `tutti verify --interleaved` runs all of them.
#include "collectives/analysis/interleaved_proof.hpp"

#include <catch2/catch.hpp>

#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("pairs and triples of algorithms are right for some P") {
  InterleavedOptions options;
  options.quick = true;
  options.P = {1, 2, tests::unless_sanitized(5, 3)};
  if (tests::kSanitized) options.collective = Collective::barrier;
  std::size_t reports = 0, expected = 0;
  options.progress = [&](std::size_t, std::size_t total) { ++reports, expected = total; };
  const auto rows = prove_interleaved(options);
  REQUIRE(rows.size() == 5);
  std::size_t cases = 0;
  for (const InterleavedRow& row : rows) {
    INFO(row.what << ": " << row.first_violation);
    CHECK(row.violations == 0);
    CHECK(row.incomplete == 0);
    CHECK(row.cases > 0);
    cases += row.cases;
  }
  CHECK(reports == cases);
  CHECK(expected == cases);
}

TEST_CASE("the proofs of several calls can be narrowed") {
  InterleavedOptions options;
  options.quick = true;
  options.P = {2};
  options.threads = 1;
  options.collective = tests::kSanitized ? Collective::barrier : Collective::scan;
  const auto rows = prove_interleaved(options);
  REQUIRE(rows.size() == 5);
  CHECK(rows[3].violations == 0);
  CHECK(rows[3].cases > 0);
  options.P = {1};  // where all collectives take no time
  const auto one = prove_interleaved(options);
  options.collective.reset();
  const auto all = prove_interleaved(options);
  CHECK(all[3].cases > one[3].cases);
  options.algorithm = "nonsense";
  CHECK(prove_interleaved(options).empty());
  CHECK(interleaved_sizes(false).back() == 8);
}
