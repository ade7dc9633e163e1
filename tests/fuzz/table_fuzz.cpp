// Tables of algorithms in JSON, and choosing by them.
#include "collectives/selection/rules.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::fuzz;

namespace {

void choose_by(const Rules& rules, Collective collective, int P, Bytes bytes) {
  Problem problem;
  problem.collective = collective;
  problem.P = P;
  problem.bytes = bytes;
  try {
    const auto choice = choose(problem, {.P = P, .nodes = 1, .max_ranks_per_node = P}, rules);
    if (!choice) return;
    must(choice->algorithm && choice->algorithm->collective == collective,
         "an algorithm of the collective is chosen");
    must(!why_not(*choice->algorithm, problem, choice->parameters), "what is chosen applies");
  } catch (const Error& error) {
    must(error.code == Code::algorithm_not_applicable, "a rule may not apply, and nothing else");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Rules rules;
  if (!accepts([&] { rules.table = parse_table(Input(data, size).text()); })) return 0;
  for (std::size_t c = 0; c < kCollectives; ++c)
    for (const int P : {1, 2, 6, 8})
      for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{1} << 20})
        choose_by(rules, static_cast<Collective>(c), P, bytes);
  wants_datagrams(rules);
  return 0;
}
