// The papers' formulas: by hand, and against the simulator.
#include "models/closed_forms.hpp"

#include <cmath>

#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

TEST_CASE("closed forms: what is claimed of each holds") {
  const std::vector<ClosedForm> forms = closed_forms();
  for (const Comparison& found : compare(forms)) {
    INFO(found.form->where << ' ' << name_of(found.form->collective) << ' ' << found.form->algorithm
                           << ", " << found.model << ": " << found.form->text
                           << "; simulated/formula " << found.least << " to " << found.most);
    CHECK(found.cases > 0);
    CHECK(found.holds);
    CHECK((found.form->claim == Claim::equal || !found.form->why.empty()));
    // A claim that is too weak is wrong, too.
    if (found.form->claim != Claim::equal)
      CHECK(found.most - found.least + std::abs(found.most - 1) > 1e-9);
  }
}
