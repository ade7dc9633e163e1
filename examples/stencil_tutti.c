/* stencil.c with Tutti's own calls: `diff stencil.c stencil_tutti.c`.
 *
 *     stencil_tutti [POINTS]     points in each direction; 256 if not given */
#include "check.h"
#include "plate.h"

int main(int argc, char** argv) {
  enum { kSteps = 100 };
  MPI_Init(&argc, &argv);
  Plate plate = divide(argc > 1 ? atoi(argv[1]) : 256);
  tutti_comm neighbours;
  check(tutti_init(NULL));
  check(tutti_comm_create(plate.comm, &neighbours));
  double* const fields[2] = {new_field(&plate), new_field(&plate)};
  MPI_Count counts[4], sent[4], received[4];
  for (int side = 0; side < 4; ++side) {
    counts[side] = plate.counts[side];
    sent[side] = plate.sent[side];
    received[side] = plate.received[side];
  }
  tutti_request exchange[2];
  for (int i = 0; i < 2; ++i)
    check(tutti_neighbor_alltoallw_init(fields[i], counts, sent, plate.types, fields[i], counts,
                                        received, plate.types, neighbours, &exchange[i]));

  for (int t = 0; t < kSteps; ++t) {
    double *const from = fields[t % 2], *const to = fields[1 - t % 2];
    check(tutti_start(&exchange[t % 2]));
    step(&plate, from, to, 0);
    check(tutti_wait(&exchange[t % 2]));
    step(&plate, from, to, 1);
  }

  double error = error_here(&plate, fields[kSteps % 2], kSteps);
  check(tutti_allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, neighbours));
  const int status = report("stencil_tutti", &plate, kSteps, error);
  for (int i = 0; i < 2; ++i) {
    check(tutti_request_free(&exchange[i]));
    free(fields[i]);
  }
  check(tutti_comm_free(&neighbours));
  check(tutti_finalize());
  finish(&plate);
  MPI_Finalize();
  return status;
}
