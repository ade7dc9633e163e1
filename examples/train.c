/* Data-parallel training: all ranks have the same small neural network, each computes the gradient
 * on its share of the samples, and the gradients are summed in 16 bits a number.
 *
 *     train [NEURONS]     in the hidden layer; 32 if not given
 *
 * MPI has no type of bfloat16, so the sum is an operation of this program's. bfloat16 is the upper
 * half of a float: half the bytes on the wire, and as a gradient keeps its exponent, no scaling is
 * needed as it is with IEEE's half precision. The weights stay floats.
 *
 * MPI_Allreduce gives all ranks the same bits. So weights that were equal stay equal, and are never
 * sent again. The program ends with three checks: of the sums, of the loss, and of the weights. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 512, STEPS = 200 };

static float widen(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* To the nearest; of two that are equally near, to the even one. */
static uint16_t narrow(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40); /* rounding could make it infinite */
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* An MPI_User_function. MPI calls it for parts of a message as it likes. */
static void add_halves(void* in, void* inout, int* count, MPI_Datatype* type) {
  const uint16_t* const a = in;
  uint16_t* const b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) b[i] = narrow(widen(a[i]) + widen(b[i]));
}

/* The function to learn, at the i-th sample: a point of the square from -1 to 1. */
static float sample(int i, float* x, float* y) {
  *x = (float)(i * 37 % SAMPLES) * 2 / SAMPLES - 1;
  *y = (float)(i * 211 % SAMPLES) * 2 / SAMPLES - 1;
  return sinf(3 * *x) * *y;
}

/* The loss of all samples, and the gradient g of this rank's. The weights of neuron k are w[4 k] to
 * w[4 k + 3]: of x, of y, the bias, and that of its output. The last one is the output's bias. */
static double gradient(int neurons, const float* w, float* g, int rank, int ranks) {
  double loss = 0;
  memset(g, 0, (size_t)(4 * neurons + 1) * sizeof(float));
  for (int i = rank; i < SAMPLES; i += ranks) {
    float x, y;
    const float wanted = sample(i, &x, &y);
    float out = w[4 * neurons];
    for (int k = 0; k < neurons; ++k)
      out += w[4 * k + 3] * tanhf(w[4 * k] * x + w[4 * k + 1] * y + w[4 * k + 2]);
    const float slope = 2 * (out - wanted) / SAMPLES;
    loss += (double)(slope * (out - wanted) / 2);
    g[4 * neurons] += slope;
    for (int k = 0; k < neurons; ++k) {
      const float t = tanhf(w[4 * k] * x + w[4 * k + 1] * y + w[4 * k + 2]);
      const float inner = slope * w[4 * k + 3] * (1 - t * t);
      g[4 * k] += inner * x;
      g[4 * k + 1] += inner * y;
      g[4 * k + 2] += inner;
      g[4 * k + 3] += slope * t;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return loss;
}

/* One step of gradient descent with momentum. */
static void step(int weights, float* w, float* momentum, const float* g, uint16_t* halves,
                 MPI_Op add) {
  for (int i = 0; i < weights; ++i) halves[i] = narrow(g[i]);
  MPI_Allreduce(MPI_IN_PLACE, halves, weights, MPI_UINT16_T, add, MPI_COMM_WORLD);
  for (int i = 0; i < weights; ++i) {
    momentum[i] = 0.9F * momentum[i] + widen(halves[i]);
    w[i] -= 8.0F / (float)(weights + 64) * momentum[i];
  }
}

/* How far the sums in 16 bits are from those in floats, relative to the largest; changes g. */
static float rounding(int weights, float* g, const uint16_t* halves) {
  float most = 0, off = 0;
  MPI_Allreduce(MPI_IN_PLACE, g, weights, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < weights; ++i) {
    most = fmaxf(most, fabsf(g[i]));
    off = fmaxf(off, fabsf(g[i] - widen(halves[i])));
  }
  return off / most;
}

/* Whether all ranks have the weights of rank 0, bit for bit. */
static int equal_on_all(int weights, const float* w, float* of_root) {
  memcpy(of_root, w, (size_t)weights * sizeof(float));
  MPI_Bcast(of_root, weights, MPI_FLOAT, 0, MPI_COMM_WORLD);
  int equal = memcmp(of_root, w, (size_t)weights * sizeof(float)) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return equal;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Op add;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int neurons = argc > 1 ? atoi(argv[1]) : 32;
  if (neurons < 8 || neurons > 256) {
    if (rank == 0) fprintf(stderr, "train: NEURONS must be 8 to 256\n");
    MPI_Finalize();
    return 2;
  }
  const int weights = 4 * neurons + 1;
  float* const w = calloc((size_t)weights * 3, sizeof(float));
  uint16_t* const halves = calloc((size_t)weights, sizeof(uint16_t));
  if (!w || !halves) MPI_Abort(MPI_COMM_WORLD, 1);
  float *const g = w + weights, *const momentum = g + weights;
  MPI_Op_create(add_halves, 1, &add); /* 1: it commutes */
  if (rank == 0)
    for (int i = 0; i < weights; ++i) w[i] = (float)rand() / (float)RAND_MAX - 0.5F;
  MPI_Bcast(w, weights, MPI_FLOAT, 0, MPI_COMM_WORLD);

  const double first = gradient(neurons, w, g, rank, ranks);
  step(weights, w, momentum, g, halves, add);
  const float off = rounding(weights, g, halves);
  for (int i = 1; i < STEPS; ++i) {
    gradient(neurons, w, g, rank, ranks);
    step(weights, w, momentum, g, halves, add);
  }
  const double last = gradient(neurons, w, g, rank, ranks);
  const int equal = equal_on_all(weights, w, g);
  const int good = off < 0.02 && last < first / 4 && equal;
  if (rank == 0)
    printf("train: %s: %d weights, %s on %d ranks, loss %.4f, then %.4f, sums off by %.1f %%\n",
           good ? "ok" : "WRONG", weights, equal ? "equal" : "DIFFERENT", ranks, first, last,
           100 * (double)off);
  MPI_Op_free(&add);
  free(w);
  free(halves);
  MPI_Finalize();
  return good ? 0 : 1;
}
