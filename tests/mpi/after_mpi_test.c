/*
 * MPI_Finalize comes before tutti_finalize, which is wrong: what needs MPI says so, and nothing
 * ends the program.
 */
#include "job.h"

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm comm, other;
  short number = 1, sum;
  MPI_Datatype pair;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Finalize();
  if (job_rank == 0) usleep(200000); /* the others wait, and would drive MPI */
  int code = tutti_barrier(comm);
  if (code == 0) code = tutti_bcast(&number, 2, MPI_BYTE, 0, comm); /* its type is known */
  if (code == 0)
    code =
        tutti_allreduce(&number, &sum, 1, MPI_SHORT, MPI_SUM, comm) - TUTTI_ERR_MPI_NOT_INITIALIZED;
  if (code == 0) code = tutti_bcast(&number, 0, pair, 0, comm) - TUTTI_ERR_MPI_NOT_INITIALIZED;
  if (code == 0) code = tutti_comm_create(MPI_COMM_WORLD, &other) - TUTTI_ERR_MPI_NOT_INITIALIZED;
  if (code == 0) code = tutti_init(NULL) - TUTTI_ERR_ALREADY_INITIALIZED;
  if (code == 0) code = tutti_finalize();
  if (code != 0) fprintf(stderr, "rank %d: %s\n", job_rank, tutti_last_error_message());
  if (code == 0 && job_rank == 0) printf("after_mpi: ok with %d ranks\n", job_size);
  return code != 0;
}
