// The program `tutti`: hands the command line over to the commands.
#include <fmt/format.h>

#include <exception>

#include "base/text.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/job_faults.hpp"
#include "tutti/tutti.h"

int main(int argc, char** argv) {
  tutti::tools::CommandLine line(
      "tutti", "Tutti: collective communication for InfiniBand and RoCE",
      fmt::format("tutti {}.{}.{}", TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH),
      "Examples:\n"
      "  tutti info                                  devices, settings, what would be chosen and "
      "why\n"
      "  tutti verify --algorithm bruck              prove an algorithm for every P, root and "
      "parameter\n"
      "  mpiexec -n 4 tutti bench --svg plot.svg     Tutti and the MPI at hand, in turn in one "
      "run\n"
      "  tutti predict --params boba --collective bcast -P 32 -m 1k   what each algorithm would "
      "take\n"
      "  tutti draw bcast --algorithm binomial -P 16 -m 1k -o bcast.svg   who sends what when\n"
      "  mpiexec -n 2 tutti measure --save           the models' parameters of this machine\n"
      "  mpiexec -n 4 tutti tune --table best.json   which algorithm is best for each size\n"
      "  tutti explain allgather -P 64 -m 4k --ppn 8 which algorithm would run, and why\n"
      "  tutti run --stats -n 4 -- ./program         an MPI program as it is, with Tutti's "
      "collectives\n"
      "See tutti(1).");
  tutti::tools::add_info(line);
  tutti::tools::add_list(line);
  tutti::tools::add_verify(line);
  tutti::tools::add_bench(line);
  tutti::tools::add_predict(line);
  tutti::tools::add_draw(line);
  tutti::tools::add_measure(line);
  tutti::tools::add_tune(line);
  tutti::tools::add_explain(line);
  tutti::tools::add_run(line);
  try {
    return line.run(argc, argv);
  } catch (const tutti::tools::BadUsage& error) {
    return tutti::tools::end_by_fault({tutti::tools::kBadUsage, error.what()});
  } catch (const std::exception& error) {
    // The options and settings of a job are mostly those of all its ranks.
    const std::string text = tutti::in_one_line(error.what());
    if (tutti::tools::status_for(error) == tutti::tools::kBadUsage)
      return tutti::tools::end_by_fault({tutti::tools::kBadUsage, text});
    fmt::print(stderr, "tutti: {}\n", text);
    return 1;
  }
}
