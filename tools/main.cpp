// The program `tutti`: reads the command line and hands over to a command.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "tools/commands.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

ProgressBar::ProgressBar(const char* what, Elsewhere elsewhere)
    : what_(what),
      terminal_(isatty(STDERR_FILENO) != 0),
      lines_(!terminal_ && elsewhere == Elsewhere::lines) {}
ProgressBar::~ProgressBar() {
  if (terminal_ && shown_ >= 0) fmt::print(stderr, "\r\033[K");
}
void ProgressBar::show_line(std::size_t done, std::size_t total) {
  using std::chrono::duration;
  constexpr std::chrono::seconds kBetweenLines{5};
  const auto now = Clock::now();
  if (now - last_line_ < kBetweenLines || done == 0) return;
  last_line_ = now;
  fmt::print(stderr, "{}: {} of {}, some {:.0f} s left\n", what_, done, total,
             duration<double>(now - begun_).count() / static_cast<double>(done) *
                 static_cast<double>(total - std::min(done, total)));
}
void ProgressBar::show(std::size_t done, std::size_t total) {
  if (lines_) show_line(done, total);
  const int percent = total == 0 ? 100 : static_cast<int>(done * 100 / total);
  if (!terminal_ || percent == shown_) return;
  shown_ = percent;
  const int filled = percent * 40 / 100;
  fmt::print(stderr, "\r{} [{}{}] {:3}%", what_, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(40 - filled), '.'), percent);
}

}  // namespace tutti::tools

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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way, too
    return app.exit(error) == 0 ? 0 : kBadUsage;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
    return 1;
  }
}
