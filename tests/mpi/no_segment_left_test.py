#!/usr/bin/env python3
"""The jobs that ran before have left no shared memory behind. Other jobs may run beside this test:
what a living process of theirs has mapped is not left, nor what is gone after a moment. A process
that has mapped files of the build folder, the argument, is of these jobs: it should have ended."""
import pathlib
import sys
import time


def mapped_by_others():
    """The maps of all processes that live, may be read, and run nothing of the build folder."""
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text(errors="replace")
        except OSError:  # it has ended
            continue
        if f" {sys.argv[1]}/" not in text:
            yield text


left = list(pathlib.Path("/dev/shm").glob("tutti-*"))
for _ in range(50):
    left = [path for path in left if path.exists()]
    if left:
        others = "".join(mapped_by_others())
        left = [path for path in left if f" {path}\n" not in others]
    if not left:
        break
    time.sleep(0.2)
sys.exit("\n".join(map(str, left)) or 0)
