// Makes MPI calls that have no communicator of ours return their errors, as long as it lives.
#pragma once

#include <mpi.h>

namespace tutti {

// Such calls report to the error handlers of MPI_COMM_WORLD or MPI_COMM_SELF (MPI 4), which end the
// program by default. Only one object may live at a time, so hold the engine's lock: two would take
// each other's handlers for the program's.
class QuietErrors {
 public:
  QuietErrors() {
    for (int i = 0; i < 2; ++i) {
      PMPI_Comm_get_errhandler(comms_[i], &before_[i]);
      PMPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN);
    }
  }
  ~QuietErrors() {
    for (int i = 0; i < 2; ++i) {
      PMPI_Comm_set_errhandler(comms_[i], before_[i]);
      PMPI_Errhandler_free(&before_[i]);
    }
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  MPI_Comm comms_[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  MPI_Errhandler before_[2];
};

}  // namespace tutti
