"""The energy of a hydrogen molecule, on a grid and in atomic orbitals."""
from ase import Atoms
from gpaw import GPAW
from gpaw.mpi import world

for mode in "fd", "lcao":
    atoms = Atoms("H2", [(2, 2, 1.63), (2, 2, 2.37)], cell=(4, 4, 4), pbc=True)
    atoms.calc = GPAW(mode=mode, h=0.25, kpts=(1, 1, 2), txt=None, basis="dzp",
                      convergence={"density": 1e-5, "eigenstates": 1e-7})
    energy, forces = atoms.get_potential_energy(), atoms.get_forces()
    if world.rank == 0:
        print(mode, energy, forces[0][2], forces[1][2])
