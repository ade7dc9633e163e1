/* Tutti's functions return errors: none prints, and none ends the program. These examples end it.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <tutti/tutti.h>
#include <unistd.h>

static void check(int code) {
  if (code == TUTTI_SUCCESS) return;
  fprintf(stderr, "%s\n", tutti_last_error_message());
  sleep(1); /* else MPICH's launcher may lose the line */
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
