"""The MPI jobs of the tests, as commands: what each must print, or leave."""
import os
import pathlib
import random

from harness.algorithms import COUNTING, forms, named, refusals
from harness.command import Command

# Algorithms in which ranks hand data on: a rank that gives up stands between the one that failed
# and those that do not know it yet.
HANDED_ON = {"TUTTI_ALGORITHM":
             "bcast=chain;allgather=ring;reduce=chain;scatter=recursive-splitting"}
SETTINGS = {"given_up": HANDED_ON, "dead_rank": HANDED_ON}  # of programs


def job(build, ranks, program, *arguments, force="", env=None, **nodes):
    """A program of tests/mpi in an MPI job. `force`: names algorithms to it, `all`, those of some
    collectives, single ones in every form, or single forms; with commas. A counting program's
    refusals are judged; `nodes`: what the judge must know of the machines.

    A job says at its end how many ranks there were: started by another MPI's mpiexec each rank
    would be a job of its own, and happy."""
    settings = build.job_environment() | SETTINGS.get(program, {}) | (env or {})
    chosen = set(force.split(","))
    forced = {}
    if force:
        forced = {name: one for name, one in forms(build.algorithms()).items()
                  if force == "all" or {name, named(one), one["collective"]} & chosen}
    judge = None
    if program in COUNTING:
        judge = refusals(forced, ranks, os.environ | settings, arguments, **nodes)
    return Command(build.mpiexec(ranks, build.program(program), *arguments, *forced),
                   settings, expect=f"ok with {ranks} ranks", judge=judge)


# Commands that give a process one namespace of its own; it shares all else with others.
CONTAINERS = {
    "pid": "unshare $map --pid --fork --kill-child",
    "ipc": "unshare $map --ipc",
    "uts": "unshare $map --uts sh -c 'hostname another && exec \"$@\"' sh",
    "shm": "unshare $map --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec \"$@\"' sh",
}


# MPICH would trust the common host name, and UCX would take PIDs of others for dead and fill
# /dev/shm.
MPICH_APART = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "sysv,self", "UCX_KEEPALIVE_INTERVAL": "inf"}


def with_own_shm(command, mount):
    """The same job, all ranks of which have a /dev/shm of their own, mounted with these words."""
    rights = [] if os.getuid() == 0 else ["--map-root-user"]
    command.words[:0] = ["unshare", "--mount", *rights, "sh", "-c",
                         f'mount -t {mount} none /dev/shm && exec "$@"', "sh"]
    command.env |= MPICH_APART
    return command


def with_small_shm(command, mebibytes):
    """The same job, all ranks of which have a /dev/shm of their own, of so many MiB."""
    return with_own_shm(command, f"tmpfs -o size={mebibytes}m")


def apart(command, kind):
    """The same job, each rank with an odd number of which is in a container of its own."""
    at = command.words.index("-n") + 2
    enter = ('[ $((PMI_RANK % 2)) = 0 ] && exec "$@"; [ $(id -u) = 0 ] || map=--map-root-user; '
             f'exec {CONTAINERS[kind]} "$@"')
    command.words[at:] = ["sh", "-c", enter, "sh", *command.words[at:]]
    if kind != "ipc":
        command.env |= MPICH_APART
    return command


def survivors(build, ranks, dead, program, arguments, folder, env=None, files="survivor-*"):
    """A job of which so many ranks die. The others leave files in the folder, the program's first
    argument, and these are judged: a launcher that has lost ranks may well stumble at its end."""
    folder = pathlib.Path(folder)

    def judge(_):
        left = len(list(folder.glob(files)))
        if left == ranks - dead:
            return ""
        return f"{left} of {ranks - dead} survivors returned and went on without the dead"

    # PIPE: the launcher may close the pipe in which the shell says that its program was killed.
    words = " ".join(str(word) for word in [build.program(program), folder, *arguments])
    shell = f"trap : USR1; trap '' PIPE; {words}; true"
    return Command([build.launcher, "-disable-auto-cleanup", "-n", ranks, "sh", "-c", shell],
                   build.job_environment() | SETTINGS.get(program, {}) | (env or {}), status=None,
                   judge=judge)


def dead_rank(build, ranks, size, seed, folder, env=None):
    """A rank is killed in blocks of `size` bytes, at a moment by `seed`."""
    return survivors(build, ranks, 1, "dead_rank", [size, seed], folder, env)


def new_seed():
    """A moment that was never tried; those that were have seeds from 1 to 4."""
    return random.randrange(5, 2**31)
