"""Jobs whose ranks outnumber the cores give them away at every turn, and so to whatever computes
beside them, for whole slices, whatever its priority: a job of eight ranks took 29.8 s instead of
8.7 beside clang-tidy. So what computes in the background stands still meanwhile.

Two locks of files in a folder: what computes shares `busy`, and jobs have it alone. Both come in
through `door`, so that jobs need not wait until nobody computes by chance."""
import contextlib
import fcntl
import os
import pathlib

# Its name in the environment; not set: nobody wants it quiet. (TUTTI_… would be a setting.)
VARIABLE = "QUIET_FOLDER"


@contextlib.contextmanager
def _locked(path, how):
    with open(path, "a", encoding="ascii") as file:  # closing it ends the lock
        fcntl.flock(file, how)
        yield


@contextlib.contextmanager
def quiet(folder):
    """For jobs: waits until nobody computes, and keeps others from beginning."""
    folder = pathlib.Path(folder)
    with _locked(folder / "door", fcntl.LOCK_EX), _locked(folder / "busy", fcntl.LOCK_EX):
        yield


@contextlib.contextmanager
def computing():
    """For what computes in the background, and soon ends: waits while it is to be quiet."""
    if not (folder := os.environ.get(VARIABLE)):
        yield
        return
    folder = pathlib.Path(folder)
    with contextlib.ExitStack() as held:
        with _locked(folder / "door", fcntl.LOCK_EX):
            held.enter_context(_locked(folder / "busy", fcntl.LOCK_SH))
        yield
