// How far a long work is.
#pragma once

#include <chrono>
#include <cstddef>

namespace tutti::tools {

// On standard error. Overwrites one line of a terminal. Elsewhere, as under
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
