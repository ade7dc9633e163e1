// Whether a machine has other work than the job that is measured on it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::tools {

// Threads that run or wait for a CPU.
struct Load {
  double last_minute = 0;  // on average, the job's own among them if it ran then
  double running = 0;      // now, besides the one that asks
  int cpus = 1;            // that the machine has
};
// From what the kernel writes into /proc/loadavg and /proc/stat; nothing: not that.
std::optional<Load> parse_load(std::string_view loadavg, std::string_view stat);
// Looks for a twentieth of a second, in which the job's ranks are to sleep. Numbers that the
// kernel does not tell are 0.
Load load_here();

struct Host {
  std::string name;
  int ranks = 1;  // of the job
  int cpus = 1;   // that they may run on
  Load load;
  std::string kernel;  // the same text on hosts that share one, such as containers; empty: unknown

  // How many of the load's threads are on the CPUs of the ranks: all, or if these are not all of
  // the machine's, their share.
  double share(double threads) const noexcept;
  // The threads that run, or ran in the last minute, are more than the CPUs that the ranks leave
  // free.
  bool busy() const noexcept;
};
// Hosts that share a kernel look at the same time: takes those that looked off the running threads.
void leave_out_lookers(std::span<Host> hosts);
// The kernel's name for itself since it began to run; empty: it has none.
std::string kernel_here();
// One line for people, without its end; empty: no host is busy.
std::string busy_line(std::span<const Host> hosts);
nlohmann::json json_of(const Host& host);

}  // namespace tutti::tools
