// Advances all begun calls, from a rank that waits or from the progress thread.
#include "src/job/calls_under_way.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace tutti {
namespace {

struct Share {
  int cores, ranks;  // of this machine
};

Share share_of(const transport::Placement& placement) noexcept {
  const int machine = placement.machine_of(placement.node_of(placement.rank()));
  int ranks = 0;
  for (int other = 0; other < placement.size(); ++other)
    ranks += placement.machine_of(placement.node_of(other)) == machine;
  return {placement.threads_of(machine), ranks};
}

}  // namespace

void CallsUnderWay::look_around() noexcept {
  parts_.connections.poll_one();
  parts_.waiting.drive_without_lock();
}

void CallsUnderWay::advance_all_but(const OpenCall& call) noexcept {
  for (Agreement* const agreement : parts_.dispatcher.agreements())
    agreement->calls().each_under_way([&](OpenCall& other) {
      if (&other != &call) other.advance();
    });
}

bool CallsUnderWay::progress(bool in_program) noexcept {
  if (count_ == 0) return false;
  parts_.connections.adopt_links();
  parts_.connections.progress_transports();
  parts_.connections.progress_all();
  for (Agreement* const agreement : parts_.dispatcher.agreements())
    agreement->calls().each_under_way(
        [&](OpenCall& call) { in_program ? call.advance() : call.advance_apart(); });
  return count_ != 0;
}

void CallsUnderWay::start_thread() {
  const auto [cores, ranks] = share_of(parts_.placement);
  const bool spins = ProgressThread::may_spin(cores, ranks);
  thread_ = std::make_unique<ProgressThread>(
      parts_.lock, spins, [this] { return progress(functions_anywhere_ || loans_ > 0); });
  if (parts_.log.enabled())
    parts_.log.write(fmt::format(
        "progress while the program computes: a thread, which {} between its looks ({} of this "
        "machine, {})",
        spins ? "does not nap" : "naps", counted(ranks, "rank"),
        counted(cores, "hardware thread")));
}

void CallsUnderWay::want_thread() {
  if (!std::exchange(may_have_thread_, false)) return;
  try {
    start_thread();
  } catch (const Error& error) {
    parts_.log.warn(
        fmt::format("{}; without that thread non-blocking calls go on only while their rank is in "
                    "a collective, or waits for a request",
                    error.message));
  }
}

const char* CallsUnderWay::progress_by() const noexcept {
  return !thread_ ? "calls" : thread_->spins() ? "thread, polls" : "thread, naps";
}

}  // namespace tutti
