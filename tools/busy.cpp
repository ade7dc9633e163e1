// The kernel's counts of threads. Its load is of the whole machine, also in a container.
#include "tools/busy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace tutti::tools {
namespace {

template <class Number>
std::optional<Number> number_at(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  return number;
}

// Text of the kernel's file; empty if it cannot be read.
std::string text_of(const char* path) try { return read_stream(path); } catch (const Error&) {
  return {};
}

}  // namespace

std::optional<Load> parse_load(std::string_view loadavg, std::string_view stat) {
  constexpr std::string_view kRunning = "procs_running ";
  const auto last_minute = number_at<double>(loadavg);
  std::optional<int> running;
  int cpus = 0;
  while (!stat.empty()) {
    const std::string_view line = stat.substr(0, stat.find('\n'));
    stat.remove_prefix(std::min(line.size() + 1, stat.size()));
    if (line.starts_with(kRunning)) running = number_at<int>(line.substr(kRunning.size()));
    if (line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9') ++cpus;
  }
  if (!last_minute || !running || cpus == 0) return std::nullopt;
  return Load{*last_minute, static_cast<double>(std::max(0, *running - 1)), cpus};
}

Load load_here() {
  constexpr int kLooks = 11;
  constexpr std::chrono::milliseconds kPause{5};
  std::vector<double> running;
  Load load;
  for (int look = 0; look < kLooks; ++look) {
    const auto found = parse_load(text_of("/proc/loadavg"), text_of("/proc/stat"));
    if (!found) return {};
    load = *found;
    running.push_back(load.running);
    std::this_thread::sleep_for(kPause);
  }
  std::sort(running.begin(), running.end());
  load.running = running[running.size() / 2];
  return load;
}

double Host::share(double threads) const noexcept {
  return load.cpus > cpus ? threads * cpus / load.cpus : threads;
}

bool Host::busy() const noexcept {
  const int free = std::max(0, cpus - ranks);
  return share(std::max(load.running, load.last_minute)) >= free + 1;
}

void leave_out_lookers(std::span<Host> hosts) {
  std::map<std::string_view, int> lookers;
  for (const Host& host : hosts)
    if (!host.kernel.empty()) ++lookers[host.kernel];
  for (Host& host : hosts)
    if (!host.kernel.empty())
      host.load.running = std::max(0., host.load.running - (lookers[host.kernel] - 1));
}

std::string kernel_here() {
  std::string text = text_of("/proc/sys/kernel/random/boot_id");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string busy_line(std::span<const Host> hosts) {
  constexpr int kMostNamed = 4;
  std::string named;
  int busy = 0;
  for (const Host& host : hosts) {
    if (!host.busy() || ++busy > kMostNamed) continue;
    named +=
        fmt::format("{}{} ({:.0f} other threads run, {:.1f} in the last minute; {} on {})",
                    named.empty() ? "" : ", ", host.name, host.load.running, host.load.last_minute,
                    counted(host.ranks, "rank"), counted(host.cpus, "CPU"));
  }
  if (busy == 0) return {};
  if (busy > kMostNamed) named += fmt::format(" and {} more", busy - kMostNamed);
  return fmt::format("busy: {}: times are not those of a quiet machine", named);
}

nlohmann::json json_of(const Host& host) {
  return {{"name", host.name},
          {"ranks", host.ranks},
          {"cpus_allowed", host.cpus},
          {"cpus", host.load.cpus},
          {"threads_running", host.load.running},
          {"load_last_minute", host.load.last_minute},
          {"busy", host.busy()}};
}

}  // namespace tutti::tools
