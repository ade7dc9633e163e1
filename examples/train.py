"""Data-parallel training: all ranks have the same small neural network, each computes the gradient
on its share of the samples, and the gradients are summed in 16 bits a number: train.c in Python.

    python3 train.py [NEURONS]     in the hidden layer; 32 if not given

MPI has no type of IEEE's half precision, so the sum is an operation of this program's: numpy's
float16. Its smallest normal number is 6e-5, so gradients are scaled before they are rounded. The
weights stay float32.

MPI gives all ranks the same bits. So weights that were equal stay equal, and are never sent again.
"""
import sys

import numpy
from mpi4py import MPI

SAMPLES, STEPS, SCALE = 512, 200, numpy.float32(1024)

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()


def add_halves(in_, inout, _):
    """MPI calls it for parts of a message as it likes."""
    total = numpy.frombuffer(inout, numpy.float16)
    total += numpy.frombuffer(in_, numpy.float16)


def samples():
    """This rank's points of the square from -1 to 1, and the function to learn."""
    i = numpy.arange(rank, SAMPLES, ranks)
    x, y = (numpy.float32(i * factor % SAMPLES * 2 / SAMPLES - 1) for factor in (37, 211))
    ones = numpy.ones_like(x)
    return numpy.stack([x, y, ones]), numpy.sin(3 * x) * y


class Network:
    def __init__(self, neurons):
        # A row for x, y, the bias, and the output of each neuron. The last column is the output's
        # bias, and zeros.
        random = numpy.random.default_rng(1)
        self.w = numpy.zeros([4, neurons + 1], numpy.float32)
        self.w[:, :-1] = random.random([4, neurons]) - 0.5 if rank == 0 else 0
        world.Bcast(self.w)
        self.momentum = numpy.zeros_like(self.w)
        self.points, self.wanted = samples()
        self.add = MPI.Op.Create(add_halves, commute=True)

    def gradient(self):
        """The loss and the gradient of this rank's samples."""
        w, g = self.w[:, :-1], numpy.zeros_like(self.w)
        t = numpy.tanh(w[:3].T @ self.points)
        off = w[3] @ t + self.w[0, -1] - self.wanted
        slope = 2 * off / numpy.float32(SAMPLES)
        g[:3, :-1] = self.points @ (slope * w[3][:, None] * (1 - t * t)).T
        g[3, :-1] = t @ slope
        g[0, -1] = slope.sum()
        return (off**2).sum() / SAMPLES, g

    def sum_gradients(self):
        """The loss of all samples, and the sum of all gradients, first in 16 bits."""
        loss, g = self.gradient()
        halves = (g * SCALE).astype(numpy.float16)
        world.Allreduce(MPI.IN_PLACE, [halves.view(numpy.uint16), MPI.UINT16_T], self.add)
        return world.allreduce(loss), halves.astype(numpy.float32) / SCALE, g

    def descend(self, g):
        """One step of gradient descent with momentum."""
        self.momentum = numpy.float32(0.9) * self.momentum + g
        self.w -= numpy.float32(8 / (self.w.size + 64)) * self.momentum


def main():
    neurons = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    if not 8 <= neurons <= 256:
        if rank == 0:
            print("train: NEURONS must be 8 to 256", file=sys.stderr)
        return 2
    network = Network(neurons)
    first, rounded, g = network.sum_gradients()
    world.Allreduce(MPI.IN_PLACE, g)
    off = abs(g - rounded).max() / abs(g).max()
    for _ in range(STEPS):
        network.descend(rounded)
        last, rounded, _ = network.sum_gradients()

    equal = all(other == network.w.tobytes() for other in world.allgather(network.w.tobytes()))
    good = off < 0.02 and last < first / 4 and equal
    if rank == 0:
        print(f"train in Python: {'ok' if good else 'WRONG'}: {4 * neurons + 1} weights, "
              f"{'equal' if equal else 'DIFFERENT'} on {ranks} ranks, loss {first:.4f}, then "
              f"{last:.4f}, sums off by {100 * off:.2f} %")
    network.add.Free()
    return 0 if good else 1


sys.exit(main())
