#!/usr/bin/env python3
"""One MPI job of the tests, run and judged: what tests/mpi/meson.build makes tests of.

The job's ranks share this machine, and speak over shared memory. The settings of the job are the
environment's. There is no time limit: Meson has one.
"""
import argparse
import sys
import tempfile

from harness.builds import Build
from harness.jobs import CONTAINERS, apart, dead_rank, job, new_seed, with_small_shm


def with_a_rank_apart(command, setting):
    """The same job, rank 1 of which has a setting of its own."""
    at = command.words.index("-n") + 2
    command.words[at:] = ["sh", "-c", f'[ "$PMI_RANK" != 1 ] || export "{setting}"; exec "$@" 2>&1',
                          "sh", *command.words[at:]]
    return command


def beside(command, build, library):
    """The same job, with another library preloaded."""
    at = command.words.index("-n") + 2
    preload = f'export LD_PRELOAD="{build.folder}/tests/lib{library}.so:$LD_PRELOAD"; exec "$@" 2>&1'
    command.words[at:] = ["sh", "-c", preload, "sh", *command.words[at:]]
    return command


def main():
    parser = argparse.ArgumentParser(prog="job.py", description=__doc__)
    parser.add_argument("--build", default=".", help="the build folder (default: the current one)")
    parser.add_argument("--force", default="", metavar="WHICH",
                        help="name algorithms to the program, in every form: all, or those of these"
                             " collectives, with commas; what it says of refused calls is judged")
    parser.add_argument("--expect", help="what must be printed (default: ok with so many ranks)")
    parser.add_argument("--status", type=int, default=0, help="exit status (default: 0)")
    parser.add_argument("--rank-1", metavar="NAME=VALUE", help="a setting that rank 1 alone has")
    parser.add_argument("--beside", metavar="LIBRARY", help="a library of the tests to preload")
    parser.add_argument("--apart", choices=CONTAINERS, help="every other rank is in a container, "
                        "which has its own PID or IPC namespace, or /dev/shm")
    parser.add_argument("--small-shm", type=int, metavar="MIB",
                        help="the job has a /dev/shm of its own, of so many MiB")
    parser.add_argument("ranks", type=int)
    parser.add_argument("program", help="collectives for collectives_test and so on, or tutti; "
                                        "dead_rank has the arguments BYTES SEED, the seed `new` "
                                        "being one that was never tried")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    build = Build(options.build)
    if options.program == "dead_rank":
        size, seed = options.arguments
        with tempfile.TemporaryDirectory(prefix="tutti-dead-rank-") as folder:
            seed = new_seed() if seed == "new" else int(seed)
            return dead_rank(build, options.ranks, size, seed, folder).follow()
    command = job(build, options.ranks, options.program, *options.arguments, force=options.force)
    command.status = options.status
    if options.expect is not None:
        command.expect = options.expect
    if options.rank_1:
        command = with_a_rank_apart(command, options.rank_1)
    if options.apart:
        command = apart(command, options.apart)
    if options.small_shm:
        command = with_small_shm(command, options.small_shm)
    if options.beside:
        command = beside(command, build, options.beside)
    return command.follow()


if __name__ == "__main__":
    sys.exit(main())
