// The place of this process in a job, as launchers say it in the environment: known before
// MPI_Init, and without MPI. A help, which all ranks would print, is the first one's.
#pragma once

namespace tutti::tools {

struct JobPlace {
  int rank = 0;   // 0 also for what is no process of a job
  int ranks = 1;  // 0: the launcher does not say it
};

JobPlace place_in_job() noexcept;
inline bool is_first_rank() noexcept { return place_in_job().rank == 0; }

}  // namespace tutti::tools
