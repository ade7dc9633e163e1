"""A program for mpi4py: collectives of numpy buffers and of pickled objects, with computed results.
Rank 0 prints how often it has called each, as far as one call of Python is one of MPI."""
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
TIMES = 10

for i in range(TIMES):
    own = numpy.full(100, rank + i, dtype="d")
    total = numpy.zeros(100)
    world.Allreduce(own, total)
    assert (total == size * (size - 1) / 2 + size * i).all()
    everything = numpy.zeros((size, 100))
    world.Allgather(own, everything)
    assert all((everything[r] == r + i).all() for r in range(size))
    columns_of_all = numpy.zeros((size, 100))
    world.Alltoall(everything, columns_of_all)
    assert (columns_of_all == rank + i).all()
    columns = numpy.arange(20, dtype="i").reshape(4, 5)
    vector = MPI.INT.Create_vector(4, 1, 5).Commit()
    world.Bcast([columns, 1, vector], root=i % size)
    vector.Free()
    world.Barrier()

for i in range(TIMES):
    assert world.bcast({"rank": rank, "text": "x" * 1000 * i}, root=i % size)["rank"] == i % size
    assert world.allgather((rank, i)) == [(r, i) for r in range(size)]
    assert world.allreduce(rank) == size * (size - 1) // 2
    gathered = world.gather([rank] * rank, root=0)
    assert rank or gathered == [[r] * r for r in range(size)]
    assert world.scatter([r * i for r in range(size)] if rank == 0 else None) == rank * i

half = world.Split(rank % 2, rank)
assert half.allreduce(1) == half.Get_size()
half.Free()
if rank == 0:
    for name in "Allreduce", "Allgather", "Alltoall":
        print(f"at least MPI_{name} {TIMES}")
    print(f"mpi4py: ok with {size} ranks")
