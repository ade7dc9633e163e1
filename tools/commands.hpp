// The commands of the program `tutti`: each adds itself to the command line, and runs if it was
// named.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>

namespace tutti::tools {

// Sets `*run` to what is to be done if the command is parsed; it returns the exit status.
using Run = std::function<int()>;
void add_info(CLI::App& app, Run* run);
void add_list(CLI::App& app, Run* run);
void add_verify(CLI::App& app, Run* run);
void add_bench(CLI::App& app, Run* run);
void add_predict(CLI::App& app, Run* run);
void add_draw(CLI::App& app, Run* run);
void add_measure(CLI::App& app, Run* run);
void add_tune(CLI::App& app, Run* run);

// How far a long work is, on standard error. Overwrites one line of a terminal. Elsewhere, as under
// mpiexec, it prints a line every few seconds, or nothing.
class ProgressBar {
 public:
  enum class Elsewhere { nothing, lines };
  explicit ProgressBar(const char* what, Elsewhere elsewhere = Elsewhere::nothing);
  ~ProgressBar();  // wipes the line
  void show(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void show_line(std::size_t done, std::size_t total);

  const char* what_;
  const bool terminal_, lines_;
  int shown_ = -1;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point last_line_ = begun_;
};

}  // namespace tutti::tools
