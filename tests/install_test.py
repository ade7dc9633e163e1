#!/usr/bin/env python3
"""What `meson install` leaves: a versioned library with tutti_* symbols only, header, files for
pkg-config and CMake, program, the drop-in, manual pages.

Usage: install_test.py DESTDIR ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

target, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
checks = 0


def check(truth, message):
    global checks
    checks += 1
    if not truth:
        sys.exit(f"install_test: {message}")


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **more).stdout


def find(pattern):
    found = sorted(target.rglob(pattern))
    check(found, f"{pattern} is not installed")
    return found[0]


def lint(page):
    problems = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True,
                              text=True)
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

# The README's program, built with pkg-config alone.
program = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), re.S)
check(program, "the README has no C program")
environment = os.environ | {"PKG_CONFIG_PATH": str(find("tutti.pc").parent),
                            "PKG_CONFIG_SYSROOT_DIR": str(target)}
flags = run("pkg-config", "--cflags", "--libs", "tutti", env=environment).split()
system = "/usr/include/x86_64-linux-gnu"
flags = [flag.replace(f"{target}{system}", system) for flag in flags]
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "example.c")
    source.write_text(program.group(1))
    example = source.with_suffix("")
    run("gcc", "-std=c99", source, "-o", example, *flags, "-lmpich")
    output = run("mpiexec.mpich", "-n", "3", example,
                 env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)})
    check("sum of ones: 3" in output, f"the README's program prints {output!r}")
check("bruck" in run(find("bin/tutti"), "list"), "the installed program does not run")

# The same by CMake, with a version that is there and one that is not.
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(tutti {} REQUIRED)
add_executable(example example.c)
target_link_libraries(example tutti::tutti)
"""
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "example.c").write_text(program.group(1))
    description = pathlib.Path(folder, "CMakeLists.txt")
    configure = ["cmake", "-S", folder, "-B", f"{folder}/build", "-DCMAKE_C_COMPILER=mpicc.mpich",
                 f"-Dtutti_DIR={find('tutti-config.cmake').parent}"]
    description.write_text(PROJECT.format("1.0"))
    check(subprocess.run(configure, capture_output=True).returncode, "CMake finds version 1.0")
    description.write_text(PROJECT.format("0.1"))
    run(*configure)
    run("cmake", "--build", f"{folder}/build")
    output = run("mpiexec.mpich", "-n", "3", f"{folder}/build/example",
                 env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)})
    check("sum of ones: 3" in output, f"the program that CMake built prints {output!r}")

# A program that knows nothing of Tutti, under the drop-in.
with tempfile.TemporaryDirectory() as folder:
    plain = pathlib.Path(folder, "plain")
    plain.with_suffix(".c").write_text("""#include <mpi.h>
int main(int c, char** v) {
  return MPI_Init(&c, &v) || MPI_Barrier(MPI_COMM_WORLD) || MPI_Finalize();
}
""")
    run("mpicc.mpich", plain.with_suffix(".c"), "-o", plain)
    started = subprocess.run([find("bin/tutti"), "run", "--stats", "-n", "2", "--", plain],
                             capture_output=True, text=True)
    said = started.stdout + started.stderr
    check(started.returncode == 0 and re.search("MPI_Barrier +1 .*Tutti: ", said),
          f"`tutti run` of what is installed prints {said!r}")
print(f"{checks} things are where they belong")
