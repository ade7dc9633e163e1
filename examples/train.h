/* Data-parallel training, for train.c and train_tutti.c: all ranks have the same small neural
 * network, each computes the gradient on its share of the samples, and the gradients are summed in
 * 16 bits a number.
 *
 * MPI has no type of bfloat16, so the sum is an operation of this program's. bfloat16 is the upper
 * half of a float: half the bytes on the wire, and as a gradient keeps its exponent, no scaling is
 * needed as it is with IEEE's half precision. The weights stay floats. */
#ifndef TRAIN_H
#define TRAIN_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 512, STEPS = 200 };

/* The weights w of neuron k are w[4 k] to w[4 k + 3]: of x, of y, the bias, and that of its output.
 * The last one is the output's bias. */
typedef struct {
  int neurons, weights;
  float *w, *gradient, *momentum;
  uint16_t* halves; /* the gradient, rounded; then the sum of those of all ranks */
  int rank, ranks;
} Network;

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

/* The weights are those of rank 0, and still to be sent. If NEURONS are too few or too many, ends
 * the program. */
static Network new_network(int neurons) {
  Network net = {.neurons = neurons, .weights = 4 * neurons + 1};
  MPI_Comm_rank(MPI_COMM_WORLD, &net.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &net.ranks);
  if (neurons < 8 || neurons > 256) {
    if (net.rank == 0) fprintf(stderr, "NEURONS must be 8 to 256\n");
    MPI_Finalize();
    exit(2);
  }
  net.w = calloc((size_t)net.weights * 3, sizeof(float));
  net.halves = calloc((size_t)net.weights, sizeof(uint16_t));
  if (!net.w || !net.halves) {
    fprintf(stderr, "train: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  net.gradient = net.w + net.weights;
  net.momentum = net.gradient + net.weights;
  if (net.rank == 0)
    for (int i = 0; i < net.weights; ++i) net.w[i] = (float)rand() / (float)RAND_MAX - 0.5F;
  return net;
}

static void free_network(Network* net) {
  free(net->w);
  free(net->halves);
}

/* Computes the gradient of this rank's samples. Returns their loss. */
static double loss_here(const Network* net) {
  const float* const w = net->w;
  float* const g = net->gradient;
  const int last = 4 * net->neurons;
  double loss = 0;
  memset(g, 0, (size_t)net->weights * sizeof(float));
  for (int i = net->rank; i < SAMPLES; i += net->ranks) {
    float x, y;
    const float wanted = sample(i, &x, &y);
    float out = w[last];
    for (int k = 0; k < last; k += 4) out += w[k + 3] * tanhf(w[k] * x + w[k + 1] * y + w[k + 2]);
    const float slope = 2 * (out - wanted) / SAMPLES;
    loss += (double)(slope * (out - wanted) / 2);
    g[last] += slope;
    for (int k = 0; k < last; k += 4) {
      const float t = tanhf(w[k] * x + w[k + 1] * y + w[k + 2]);
      const float inner = slope * w[k + 3] * (1 - t * t);
      g[k] += inner * x;
      g[k + 1] += inner * y;
      g[k + 2] += inner;
      g[k + 3] += slope * t;
    }
  }
  for (int i = 0; i < net->weights; ++i) net->halves[i] = narrow(g[i]);
  return loss;
}

/* One step of gradient descent with momentum, by the sum of the gradients. */
static void descend(Network* net) {
  for (int i = 0; i < net->weights; ++i) {
    net->momentum[i] = 0.9F * net->momentum[i] + widen(net->halves[i]);
    net->w[i] -= 8.0F / (float)(net->weights + 64) * net->momentum[i];
  }
}

/* How far the sums in 16 bits are from `sums` in floats, relative to the largest. */
static float rounding(const Network* net, const float* sums) {
  float most = 0, off = 0;
  for (int i = 0; i < net->weights; ++i) {
    most = fmaxf(most, fabsf(sums[i]));
    off = fmaxf(off, fabsf(sums[i] - widen(net->halves[i])));
  }
  return off / most;
}

/* Prints three checks at rank 0: of sums, loss and weights. Returns the program's status. */
static int report(const char* name, const Network* net, int equal, double first, double last,
                  float off) {
  const int good = off < 0.02F && last < first / 4 && equal;
  if (net->rank == 0)
    printf("%s: %s: %d weights, %s on %d ranks, loss %.4f, then %.4f, sums off by %.1f %%\n", name,
           good ? "ok" : "WRONG", net->weights, equal ? "equal" : "DIFFERENT", net->ranks, first,
           last, 100 * (double)off);
  return good ? 0 : 1;
}

#endif
