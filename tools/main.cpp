// The program `tutti`: reads the command line and hands over to a command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "base/text.hpp"
#include "tools/commands.hpp"
#include "tutti/tutti.h"

// The exit status of a command line that cannot be read; 1 is of a command that failed.
constexpr int kBadUsage = 2;

int main(int argc, char** argv) {
  CLI::App app{"Tutti: collective communication for InfiniBand and RoCE", "tutti"};
  app.set_version_flag("--version", fmt::format("tutti {}.{}.{}", TUTTI_VERSION_MAJOR,
                                                TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH));
  app.require_subcommand(1);
  app.footer(
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
      "See tutti(1).");
  tutti::tools::Run run;
  tutti::tools::add_info(app, &run);
  tutti::tools::add_list(app, &run);
  tutti::tools::add_verify(app, &run);
  tutti::tools::add_bench(app, &run);
  tutti::tools::add_predict(app, &run);
  tutti::tools::add_draw(app, &run);
  tutti::tools::add_measure(app, &run);
  tutti::tools::add_tune(app, &run);
  tutti::tools::add_explain(app, &run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way, too
    return app.exit(error) == 0 ? 0 : kBadUsage;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: {}\n", tutti::in_one_line(error.what()));
    return 1;
  }
}
