"""Programs that an installed Tutti must build and run."""
import re

from harness.checks import check

# Knows nothing of Tutti.
PLAIN = """#include <mpi.h>
int main(int c, char** v) {
  return MPI_Init(&c, &v) || MPI_Barrier(MPI_COMM_WORLD) || MPI_Finalize();
}
"""
# A line that `tutti run --stats` prints of it.
PLAIN_RAN = re.compile("MPI_Barrier +1 .*Tutti: ")

README_PRINTS = "sum of ones: 3"  # with three ranks


def readme_program(root):
    program = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), re.S)
    check(program, "the README has no C program")
    return program.group(1)


def cmake_project(package):
    """Builds example.c. `package`: its name, and a version where one is asked for."""
    return f"""cmake_minimum_required(VERSION 3.13)
project(example C)
find_package({package} REQUIRED)
add_executable(example example.c)
target_link_libraries(example tutti::tutti)
"""
