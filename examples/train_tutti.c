/* train.c with Tutti's own calls: `diff train.c train_tutti.c`. The operation is the MPI's in both.
 *
 *     train_tutti [NEURONS]     in the hidden layer; 32 if not given */
#include "check.h"
#include "train.h"

static tutti_comm world;

/* Returns the loss of all samples. In net->halves is then the sum of all gradients. */
static double sum_gradients(const Network* net, MPI_Op add) {
  double loss = loss_here(net);
  check(tutti_allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, world));
  check(tutti_allreduce(MPI_IN_PLACE, net->halves, net->weights, MPI_UINT16_T, add, world));
  return loss;
}

/* Whether all ranks have the weights of rank 0, bit for bit; they are in `of_root` then. */
static int equal_on_all(const Network* net, float* of_root) {
  const size_t bytes = (size_t)net->weights * sizeof(float);
  memcpy(of_root, net->w, bytes);
  check(tutti_bcast(of_root, net->weights, MPI_FLOAT, 0, world));
  int equal = memcmp(of_root, net->w, bytes) == 0;
  check(tutti_allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_LAND, world));
  return equal;
}

int main(int argc, char** argv) {
  MPI_Op add;
  MPI_Init(&argc, &argv);
  Network net = new_network(argc > 1 ? atoi(argv[1]) : 32);
  check(tutti_init(NULL));
  check(tutti_comm_create(MPI_COMM_WORLD, &world));
  MPI_Op_create(add_halves, 1, &add); /* 1: it commutes */
  check(tutti_bcast(net.w, net.weights, MPI_FLOAT, 0, world));

  const double first = sum_gradients(&net, add);
  check(tutti_allreduce(MPI_IN_PLACE, net.gradient, net.weights, MPI_FLOAT, MPI_SUM, world));
  const float off = rounding(&net, net.gradient);
  double last = first;
  for (int i = 0; i < STEPS; ++i) {
    descend(&net);
    last = sum_gradients(&net, add);
  }

  const int status =
      report("train_tutti", &net, equal_on_all(&net, net.gradient), first, last, off);
  check(tutti_comm_free(&world));
  check(tutti_finalize());
  MPI_Op_free(&add);
  free_network(&net);
  MPI_Finalize();
  return status;
}
