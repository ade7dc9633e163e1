#!/usr/bin/env python3
"""The test runner leaves nothing in the background that it waits for: neither the command of a
thread nor what that command has started."""
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.command import Command, in_background, wait_for  # noqa: E402
from harness.runner import Runner  # noqa: E402

# Says its priority, and once more when that has changed, which takes root, or at the end.
WATCHES = """
import os, pathlib, time
print("started at", os.nice(0), flush=True)
pathlib.Path("started").touch()
for _ in range(LOOKS):
    if os.nice(0) != 19: break
    time.sleep(0.1)
print("ends at", os.nice(0))
"""


def main():
    expected, looks = (0, 600) if os.geteuid() == 0 else (19, 20)
    watches = WATCHES.replace("LOOKS", str(looks))
    # A child of the shell, which does not start it in its own place.
    command = in_background(Command(["sh", "-c", f"{sys.executable} -c '{watches}'; true"],
                                    expect=f"started at 19\nends at {expected}\n"))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(folder))
        with runner.timed("harness"):
            thread = runner.beside(runner.run, "a command that is waited for", command)
            while thread.is_alive() and not pathlib.Path(folder, "started").exists():
                time.sleep(0.01)
            wait_for(thread)
    return 1 if runner.failed or len(runner.results) != 1 else 0


sys.exit(main())
