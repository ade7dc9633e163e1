#!/usr/bin/env python3
"""A fault of the command line or of the settings of a job is said once, by the lowest rank that has
it, whether all ranks have it or one.

Usage: job_faults_test.py BUILD RANKS
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402

BUILD = Build(sys.argv[1])
RANKS = int(sys.argv[2])
PROGRAM = str(BUILD.program("tutti"))
RANK = "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"
LAST = RANKS - 1
BENCH = "bench --sizes 8 --collective bcast --time-limit 0.01"


def complaints(usual, apart=None, rank=LAST, setting=""):
    """The lines that the program prints of faults, sorted. `rank` has the arguments `apart`, the
    others `usual`; a setting, NAME=VALUE, is that rank's, or without `apart` all ranks'."""
    both = f"export {setting}; " if setting and apart is None else ""
    mine = f"export {setting}; " if setting else ""
    script = (f'{both}if [ "{RANK}" = {rank} ]; then {mine}exec "$0" {apart or usual}; fi; '
              f'exec "$0" {usual}')
    command = BUILD.mpiexec(RANKS, "sh", "-c", script, PROGRAM)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | BUILD.job_environment())
    assert done.returncode != 0, done
    return sorted(line for line in done.stderr.splitlines() if line.startswith("tutti"))


def check(found, *expected):
    """Each line begins with a line that is expected, in order."""
    assert len(found) == len(expected), (found, expected)
    for line, begin in zip(found, sorted(expected)):
        assert line.startswith(begin), (found, expected)


def main():
    unknown = "there is no option --sizs"
    none = "there is no collective 'bcst'"
    log = "TUTTI_LOG: the setting `log` takes one of off, warn, info, not 'loud'"
    # All ranks have the same fault: before MPI starts, after it, and in a command without MPI.
    check(complaints("bench --sizs 8"), f"tutti: {unknown}")
    check(complaints("bench --sizes x"), "tutti bench: 'x' is not a size")
    check(complaints("tune --sizes x"), "tutti tune: 'x' is not a size")
    check(complaints("measure --min x"), "tutti measure: 'x' is not a size")
    check(complaints(BENCH, setting="TUTTI_LOG=loud"), f"tutti bench: {log}")
    check(complaints("info", setting="TUTTI_LOG=loud"), f"tutti: {log}")
    check(complaints("explain bcst"), f"tutti: {none}")
    # One rank has a fault, the last one or rank 0.
    check(complaints(BENCH, "bench --sizs 8"), f"tutti, rank {LAST}: {unknown}")
    check(complaints(BENCH, "bench --sizes x"), f"tutti bench, rank {LAST}: 'x' is not a size")
    check(complaints(BENCH, BENCH, setting="TUTTI_LOG=loud"), f"tutti bench, rank {LAST}: {log}")
    check(complaints(BENCH, "bench --sizs 8", 0), f"tutti: {unknown}")
    check(complaints(BENCH, "bench --sizes x", 0), "tutti bench: 'x' is not a size")
    # Rank 0 has another fault.
    check(complaints("bench --sizs 8", "bench --qq 8"), f"tutti: {unknown}",
          f"tutti, rank {LAST}: there is no option --qq")
    # The others are in a command without MPI, and end well.
    check(complaints("list", "explain bcst"), f"tutti, rank {LAST}: {none}")
    print(f"{RANKS} ranks said each fault once")


if __name__ == "__main__":
    main()
