"""Segments of shared memory that jobs of a build have left in /dev/shm. Other jobs may run beside
them: what a living process of theirs has mapped is not left, nor what is gone after a moment. A
process that has mapped files of the build folder is of these jobs: it should have ended."""
import pathlib
import time


def segments():
    return set(pathlib.Path("/dev/shm").glob("tutti-*"))


def mapped_by_others(build):
    """The maps of all processes that live, may be read, and run nothing of the build folder."""
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text(errors="replace")
        except OSError:  # it has ended
            continue
        if f" {build}/" not in text:
            yield text


def left_behind(build, before=frozenset()):
    """The segments that were not there before. `build`: the folder."""
    left = segments() - before
    for _ in range(50):
        left = {path for path in left if path.exists()}
        if left:
            others = "".join(mapped_by_others(build))
            left = {path for path in left if f" {path}\n" not in others}
        if not left:
            break
        time.sleep(0.2)
    return sorted(map(str, left))
