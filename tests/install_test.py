#!/usr/bin/env python3
"""Files that `meson install` leaves: a versioned library with tutti_* symbols only, header, files
for pkg-config and CMake, program, the drop-in, manual pages, documents.

Usage: install_test.py DESTDIR ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import checks
from harness.checks import check, run
from harness.installed import PLAIN, PLAIN_RAN, README_PRINTS, readme_program

target, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])


def find(pattern):
    found = sorted(target.rglob(pattern))
    check(found, f"{pattern} is not installed")
    return found[0]


def lint(page):
    # A page may name another one, from the folder of all sections.
    problems = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True,
                              text=True, cwd=page.parent.parent)
    check(problems.returncode == 0, f"mandoc: {problems.stdout}")


library = find("libtutti.so.0.1.0")
for link in "libtutti.so.0", "libtutti.so":
    check((library.parent / link).is_symlink(), f"the library's link {link} is missing")
check("libtutti.so.0" in run("objdump", "-p", library), "the soname is missing")
symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
foreign = sorted(symbol for symbol in symbols if not symbol.startswith("tutti_"))
check(symbols and not foreign, f"foreign symbols are visible: {foreign}")

header = find("tutti.h")
declared = set(re.findall(r"TUTTI_API [^;]*?\b(tutti_\w+)\(", header.read_text()))
check(declared == symbols, f"declared and exported differ: {declared ^ symbols}")
for symbol in symbols:
    page = find(f"{symbol}.3")
    lint(page)
page = find("tutti.1")
lint(page)
check("TUTTI_ALGORITHM" in page.read_text(), "tutti.1 has no settings")
check(".Sh HANGS" in page.read_text(), "tutti.1 lacks the section that reports of a hang name")
documents = find("share/doc/tutti")
for source in root.joinpath("README.md"), *root.joinpath("docs").iterdir():
    check((documents / source.relative_to(root)).read_bytes() == source.read_bytes(),
          f"{source.relative_to(root)} is not installed as it is")
for page in documents.rglob("*.md"):
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        check("://" in link or (page.parent / link).exists(),
              f"{page.relative_to(documents)} names {link}, which is not installed")

HEADER_REFUSES = "this Tutti was built for MPICH, and mpi.h is Open MPI's"
OPEN_MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# The README's program, built with pkg-config alone.
program = readme_program(root)
environment = os.environ | {"PKG_CONFIG_PATH": str(find("tutti.pc").parent),
                            "PKG_CONFIG_SYSROOT_DIR": str(target)}
flags = run("pkg-config", "--cflags", "--libs", "tutti", env=environment).split()
system = "/usr/include/x86_64-linux-gnu"
flags = [flag.replace(f"{target}{system}", system) for flag in flags]
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "example.c")
    source.write_text(program)
    example = source.with_suffix("")
    run("gcc", "-std=c99", source, "-o", example, *flags, "-lmpich")
    output = run("mpiexec.mpich", "-n", "3", example,
                 env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)})
    check(README_PRINTS in output, f"the README's program prints {output!r}")
    warned = subprocess.run(["mpiexec.mpich", "-n", "3", example], capture_output=True, text=True,
                            env=os.environ | {"LD_LIBRARY_PATH": str(library.parent),
                                              "TUTTI_ALGORITM": "allreduce=ring"}).stderr
    check(warned.count("TUTTI_ALGORITM names no setting") == 1,
          f"three ranks with a misspelt setting say {warned!r}")

    # With another MPI than the library's: by the installed header, and past it by that of the tree.
    mpich_example, example = example, source.with_suffix(".openmpi")
    check(run("pkg-config", "--variable=mpi", "tutti", env=environment) == "mpich\n",
          "pkg-config does not say which MPI the library is for")
    refused = subprocess.run(["mpicc.openmpi", source, "-o", example, *flags], capture_output=True,
                             text=True)
    check(refused.returncode and HEADER_REFUSES in refused.stderr,
          f"mpicc of Open MPI says {refused.stderr!r}")
    run("mpicc.openmpi", source, "-o", example, "-I", root / "include", "-L", library.parent,
        "-ltutti")
    mixed = source.with_suffix(".mixed")  # MPICH's header and Open MPI's library
    run("gcc", source, "-o", mixed, *flags, "-l:libmpi.so.40")
    for wrong in example, mixed:
        started = subprocess.run(["mpiexec.openmpi", "-n", "1", wrong], capture_output=True,
                                 text=True, env=os.environ | OPEN_MPI_AS_ROOT
                                 | {"LD_LIBRARY_PATH": str(library.parent)})
        check(started.returncode == 1 and "this process runs Open MPI, and this Tutti was built "
              f"for MPICH: {library.parent}" in started.stdout, f"{wrong.name} with Open MPI: "
              f"{started.returncode}, {started.stdout!r}, {started.stderr!r}")
    # And with another's launcher, which makes as many jobs of one rank each.
    warned = subprocess.run(["mpiexec.openmpi", "--oversubscribe", "-n", "2", mpich_example],
                            capture_output=True, text=True, env=os.environ | OPEN_MPI_AS_ROOT
                            | {"LD_LIBRARY_PATH": str(library.parent)})
    check(warned.returncode == 0 and warned.stderr.count("is not the mpiexec of MPICH") == 1,
          f"mpiexec of Open MPI: {warned.stdout!r}, {warned.stderr!r}")
check("bruck" in run(find("bin/tutti"), "list"), "the installed program does not run")

# The same program by CMake, with a version that is there and one that is not, and with either MPI.
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(example {languages})
{before}
find_package(tutti {version} REQUIRED)
{after}
add_executable(example example.c)
target_link_libraries(example tutti::tutti {libraries})
"""
MPI = {"libraries": "MPI::MPI_C"}
FIND_MPI = "find_package(MPI REQUIRED)"


def cmake(folder, *choice, version="0.1", languages="C", before="", after="",
          libraries=""):
    """Configures the project in the folder, and builds it. Returns all that was said."""
    folder = pathlib.Path(folder)
    (folder / "example.c").write_text(program)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(
        version=version, languages=languages, before=before, after=after, libraries=libraries))
    said = ""
    for command in (["-S", folder, "-B", folder / "build",
                     f"-Dtutti_DIR={find('tutti-config.cmake').parent}", *choice],
                    ["--build", folder / "build"]):
        done = subprocess.run(["cmake", *command], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        said += done.stdout
        if done.returncode:
            return " ".join(said.split())
    return run("mpiexec.mpich", "-n", "3", folder / "build/example",
               env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)})


# Without a choice the system's MPI is Open MPI, also for a language that is enabled and not used.
ALL, BOTH = MPI | {"before": FIND_MPI}, {"languages": "C CXX"}
CMAKE_REFUSES = "was built for MPICH, and mpi.h of this project is another MPI's for "
SUFFIX = "Choose MPICH in a new build folder, such as by -DMPI_EXECUTABLE_SUFFIX=.mpich"
COMPILER = "Choose MPICH in a new build folder, such as by -DCMAKE_C_COMPILER=mpicc.mpich"
for expected, choice, more in (
        (README_PRINTS, "-DCMAKE_C_COMPILER=mpicc.mpich", {}),
        (README_PRINTS, "-DMPI_C_COMPILER=mpicc.mpich", ALL),
        (README_PRINTS, "-DMPI_C_COMPILER=mpicc.mpich", ALL | BOTH),
        (README_PRINTS, "-DMPI_EXECUTABLE_SUFFIX=.mpich", ALL | BOTH),
        ("requested version", "-DCMAKE_C_COMPILER=mpicc.mpich", {"version": "1.0"}),
        (f"{CMAKE_REFUSES}C. {COMPILER}", "-DCMAKE_C_COMPILER=mpicc.openmpi", {}),
        (f"{CMAKE_REFUSES}C. {SUFFIX}", "-DMPI_C_COMPILER=mpicc.openmpi", ALL),
        (f"{CMAKE_REFUSES}C and CXX. {SUFFIX}", "-DMPI_EXECUTABLE_SUFFIX=.openmpi", ALL | BOTH),
        (HEADER_REFUSES, "-DMPI_C_COMPILER=mpicc.openmpi", MPI | {"after": FIND_MPI})):
    with tempfile.TemporaryDirectory() as folder:
        said = cmake(folder, choice, **more)
        check(expected in said, f"CMake with {choice} {more} says {said!r}")

# A program that knows nothing of Tutti, under the drop-in.
with tempfile.TemporaryDirectory() as folder:
    plain = pathlib.Path(folder, "plain")
    plain.with_suffix(".c").write_text(PLAIN)
    run("mpicc.mpich", plain.with_suffix(".c"), "-o", plain)
    said = run(find("bin/tutti"), "run", "--stats", "-n", "2", "--", plain, together=True)
    check(PLAIN_RAN.search(said), f"`tutti run` of what is installed prints {said!r}")
print(f"{checks.made} things are where they belong")
