"""A two-dimensional Fourier transform of N x N complex numbers: fft.c in Python.

    python3 fft.py [N]     256 if not given

Each rank has some rows. It transforms them, the matrix is transposed by one Alltoall, and each rank
transforms what are its rows now. Two subarrays do the work around the Alltoall: one cuts the blocks
out of the rows, the other is a column, and stores each block transposed.

All blocks are of one size. If N is no multiple of the number of ranks, then the last rows and
columns are padding, which stays zero.
"""
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()


def columns_of_rows(columns, rows):
    """A number of columns of a rank's rows. The next ones of such a type begin beside them."""
    cut = MPI.C_DOUBLE_COMPLEX.Create_subarray([rows, rows * ranks], [rows, columns], [0, 0])
    part = cut.Create_resized(0, columns * MPI.C_DOUBLE_COMPLEX.Get_size()).Commit()
    cut.Free()
    return part


def transform(x, n, function):
    """The result is transposed: row k has the frequency k of the columns. The inverse takes a
    result of this form, so it needs no further transposition."""
    rows = len(x)
    block, column = columns_of_rows(rows, rows), columns_of_rows(1, rows)
    rotated, y = numpy.zeros_like(x), numpy.zeros_like(x)
    rotated[:, :n] = function(x[:, :n])  # of each row
    world.Alltoall([rotated, 1, block], [y, rows, column])
    y[:, :n] = function(y[:, :n])
    block.Free()
    column.Free()
    return y


def difference(x, y):
    """The largest one of all ranks."""
    most = numpy.array([abs(x - y).max()])
    world.Allreduce(MPI.IN_PLACE, most, MPI.MAX)
    return most[0]


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    if not 1 <= n <= 16384:
        if rank == 0:
            print("fft: N must be 1 to 16384", file=sys.stderr)
        return 2
    rows = (n + ranks - 1) // ranks
    row = rank * rows + numpy.arange(rows)[:, None]
    col = numpy.arange(rows * ranks)[None, :]
    inside = (row < n) & (col < n)

    # A plane wave has one frequency.
    wave = inside * numpy.exp(2j * numpy.pi * (3 * row + 5 * col) / n)
    frequency = n * n * ((row == 5 % n) & (col == 3 % n))
    of_wave = difference(transform(wave, n, numpy.fft.fft), frequency) / n**2

    noise = inside * (numpy.sin(12.9898 * row + 78.233 * col) * 43758.5453 % 1
                      + 1j * numpy.cos(row + 2 * col))  # has all frequencies
    back = difference(transform(transform(noise, n, numpy.fft.fft), n, numpy.fft.ifft), noise)

    good = of_wave < 1e-12 and back < 1e-12
    if rank == 0:
        print(f"fft in Python: {'ok' if good else 'WRONG'}: {n} x {n}, {ranks} ranks, error of a "
              f"plane wave {of_wave:.1e}, there and back {back:.1e}")
    return 0 if good else 1


sys.exit(main())
