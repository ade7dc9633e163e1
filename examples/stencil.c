/* A stencil: heat spreads in a plate. The ranks are a grid, and in each step every rank exchanges
 * the edges of its part with its four neighbours, by one persistent call, and computes its inner
 * points meanwhile.
 *
 *     stencil [POINTS]     points in each direction; 256 if not given */
#include "plate.h"

/* Starts the exchange of a field, which is prepared the first time. An MPI without persistent
 * collectives begins it anew each time. */
static void start(const Plate* plate, double* field, MPI_Request* request) {
#if MPI_VERSION >= 4
  if (*request == MPI_REQUEST_NULL)
    MPI_Neighbor_alltoallw_init(field, plate->counts, plate->sent, plate->types, field,
                                plate->counts, plate->received, plate->types, plate->comm,
                                MPI_INFO_NULL, request);
  MPI_Start(request);
#else
  MPI_Ineighbor_alltoallw(field, plate->counts, plate->sent, plate->types, field, plate->counts,
                          plate->received, plate->types, plate->comm, request);
#endif
}

int main(int argc, char** argv) {
  enum { kSteps = 100 };
  MPI_Init(&argc, &argv);
  Plate plate = divide(argc > 1 ? atoi(argv[1]) : 256);
  double* const fields[2] = {new_field(&plate), new_field(&plate)};
  MPI_Request exchange[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

  for (int t = 0; t < kSteps; ++t) {
    double *const from = fields[t % 2], *const to = fields[1 - t % 2];
    start(&plate, from, &exchange[t % 2]);
    step(&plate, from, to, 0);
    MPI_Wait(&exchange[t % 2], MPI_STATUS_IGNORE);
    step(&plate, from, to, 1);
  }

  double error = error_here(&plate, fields[kSteps % 2], kSteps);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, plate.comm);
  const int status = report("stencil", &plate, kSteps, error);
  for (int i = 0; i < 2; ++i) {
    if (exchange[i] != MPI_REQUEST_NULL) MPI_Request_free(&exchange[i]);
    free(fields[i]);
  }
  finish(&plate);
  MPI_Finalize();
  return status;
}
