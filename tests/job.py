#!/usr/bin/env python3
"""One MPI job of the tests, run and judged: a row of mpi/table.py by its name, or any other.

The job's ranks share this machine, and speak over shared memory. The job has the settings of the
environment, and then those of its row. There is no time limit: Meson has one.
"""
import argparse
import dataclasses
import difflib
import sys
import tempfile

from harness.builds import Build
from harness.jobs import (CONTAINERS, apart, dead_rank, job, new_seed, survivors, with_own_shm,
                          with_small_shm)
from mpi.table import Job, jobs


def with_a_rank_apart(command, setting):
    """The same job, rank 1 of which has a setting of its own."""
    at = command.words.index("-n") + 2
    command.words[at:] = ["sh", "-c", f'[ "$PMI_RANK" != 1 ] || export "{setting}"; exec "$@" 2>&1',
                          "sh", *command.words[at:]]
    return command


def beside(command, build, library):
    """The same job, with another library preloaded."""
    at = command.words.index("-n") + 2
    path = build.drop_in() if library == "drop_in" else f"{build.folder}/tests/lib{library}.so"
    preload = f"$LD_PRELOAD:{path}"  # sanitizers must be loaded first
    command.words[at:] = ["sh", "-c", f'export LD_PRELOAD="{preload}"; exec "$@" 2>&1', "sh",
                          *command.words[at:]]
    return command


def follow(build, row):
    """Runs a job, and returns the exit status."""
    arguments = [str(word).replace("{build}", str(build.folder)) for word in row.arguments]
    if row.program == "dead_rank":
        size, seed = arguments
        with tempfile.TemporaryDirectory(prefix="tutti-dead-rank-") as folder:
            seed = new_seed() if seed == "new" else int(seed)
            return dead_rank(build, row.ranks, size, seed, folder, row.env).follow()
    if row.saved:
        with tempfile.TemporaryDirectory(prefix="tutti-saved-") as folder:
            command = survivors(build, row.ranks, 1, row.program, arguments, folder, row.env,
                                row.saved)
            command.expect = row.expect or ""
            return command.follow()
    command = job(build, row.ranks, row.program, *arguments, force=row.force, env=row.env)
    command.status = row.status
    if row.expect is not None:
        command.expect = row.expect
    if row.rank_1:
        command = with_a_rank_apart(command, row.rank_1)
    if row.apart:
        command = apart(command, row.apart)
    if row.small_shm:
        command = with_small_shm(command, row.small_shm)
    if row.ramfs:
        command = with_own_shm(command, "ramfs")
    if row.beside:
        command = beside(command, build, row.beside)
    return command.follow()


def make_parser():
    """Options are fields of a job; those that are not given have no value."""
    parser = argparse.ArgumentParser(
        prog="job.py", description=__doc__, argument_default=argparse.SUPPRESS,
        usage="%(prog)s [--build BUILD] [OPTION…] (NAME | RANKS PROGRAM [ARGUMENT…])")
    parser.add_argument("--build", default=".", help="the build folder (default: the current one)")
    parser.add_argument("--force", metavar="WHICH",
                        help="name algorithms to the program, in every form: all, or those of these"
                             " collectives, with commas; what it says of refused calls is judged")
    parser.add_argument("--expect", help="what must be printed (default: ok with so many ranks)")
    parser.add_argument("--status", type=int, help="exit status (default: 0)")
    parser.add_argument("--rank-1", metavar="NAME=VALUE", help="a setting that rank 1 alone has")
    parser.add_argument("--beside", metavar="LIBRARY", help="a library of the tests to preload")
    parser.add_argument("--apart", choices=CONTAINERS, help="every other rank is in a container, "
                        "which has its own PID or IPC namespace, or /dev/shm")
    parser.add_argument("--saved", metavar="FILES",
                        help="a rank dies; each other one leaves such a file in a folder, which is "
                             "the program's first argument")
    parser.add_argument("--small-shm", type=int, metavar="MIB",
                        help="the job has a /dev/shm of its own, of so many MiB")
    parser.add_argument("--ramfs", action="store_true",
                        help="the job has a /dev/shm of its own that is a ramfs")
    parser.add_argument("job", metavar="NAME | RANKS",
                        help="the name of a row, in which options change fields; or a number")
    parser.add_argument("words", metavar="PROGRAM", nargs=argparse.REMAINDER,
                        help="collectives for collectives_test and so on, tutti, or any other by "
                             "its path; dead_rank has the arguments BYTES SEED, the seed `new` "
                             "being one that was never tried")
    return parser


def main():
    parser = make_parser()
    given = vars(parser.parse_args())
    build, name, words = Build(given.pop("build")), given.pop("job"), given.pop("words")
    if words:
        if not name.isdigit():
            parser.error(f"'{name}' is no number of ranks; a job's name stands last, and alone")
        return follow(build, Job("", int(name), words[0], words[1:], **given))
    rows = {row.name: row for row in jobs(build.mpi, build.sanitizer)}
    if name not in rows:
        close = difflib.get_close_matches(name, rows, n=5, cutoff=0.4)
        parser.error(f"this build has no job '{name}'"
                     + "".join(f"\n  close to it: {other}" for other in close))
    return follow(build, dataclasses.replace(rows[name], **given))


if __name__ == "__main__":
    sys.exit(main())
