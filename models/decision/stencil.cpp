// Counts the messages of a stencil, in the phases and in one rank's schedule. Pure.
#include "models/decision/stencil.hpp"

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/algorithms/combining.hpp"

namespace tutti::models {

using namespace collectives;

std::shared_ptr<const Stencil> stencil_of(const Problem& problem) {
  constexpr Bytes kBlock = Bytes{1} << 20;  // so long that cache lines do not count
  if (!is_of_neighbours(problem.collective)) return nullptr;
  const Algorithm& algorithm = *find(problem.collective, "combined");
  if (why_not(algorithm, problem, {})) return nullptr;
  auto stencil = std::make_shared<Stencil>();
  const bool one = problem.collective == Collective::neighbor_allgather;
  const auto coming = arrivals(*problem.neighbours, problem.rank, one);
  for (const Travelling& block : coming)
    if (block.way != 0) stencil->at_once.push_back(block.way);
  for (const collectives::Phase& phase : phases_of(problem.neighbours->torus, coming)) {
    Stencil::Phase& sketched = stencil->combined.emplace_back();
    std::size_t blocks = 0;
    for (const Hop& hop : phase) {
      sketched.distances.push_back(hop.offset);
      blocks += hop.blocks.size();
    }
    sketched.blocks = static_cast<double>(blocks) / static_cast<double>(phase.size());
  }
  Problem long_blocks = problem;
  long_blocks.bytes = kBlock;
  const Schedule schedule = algorithm.build(long_blocks, {});
  const auto in_blocks = [](Bytes bytes) {
    return static_cast<double>(bytes) / static_cast<double>(kBlock);
  };
  stencil->scratch = in_blocks(schedule.scratch_bytes);
  for (const Step& step : schedule.steps)
    if (step.kind == StepKind::copy) stencil->copied += in_blocks(step.source.length);
  return stencil;
}

}  // namespace tutti::models
