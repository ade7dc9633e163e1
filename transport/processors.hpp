// Processors: which hardware threads of this machine share a socket, a cache and a core. Pure data,
// which can be copied to the other ranks of a node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tutti::transport {

// Numbers of hardware threads, as the kernel counts them, ascending.
using ThreadList = std::vector<int>;

// The hardware threads that a process of this PID namespace may run on (0: the calling thread);
// empty if the kernel does not tell.
ThreadList bound_threads(pid_t process = 0);

class Processors {
 public:
  enum class Kind : std::uint8_t { package, cache, core };
  // A level of the machine: sockets, caches of one level, or cores. Each groups threads.
  struct Level {
    Kind kind = Kind::package;
    std::int32_t cache_level = 0;  // 3 for L3; caches of instructions do not count
    std::int64_t bytes = 0;        // size of the largest such cache
  };
  static constexpr std::size_t kMostLevels = 8;
  struct Thread {
    std::int32_t number = 0;
    // By level, the number of the group that the thread belongs to; -1: it belongs to no group.
    std::array<std::int32_t, kMostLevels> groups{};
  };

  // For an unknown machine: one level is assumed, on which all threads are alike. `problem` says
  // why it is unknown.
  explicit Processors(std::string problem) : problem_(std::move(problem)) {}
  // `levels`, at most kMostLevels, from the outside inwards; `threads` ascending.
  Processors(std::vector<Level> levels, std::vector<Thread> threads);

  // Why one level is assumed; empty: the machine is known.
  const std::string& problem() const noexcept { return problem_; }
  std::span<const Level> levels() const noexcept { return levels_; }
  std::span<const Thread> threads() const noexcept { return threads_; }

  // packed() is a copy for the other ranks of a node; not to be called for an unknown machine.
  // unpacked() returns nullopt for anything that packed() cannot have written.
  std::vector<std::byte> packed() const;
  static std::optional<Processors> unpacked(std::span<const std::byte> words);

  // Indices into levels(). The last-level cache is the one that most threads share.
  std::optional<std::size_t> package() const noexcept { return place_of(Kind::package); }
  std::optional<std::size_t> last_cache() const noexcept { return place_of(Kind::cache); }
  std::optional<std::size_t> core() const noexcept { return place_of(Kind::core); }

  // The group of a level to which all these threads belong; -1: they belong to several groups, one
  // of them is unknown, or there is no level.
  int group_of(std::optional<std::size_t> level, std::span<const int> threads) const noexcept;
  // The threads of that group; empty for group -1.
  ThreadList members(std::size_t level, int group) const;

  // The number of processes bound to the same group of that level as the first one, which counts
  // too; 0: the first one is not bound to one group. `bindings`: the threads of each process.
  int sharing(std::optional<std::size_t> level, std::span<const ThreadList> bindings) const;

 private:
  std::optional<std::size_t> place_of(Kind kind) const noexcept;
  const Thread* find(int thread) const noexcept;

  std::string problem_;
  std::vector<Level> levels_;
  std::vector<Thread> threads_;
};

}  // namespace tutti::transport
