// Lets the MPI around us go on while a rank waits in Tutti. Some MPIs move what a program has
// pending (the rest of a long MPI_Isend, a connection on demand) only while somebody calls MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <mutex>

#include "src/data/mpi_lock.hpp"
#include "src/data/own_copy.hpp"

namespace tutti {

class MpiProgress {
 public:
  MpiProgress() = default;
  // Collective over MPI_COMM_WORLD, of which it makes a copy. No message ever travels there, so MPI
  // looks at everything before it says so; and errors, such as a dead member, end no program. A
  // communicator of this rank alone would not do: MPICH looks for its messages without progress.
  // Throws Error{bootstrap_failed}.
  void open() {
    PMPI_Query_thread(&level_);
    comm_ = own_copy_of(MPI_COMM_WORLD);
  }
  ~MpiProgress() {
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (!finalized && comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  // For one-sided communication, as far as Tutti knows of them: other ranks may use them at any
  // time, and some MPIs move that only while this rank calls MPI.
  std::atomic<int> windows{0};

  MpiProgress(const MpiProgress&) = delete;
  MpiProgress& operator=(const MpiProgress&) = delete;

  // Does nothing on a thread that may not call MPI, or after MPI_Finalize, or while another thread
  // has the lock.
  void operator()() const noexcept {
    const std::unique_lock lock(mpi_lock, std::try_to_lock);
    if (!lock) return;
    int finalized = 0, main_thread = 1, found = 0;
    PMPI_Finalized(&finalized);
    if (finalized) return;
    if (level_ < MPI_THREAD_SERIALIZED) PMPI_Is_thread_main(&main_thread);
    if (main_thread && comm_ != MPI_COMM_NULL)
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int level_ = MPI_THREAD_SINGLE;
};

}  // namespace tutti
