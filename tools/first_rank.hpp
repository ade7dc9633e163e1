// Which process of a job speaks where all would say the same: helps, and what is wrong with the
// command line.
#pragma once

namespace tutti::tools {

// Whether this process is rank 0, or no process of a job, as launchers say it in the environment.
// May be called before MPI_Init, and without MPI.
bool is_first_rank() noexcept;
// A process that has said nothing of an error is about to end: lets rank 0 say it first, as
// launchers end all processes when one has failed.
void let_first_rank_speak() noexcept;

}  // namespace tutti::tools
