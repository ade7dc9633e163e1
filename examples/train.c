/* Data-parallel training with gradients that are summed in 16 bits a number, by an operation of the
 * program's; train.h has the network and the operation.
 *
 *     train [NEURONS]     in the hidden layer; 32 if not given
 *
 * MPI_Allreduce gives all ranks the same bits. So weights that were equal stay equal, and are never
 * sent again. */
#include "train.h"

/* Returns the loss of all samples. In net->halves is then the sum of all gradients. */
static double sum_gradients(const Network* net, MPI_Op add) {
  double loss = loss_here(net);
  MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, net->halves, net->weights, MPI_UINT16_T, add, MPI_COMM_WORLD);
  return loss;
}

/* Whether all ranks have the weights of rank 0, bit for bit; they are in `of_root` then. */
static int equal_on_all(const Network* net, float* of_root) {
  const size_t bytes = (size_t)net->weights * sizeof(float);
  memcpy(of_root, net->w, bytes);
  MPI_Bcast(of_root, net->weights, MPI_FLOAT, 0, MPI_COMM_WORLD);
  int equal = memcmp(of_root, net->w, bytes) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return equal;
}

int main(int argc, char** argv) {
  MPI_Op add;
  MPI_Init(&argc, &argv);
  Network net = new_network(argc > 1 ? atoi(argv[1]) : 32);
  MPI_Op_create(add_halves, 1, &add); /* 1: it commutes */
  MPI_Bcast(net.w, net.weights, MPI_FLOAT, 0, MPI_COMM_WORLD);

  const double first = sum_gradients(&net, add);
  MPI_Allreduce(MPI_IN_PLACE, net.gradient, net.weights, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  const float off = rounding(&net, net.gradient);
  double last = first;
  for (int i = 0; i < STEPS; ++i) {
    descend(&net);
    last = sum_gradients(&net, add);
  }

  const int status = report("train", &net, equal_on_all(&net, net.gradient), first, last, off);
  MPI_Op_free(&add);
  free_network(&net);
  MPI_Finalize();
  return status;
}
