// A job that goes on: random collectives by a seed (stream.hpp) on communicators that come and go,
// for a given time at least. Resources of a rank must not grow: memory, descriptors, threads,
// connections.
//
//   soak_test SECONDS SEED [LEAK]        LEAK: bytes lost in each round, to see that it is noticed
//
// Resources held in the last quarter of the rounds are compared with those held in the second.
#include <dirent.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>

#include "stream.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCallsOfARound = 40;
constexpr int kFewestRounds = 12;  // to judge by, however slow the machine is

struct Held {
  long bytes = 0, descriptors = 0, threads = 0, connections = 0;
};

long entries_of(const char* folder) {
  long count = 0;
  DIR* const all = opendir(folder);
  CHECK(all != nullptr, "%s cannot be read", folder);
  while (readdir(all)) ++count;
  closedir(all);
  return count;
}

long resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return 1024 * std::strtol(line.c_str() + 6, nullptr, 10);
  CHECK(false, "the kernel does not tell the memory");
  return 0;
}

long connections(tutti_comm comm) {
  static std::array<char, 1 << 16> text;
  MUST(tutti_describe(comm, text.data(), text.size(), nullptr));
  const char* at = std::strstr(text.data(), "\"connections\"");
  const char* const end = at ? std::strchr(at, '}') : nullptr;
  CHECK(end != nullptr, "no connections are described");
  long sum = 0;
  for (; at < end; ++at)
    if (*at >= '0' && *at <= '9') sum += std::strtol(at, const_cast<char**>(&at), 10);
  return sum;
}

// Memory that the allocator keeps for later is not held.
Held held_now(tutti_comm comm) {
  malloc_trim(0);
  return {resident_bytes(), entries_of("/proc/self/fd"), entries_of("/proc/self/task"),
          connections(comm)};
}

// A communicator of about half of the ranks, and one of all; calls on both; the first goes away.
void round(int number, unsigned seed, tutti_comm all, long* calls) {
  const unsigned draw = seed * 2654435761u + static_cast<unsigned>(number) * 40503u;
  MPI_Comm members;
  MPI_Comm_split(MPI_COMM_WORLD,
                 static_cast<int>((draw >> 7) + static_cast<unsigned>(job_rank)) % 2, 0, &members);
  int rank = 0, size = 0;
  MPI_Comm_rank(members, &rank);
  MPI_Comm_size(members, &size);
  tutti_comm part;
  MUST(tutti_comm_create(members, &part));
  Stream everybody(draw, all, job_rank, job_size), some(draw, part, rank, size);
  while (some.calls() < kCallsOfARound) {
    MUST(everybody.next());
    MUST(some.next());
  }
  *calls += 2 * kCallsOfARound;
  MUST(tutti_comm_free(&part));
  MPI_Comm_free(&members);
}

// Rank 0's clock decides for all.
bool go_on(Clock::time_point end) {
  int on = Clock::now() < end ? 1 : 0;
  MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return on != 0;
}

Held most(const std::vector<Held>& samples, std::size_t from, std::size_t to) {
  Held result;
  for (std::size_t i = from; i < to; ++i) {
    result.bytes = std::max(result.bytes, samples[i].bytes);
    result.descriptors = std::max(result.descriptors, samples[i].descriptors);
    result.threads = std::max(result.threads, samples[i].threads);
    result.connections = std::max(result.connections, samples[i].connections);
  }
  return result;
}

// Whether no rank holds more and more. Each rank that does says so; none aborts, since mpiexec of
// Open MPI 4.1 may crash where several do at once.
bool judge(const std::vector<Held>& samples, long calls, double seconds) {
  const std::size_t n = samples.size();
  const Held early = most(samples, n / 4, n / 2), late = most(samples, 3 * n / 4, n);
  std::array<char, 300> line;
  std::snprintf(line.data(), line.size(),
                "rank %d: %ld calls in %zu rounds, %.0f s; memory %.1f then %.1f MiB, descriptors "
                "%ld then %ld, threads %ld then %ld, connections %ld then %ld",
                job_rank, calls, n, seconds, static_cast<double>(early.bytes) / (1 << 20),
                static_cast<double>(late.bytes) / (1 << 20), early.descriptors, late.descriptors,
                early.threads, late.threads, early.connections, late.connections);
  if (job_rank == 0) std::printf("%s\n", line.data());
  // In a short run plans are still made, and pages of rings are touched for the first time.
  constexpr long kSlack = 4 << 20;
  int steady = late.bytes <= early.bytes + kSlack && late.descriptors <= early.descriptors &&
                       late.threads <= early.threads && late.connections <= early.connections
                   ? 1
                   : 0;
  if (steady == 0) std::fprintf(stderr, "what is held grows: %s\n", line.data());
  MPI_Allreduce(MPI_IN_PLACE, &steady, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return steady != 0;
}

}  // namespace

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 3 || argc == 4, "usage: soak_test SECONDS SEED [LEAK]");
  const double seconds = std::atof(argv[1]);
  const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const std::size_t leak = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 0;
  MUST(tutti_init(nullptr));
  tutti_comm all;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &all));
  std::vector<Held> samples;
  samples.reserve(1 << 20);
  long calls = 0;
  const auto begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (int number = 1; go_on(end) || number <= kFewestRounds; ++number) {
    round(number, seed, all, &calls);
    if (leak > 0) std::memset(std::malloc(leak), 1, leak);
    samples.push_back(held_now(all));
  }
  const bool steady = judge(samples, calls, seconds);
  MUST(tutti_comm_free(&all));
  if (steady) {
    job_end("soak");
    return 0;
  }
  MUST(tutti_finalize());
  MPI_Finalize();
  return job_rank == 0 ? 1 : 0;
}
