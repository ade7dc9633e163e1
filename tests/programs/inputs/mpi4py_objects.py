"""A power iteration whose vectors are numpy's, and whose other values are pickled objects."""
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
N = 240
settings = world.bcast({"steps": 200, "shift": 0.5} if rank == 0 else None)
first = world.exscan(N // size + (rank < N % size)) or 0
rows = numpy.arange(first, first + N // size + (rank < N % size))
matrix = 1.0 / (1.0 + abs(rows[:, None] - numpy.arange(N)[None, :]))
counts = world.allgather(len(rows))
vector = numpy.ones(N)
for step in range(settings["steps"]):
    own = matrix @ vector + settings["shift"] * vector[rows]
    world.Allgatherv(own, [vector, counts])
    norm = numpy.sqrt(world.allreduce(float(own @ own)))
    vector /= norm
    if step % 50 == 0:
        parts = world.gather({"rank": rank, "most": float(max(own))})
        if rank == 0:
            print(step, norm, max(part["most"] for part in parts))
total = numpy.zeros(N)
world.Allreduce(numpy.where(numpy.isin(numpy.arange(N), rows), vector, 0), total)
words = world.alltoall([f"{rank} to {to}" for to in range(size)])
assert words == [f"{of} to {rank}" for of in range(size)]
halves = world.Split(rank % 2, rank)
sums = halves.allreduce([rank], op=MPI.SUM)
assert sums == list(range(rank % 2, size, 2))
halves.Free()
block = numpy.zeros(4)
world.Reduce_scatter_block(numpy.full(4 * size, rank + 1.0), block)
world.Barrier()
if rank == 0:
    print(abs(total - vector).max(), norm, block)
