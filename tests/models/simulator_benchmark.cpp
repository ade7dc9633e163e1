// Cost of the simulator at scale: 100,000 ranks, 64 a node.
//
// Usage: simulator_benchmark [RANKS [RANKS_PER_NODE]]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "collectives/algorithms/catalogue.hpp"
#include "models/platform/json.hpp"
#include "models/platform/names.hpp"
#include "models/simulation/simulator.hpp"

using namespace tutti;
using collectives::Collective;

namespace {

struct Row {
  Collective collective;
  const char* algorithm;
  Bytes bytes, segment;
  int part = 1;  // of the ranks only one in so many: where a rank has steps for each other
};
constexpr Row kRows[] = {
    {Collective::barrier, "dissemination", 0, 0},
    {Collective::barrier, "hierarchical", 0, 0},
    {Collective::allreduce, "recursive-doubling", 8, 0},
    {Collective::allreduce, "hierarchical", 8, 0},
    {Collective::bcast, "binomial", 1 << 20, 0},
    {Collective::bcast, "binomial", 1 << 20, 1 << 16},
    {Collective::bcast, "hierarchical", 1 << 20, 1 << 16},
    {Collective::allgather, "bruck", 8, 0},
    {Collective::allgather, "recursive-doubling", 8, 0},
    {Collective::allgather, "ring", 8, 0, 32},
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// In a process of its own, whose memory is known when it has ended.
void run(const Row& row, int P, int ranks_per_node) {
  collectives::Problem problem{{.collective = row.collective, .bytes = row.bytes}, P};
  std::vector<int> node(index(P));
  for (Rank rank = 0; rank < P; ++rank) node[index(rank)] = rank / ranks_per_node;
  problem.node = node;
  const auto& algorithm = *collectives::find(row.collective, row.algorithm);
  double building = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto result = models::simulate(
      P,
      [&](Rank rank) {
        const auto begin = std::chrono::steady_clock::now();
        problem.rank = rank;
        auto schedule = algorithm.build(problem, {.segment = row.segment});
        building += seconds_since(begin);
        return schedule;
      },
      models::parse_platform(models::find_published("metropolis")->json), {.node = node});
  const double seconds = seconds_since(start);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print(
      "{:>6} ranks {:<10} {:<20} {:>8} B {:>9} messages {:>9} events {:>6.2f} s, {:>6.2f} s of it "
      "to make "
      "{} scripts; {:>5} MiB; predicted {:.1f} us\n",
      P, name_of(row.collective), row.algorithm, row.bytes,
      result.within.messages + result.between.messages, result.events, seconds, building,
      result.scripts, used.ru_maxrss / 1024, result.time);
}

}  // namespace

int main(int argc, char** argv) {
  const int P = argc > 1 ? std::atoi(argv[1]) : 100000;
  const int ranks_per_node = argc > 2 ? std::atoi(argv[2]) : 64;
  for (const Row& row : kRows) {
    if (const pid_t child = fork(); child == 0) {
      run(row, std::max(1, P / row.part), ranks_per_node);
      std::fflush(stdout);
      _exit(0);
    } else {
      int status = 0;
      if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
  }
}
