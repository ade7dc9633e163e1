// Draws the bar on a terminal, or prints lines elsewhere, with the time that is left.
#include "tools/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

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
