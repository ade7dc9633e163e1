#!/usr/bin/env python3
"""The test runner leaves nothing in the background that it waits for: neither the command of a
thread nor what that command has started. Nor does it leave what it has started when it is told to
end."""
import os
import pathlib
import signal
import subprocess
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


# A runner with a command in a thread and one in its own. Both are shells with a child each.
RUNS = '''
import pathlib, signal, sys
sys.path.insert(0, FOLDER)
from harness.command import Command, end_with_commands
from harness.runner import Runner
signal.signal(signal.SIGTERM, end_with_commands)
runner = Runner(pathlib.Path("."))
with runner.timed("harness"):
    for name, run in [("beside", runner.beside), ("here", lambda run, *words: run(*words))]:
        run(runner.run, name, Command(["sh", "-c", f"sleep 1000 & echo $! > {name}; wait"]), 2000)
    runner.run("after the end", Command(["touch", "later"]))
'''


def is_told_to_end():
    folder = str(pathlib.Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as here:
        runner = subprocess.Popen([sys.executable, "-c", RUNS.replace("FOLDER", repr(folder))],
                                  cwd=here)
        sleepers = []
        for name in ["beside", "here"]:
            path = pathlib.Path(here, name)
            while not (path.exists() and path.read_text().endswith("\n")):
                time.sleep(0.01)
            sleepers.append(pathlib.Path("/proc", path.read_text().strip()))
        runner.terminate()
        status = runner.wait()
        assert status == 128 + signal.SIGTERM, status
        while any(sleeper.exists() for sleeper in sleepers):  # Meson has a limit
            time.sleep(0.01)
        assert not pathlib.Path(here, "later").exists(), "another command began"


def waits():
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
    assert not runner.failed and len(runner.results) == 1, runner.results


waits()
is_told_to_end()
