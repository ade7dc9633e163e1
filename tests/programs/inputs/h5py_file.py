"""All ranks write one HDF5 file, with collective and with independent transfers, and read it."""
import h5py
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
ROWS, COLUMNS, TIMES = 24, 500, 10
with h5py.File("file.h5", "w", driver="mpio", comm=world) as file:
    for i in range(TIMES):
        table = file.create_dataset(f"table{i}", (ROWS * size, COLUMNS), dtype="d")
        table.attrs["number"] = i
        mine = numpy.fromfunction(lambda r, c: (r + rank * ROWS) * 1e-3 + c + i, (ROWS, COLUMNS))
        with table.collective:
            table[rank::size, :] = mine
    file.create_dataset("ranks", (size,), dtype="i")[rank] = rank
with h5py.File("file.h5", "r", driver="mpio", comm=world) as file:
    for i in range(TIMES):
        table = file[f"table{i}"]
        other = (rank + 1) % size
        with table.collective:
            read = table[other::size, :]
        wanted = numpy.fromfunction(lambda r, c: (r + other * ROWS) * 1e-3 + c + i, (ROWS, COLUMNS))
        assert (read == wanted).all()
        total = world.reduce(float(read.sum()))
        if rank == 0:
            print(i, table.attrs["number"], total)
    assert (file["ranks"][:] == numpy.arange(size)).all()
