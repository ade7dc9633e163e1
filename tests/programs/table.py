"""Real programs, Debian's packages and small programs over Debian's libraries: a table. programs.py
runs it.

Left out: NWChem with MPICH, which with two ranks and more finds no energy on Debian 12, without
Tutti as well ("scf energy failed"; MPICH 4.0.2). Packages that Debian links to one MPI alone have
one row.
"""
import dataclasses

DEBIAN = "/usr/lib/x86_64-linux-gnu"
OF_PETSC = "x86_64-linux-gnu-real/lib/pkgconfig"

# Times and residuals.
NOISE = r"-?\d*\.\d+(?:[EeDd][-+]?\d+)?"


@dataclasses.dataclass
class Program:
    name: str
    packages: list  # of Debian; the version of the first is printed
    mpi: str  # mpich or openmpi: that of the package
    command: list  # run by mpiexec, in a folder of its own with all files of `inputs`
    prepare: str = ""  # for the shell, once, in the folder that becomes each run's; RANKS is set
    files: list = dataclasses.field(default_factory=list)  # compared besides what is printed
    keep: str = ""  # a regular expression: of the output only lines with it are compared
    drop: str = ""  # a regular expression: lines with it are not compared
    cut: str = ""  # a regular expression of what is removed within a line, such as times
    relative: float = 1e-6  # numbers may differ by so much,
    absolute: float = 1e-9  # or by so much
    fewest: int = 2  # ranks


def of_both(name, packages, command, prepare="", **more):
    """A row for each MPI; {mpi} is its name."""
    for mpi in "mpich", "openmpi":
        def named(text, mpi=mpi):
            return text.replace("{mpi}", mpi)
        yield Program(name, [named(p) for p in packages], mpi, [named(w) for w in command],
                      named(prepare), **more)


def scalapack():
    """Testers compute residuals, which are noise, and print PASSED by them. Their data name process
    grids, and those that do not fit the ranks are left out."""
    for tester, data in [("xdlu", "LU"), ("xzlu", "LU"), ("xdllt", "LLT"), ("xdqr", "QR"),
                         ("xzhrd", "HRD"), ("xdsep", "SEP"), ("xdtrd", "TRD"), ("xdinv", "INV")]:
        yield from of_both(f"ScaLAPACK {tester}", ["scalapack-mpi-test"],
                           [f"{DEBIAN}/scalapack/{{mpi}}-tests/{tester}"],
                           f"cp /usr/share/scalapack/{data}.dat .",
                           fewest=4 if tester == "xdsep" else 2,
                           keep="PASSED|FAILED|passed|failed|tests", cut=NOISE)


PROGRAMS = [
    Program("LAMMPS", ["lammps"], "openmpi", ["lmp", "-in", "melt.in", "-log", "none"],
            keep=r"^\s*\d+(\s+-?[\d.]+){4}\s*$", relative=1e-5),
    Program("hpcc", ["hpcc"], "openmpi", ["hpcc"],
            prepare="sed s/RANKS/$RANKS/ hpccinf.txt >new && mv new hpccinf.txt",
            files=["hpccoutf.txt"], cut=NOISE, drop="CPU|WALL",
            keep="PASSED|FAILED|Success=|Failure|Found . errors|tests completed"),
    *scalapack(),
    Program("h5py", ["python3-h5py-mpi"], "openmpi", ["/usr/bin/python3", "h5py_file.py"]),
    Program("mpi4py", ["python3-mpi4py", "python3-numpy"], "openmpi",
            ["/usr/bin/python3", "mpi4py_objects.py"], relative=1e-9, absolute=1e-12),
    Program("FFTW", ["libfftw3-mpi-dev"], "openmpi", ["./fft"],
            "mpicc.openmpi fft.c -o fft -lfftw3_mpi -lfftw3 -lm"),
    Program("hypre", ["libhypre-dev"], "openmpi", ["./hypre"],
            "mpicc.openmpi -I/usr/include/hypre hypre.c -o hypre -lHYPRE -lm"),
    Program("PETSc, MUMPS, SuperLU_dist, PT-Scotch, SLEPc", ["libpetsc-real-dev",
            "libslepc-real-dev"], "openmpi",
            ["./petsc", "-mat_mumps_icntl_28", "2", "-mat_mumps_icntl_29", "1"],
            f"export PKG_CONFIG_PATH=/usr/lib/slepcdir/slepc3.18/{OF_PETSC}:"
            f"/usr/lib/petscdir/petsc3.18/{OF_PETSC}; "
            "mpicc.openmpi petsc.c -o petsc $(pkg-config --cflags --libs slepc petsc)"),
    Program("Boost.MPI", ["libboost-mpi-dev"], "openmpi", ["./boost"],
            "mpicxx.openmpi boost.cpp -o boost -lboost_mpi -lboost_serialization"),
    Program("Quantum ESPRESSO", ["quantum-espresso", "quantum-espresso-data"], "openmpi",
            ["pw.x", "-in", "silicon.in"], "cp /usr/share/espresso/pseudo/Si.pz-vbc.UPF .",
            keep="total energy|highest|contribution", drop="following"),
    Program("GROMACS", ["gromacs", "gromacs-data"], "openmpi",
            ["gmx_mpi", "mdrun", "-s", "water.tpr", "-ntomp", "1", "-pin", "off", "-dlb", "no",
             "-reprod", "-notunepme", "-g", "water.log"],
            "gmx solvate -cs spc216 -box 2.7 2.7 2.7 -p water.top -o water.gro && "
            "gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 5",
            files=["water.log"], keep=r"^(\s+-?\d\.\d+e[+-]\d+)+$", relative=1e-3, absolute=2.0),
    Program("NWChem", ["nwchem-openmpi"], "openmpi", ["nwchem.openmpi", "water.nw"],
            keep="Total SCF|One-electron|Two-electron|Nuclear rep", drop="time"),
    Program("gpaw", ["gpaw", "gpaw-data"], "openmpi", ["/usr/bin/python3", "gpaw_molecule.py"],
            absolute=1e-5),
    Program("meep", ["python3-meep-openmpi"], "openmpi", ["/usr/bin/python3", "meep_guide.py"],
            keep="^(field|energy|flux)"),
    *of_both("OpenCoarrays", ["libcoarrays-{mpi}-dev"], ["./coarrays"],
             "mpifort.{mpi} -fcoarray=lib coarrays.f90 -o coarrays -lcaf_{mpi}",
             drop="UCX"),
]
