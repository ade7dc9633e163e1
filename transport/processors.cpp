// Compares groups of hardware threads by their numbers, level by level.
#include "transport/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <bitset>
#include <cassert>
#include <type_traits>
#include <utility>

namespace tutti::transport {

ThreadList bound_threads(pid_t process) {
  std::bitset<1 << 13> set;  // the largest set that a Linux kernel of this machine can have
  ThreadList threads;
  if (sched_getaffinity(process, sizeof set, reinterpret_cast<cpu_set_t*>(&set)) != 0)
    return threads;
  for (std::size_t t = 0; t < set.size(); ++t)
    if (set.test(t)) threads.push_back(static_cast<int>(t));
  return threads;
}

namespace {

using Level = Processors::Level;
using Thread = Processors::Thread;

struct Counts {
  std::uint32_t levels = 0, threads = 0;
};
static_assert(std::is_trivially_copyable_v<Level> && std::is_trivially_copyable_v<Thread>);

// Threads are in the order of their numbers, and belong to no group where there is no level.
bool are_sound(std::span<const Thread> threads, std::size_t levels) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].number < (i == 0 ? 0 : threads[i - 1].number + 1)) return false;
    for (std::size_t level = 0; level < Processors::kMostLevels; ++level)
      if (threads[i].groups[level] < -1 || (level >= levels && threads[i].groups[level] != -1))
        return false;
  }
  return true;
}

}  // namespace

Processors::Processors(std::vector<Level> levels, std::vector<Thread> threads)
    : levels_(std::move(levels)), threads_(std::move(threads)) {
  assert(levels_.size() <= kMostLevels);
}

std::vector<std::byte> Processors::packed() const {
  const Counts counts{static_cast<std::uint32_t>(levels_.size()),
                      static_cast<std::uint32_t>(threads_.size())};
  std::vector<std::byte> words;
  const auto add = [&](const auto& values) {
    const auto bytes = std::as_bytes(values);
    words.insert(words.end(), bytes.begin(), bytes.end());
  };
  add(std::span(&counts, 1));
  add(std::span(levels_));
  add(std::span(threads_));
  return words;
}

std::optional<Processors> Processors::unpacked(std::span<const std::byte> words) {
  const auto take = [&](auto values) {
    std::ranges::copy(words.first(values.size_bytes()), std::as_writable_bytes(values).begin());
    words = words.subspan(values.size_bytes());
  };
  Counts counts;
  if (words.size() < sizeof counts) return std::nullopt;
  take(std::span(&counts, 1));
  if (counts.levels > kMostLevels || counts.threads > words.size() / sizeof(Thread) ||
      words.size() != counts.levels * sizeof(Level) + counts.threads * sizeof(Thread))
    return std::nullopt;
  std::vector<Level> levels(counts.levels);
  std::vector<Thread> threads(counts.threads);
  take(std::span(levels));
  take(std::span(threads));
  if (!are_sound(threads, levels.size()) ||
      !std::ranges::all_of(levels, [](const Level& level) { return level.kind <= Kind::core; }))
    return std::nullopt;
  return Processors(std::move(levels), std::move(threads));
}

std::optional<std::size_t> Processors::place_of(Kind kind) const noexcept {
  const auto level = std::ranges::find(levels_, kind, &Level::kind);
  if (level == levels_.end()) return std::nullopt;
  return static_cast<std::size_t>(level - levels_.begin());
}

const Processors::Thread* Processors::find(int thread) const noexcept {
  const auto found = std::ranges::lower_bound(threads_, thread, {}, &Thread::number);
  return found != threads_.end() && found->number == thread ? &*found : nullptr;
}

int Processors::group_of(std::optional<std::size_t> level,
                         std::span<const int> threads) const noexcept {
  if (!level || threads.empty()) return -1;
  const Thread* const first = find(threads.front());
  if (!first) return -1;
  const int group = first->groups[*level];
  const bool alike = std::ranges::all_of(threads, [&](int thread) {
    const Thread* const known = find(thread);
    return known && known->groups[*level] == group;
  });
  return alike ? group : -1;
}

ThreadList Processors::members(std::size_t level, int group) const {
  ThreadList all;
  if (group < 0) return all;
  for (const Thread& thread : threads_)
    if (thread.groups[level] == group) all.push_back(thread.number);
  return all;
}

int Processors::sharing(std::optional<std::size_t> level,
                        std::span<const ThreadList> bindings) const {
  const int group = bindings.empty() ? -1 : group_of(level, bindings.front());
  if (group < 0) return 0;
  return static_cast<int>(std::ranges::count_if(
      bindings, [&](const ThreadList& threads) { return group_of(level, threads) == group; }));
}

}  // namespace tutti::transport
