// The commands of the program `tutti`: each adds itself to the command line, and runs if it was
// named.
#pragma once

#include <CLI/CLI.hpp>

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

// Overwrites one line of a terminal's standard error with how far a long work is; silent elsewhere.
class ProgressBar {
 public:
  explicit ProgressBar(const char* what);
  ~ProgressBar();  // wipes the line
  void show(std::size_t done, std::size_t total);

 private:
  const char* what_;
  const bool terminal_;
  int shown_ = -1;
};

}  // namespace tutti::tools
