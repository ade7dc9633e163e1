// Finds the lowest rank with each fault: ranks compare hashes of the texts.
#include "tools/job_faults.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "tools/first_rank.hpp"

namespace tutti::tools {
namespace {

// For ranks that come late. A rank whose command needs no MPI never comes.
constexpr unsigned kSecondsForOthers = 20;

// Printed, and returned, if the others do not come.
std::array<char, 2000> g_last_words;
std::size_t g_length = 0;
int g_status = 0;

void say_last_words(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, g_last_words.data(), g_length);
  _exit(g_status);
}

std::string line_of(int rank, const char* command, std::string_view text) {
  const std::string where = rank == 0 ? std::string() : fmt::format(", rank {}", rank);
  return fmt::format("tutti{}{}{}: {}\n", *command ? " " : "", command, where, text);
}

void wait_for_others(const Fault& fault, int rank) {
  const std::string line = rank == 0 ? "" : line_of(rank, "", fault.text);
  g_length = std::min(line.size(), g_last_words.size());
  std::copy_n(line.data(), g_length, g_last_words.data());
  g_status = fault.status;
  std::signal(SIGALRM, say_last_words);
  std::signal(SIGTERM, say_last_words);  // Open MPI's launcher, once others have ended without MPI
  alarm(kSecondsForOthers);
}

struct Stated {
  std::uint64_t text = 0, status = 0;  // `text`: a hash
};
struct Verdict {
  int speaks = 0, status = 0;  // whether this rank says its fault; the exit status of all
};

// Each rank states its fault, and rank 0 answers. These are messages of a tag of their own, as one
// rank may have a fault while the others run a program, whose collectives they must not meet.
Verdict compare(const Fault& fault, int rank, int ranks) {
  constexpr int kTag = 32002;
  const Stated mine{Hash().add(fault.text).value(), static_cast<std::uint64_t>(fault.status)};
  Verdict verdict;
  if (rank != 0) {
    MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
    MPI_Recv(&verdict, sizeof verdict, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return verdict;
  }
  std::vector<Stated> all(index(ranks), mine);
  for (int r = 1; r < ranks; ++r)
    MPI_Recv(&all[index(r)], sizeof mine, MPI_BYTE, r, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int status = static_cast<int>(std::ranges::max(all, {}, &Stated::status).status);
  std::unordered_set<std::uint64_t> said;
  for (int r = 0; r < ranks; ++r) {
    const Stated& stated = all[index(r)];
    const Verdict theirs{stated.status != 0 && said.insert(stated.text).second, status};
    if (r == 0) verdict = theirs;
    if (r > 0) MPI_Send(&theirs, sizeof theirs, MPI_BYTE, r, kTag, MPI_COMM_WORLD);
  }
  return verdict;
}

// Says what is wrong on this rank, and ends the job, in which others may wait for it. A second
// later, as launchers throw away what they have not passed on by then.
void end_job(const char* command, int rank, const std::exception& error) {
  fmt::print(stderr, "tutti {}, rank {}: {}\n", command, rank, error.what());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int status_for(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  const bool refused =
      known && (known->code == Code::bad_configuration || known->code == Code::unknown_algorithm);
  return refused ? kBadUsage : 1;
}

int end_by_fault(const Fault& fault) {
  const JobPlace place = place_in_job();
  if (place.rank == 0) fmt::print(stderr, "{}", line_of(0, "", fault.text));
  if (place.ranks < 2) {  // or the launcher does not say how many there are
    if (place.rank != 0) fmt::print(stderr, "{}", line_of(place.rank, "", fault.text));
    return fault.status;
  }
  wait_for_others(fault, place.rank);
  MPI_Init(nullptr, nullptr);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool is_of_launcher = ranks == place.ranks && rank == place.rank;  // not another MPI's
  Verdict verdict{1, fault.status};
  if (is_of_launcher) verdict = compare(fault, rank, ranks);
  alarm(0);
  std::signal(SIGTERM, SIG_DFL);
  if (place.rank != 0 && verdict.speaks != 0)
    fmt::print(stderr, "{}", line_of(place.rank, "", fault.text));
  MPI_Finalize();
  return verdict.status;
}

int run_in_job(const char* command, const std::function<void(RankInJob)>& check,
               const std::function<bool(RankInJob)>& work) {
  MPI_Init(nullptr, nullptr);
  RankInJob here{};
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
  Fault fault;
  try {
    check(here);
  } catch (const std::exception& error) {
    fault = {status_for(error), in_one_line(error.what())};
  }
  const Verdict verdict = compare(fault, here.rank, here.ranks);
  if (verdict.speaks != 0) fmt::print(stderr, "{}", line_of(here.rank, command, fault.text));
  int status = verdict.status;
  if (status == 0) try {
      status = work(here) ? 0 : 1;
    } catch (const std::exception& error) {
      end_job(command, here.rank, error);
    }
  MPI_Finalize();
  return status;
}

}  // namespace tutti::tools
