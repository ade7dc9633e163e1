"""Poisson's equation, -u_xx - u_yy = f on the unit square with u = 0 on its edge, solved by
conjugate gradients: cg.c in Python.

    python3 cg.py [POINTS]     points inside the square in each direction; 64 if not given

Each rank has some rows of the grid, with a frame around them: the rows above and below hold copies
of the neighbours' nearest rows, or the edge of the square, and the outer columns hold the edge.
mpi4py takes numpy's arrays as they are, also rows of them, if they are contiguous.
"""
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()


def exchange(x, above, below):
    world.Sendrecv(x[1], dest=above, recvbuf=x[-1], source=below)
    world.Sendrecv(x[-2], dest=below, recvbuf=x[0], source=above)


def multiply(x, above, below):
    """A x, where A is the five-point stencil."""
    exchange(x, above, below)
    y = numpy.zeros_like(x)
    y[1:-1, 1:-1] = (4 * x[1:-1, 1:-1] - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2]
                     - x[1:-1, 2:])
    return y


def dot(x, y):
    """MPI gives all ranks the same bits, so all leave the loop in the same iteration."""
    total = numpy.array([numpy.vdot(x[1:-1], y[1:-1])])
    world.Allreduce(MPI.IN_PLACE, total)
    return total[0]


def solve(r, above, below):
    """Solves A u = r, and returns u and the number of iterations; r is overwritten."""
    u, p, iterations = numpy.zeros_like(r), r.copy(), 0
    rr = dot(r, r)
    enough = 1e-24 * rr  # squares: the residual has become 1e-12 of the first one
    while rr > enough and iterations < 10 * r.shape[1]:
        q = multiply(p, above, below)
        alpha, before = rr / dot(p, q), rr
        u += alpha * p
        r -= alpha * q
        rr = dot(r, r)
        p = r + rr / before * p
        iterations += 1
    return u, iterations


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    if not ranks <= points <= 2000:
        if rank == 0:
            print(f"cg: POINTS must be {ranks} (the ranks) to 2000", file=sys.stderr)
        return 2
    first, end = points * rank // ranks, points * (rank + 1) // ranks
    above = rank - 1 if rank > 0 else MPI.PROC_NULL  # nothing is exchanged with it
    below = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL

    h = 1 / (points + 1)
    y = numpy.arange(first, end + 2)[:, None] * h
    x = numpy.arange(points + 2)[None, :] * h
    # The solution is u = x (1 - x) y (1 - y). The stencil is exact for polynomials of such a
    # degree, so the computed u may differ from it by rounding only.
    wanted = x * (1 - x) * y * (1 - y)
    r = numpy.zeros((end - first + 2, points + 2))
    r[1:-1, 1:-1] = (2 * h**2 * (x * (1 - x) + y * (1 - y)))[1:-1, 1:-1]

    u, iterations = solve(r, above, below)

    error = world.allreduce(abs(u - wanted)[1:-1].max(), MPI.MAX)  # a Python object: pickled
    good = error < 1e-9
    if rank == 0:
        print(f"cg in Python: {'ok' if good else 'WRONG'}: {points} x {points} points, {ranks} "
              f"ranks, {iterations} iterations, largest error {error:.1e}")
    return 0 if good else 1


sys.exit(main())
