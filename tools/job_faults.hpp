// Faults that ranks of a job find before its work begins, in the command line and in settings. Each
// different one is printed once, by the lowest rank that has it, though all ranks may have the same
// or only one.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace tutti::tools {

// Exit status: the command line, a setting, or a file that these name was refused; 1 for whatever
// else is wrong.
inline constexpr int kBadUsage = 2;
// The exit status for an exception.
int status_for(const std::exception& error);

struct Fault {
  int status = 0;      // the exit status; 0: there is none
  std::string text{};  // of one line or more
};

// Says the fault that this process has found before MPI_Init, and returns its exit status. In a job
// it asks the other ranks first, by MPI: those that have a fault as well call this, and those that
// have none run_in_job(). If they do not come for 20 s, as commands without MPI never do, ends the
// process, after saying it. Rank 0 says it at once.
int end_by_fault(const Fault& fault);

// A command that runs in a job: MPI_Init, then `check` on each rank, whose exception is a fault of
// that rank, then `work` if no rank has one, and MPI_Finalize. An exception of `work` ends the job.
// Returns the exit status, the greatest one of a fault; without one 0 if `work` returns true.
struct RankInJob {
  int rank, ranks;
};
int run_in_job(const char* command, const std::function<void(RankInJob)>& check,
               const std::function<bool(RankInJob)>& work);

}  // namespace tutti::tools
