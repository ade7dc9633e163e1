#!/usr/bin/env python3
"""The walk-through of CONTRIBUTING.md, done: one new file and one entry make an algorithm that
is listed and proved.

Usage: toy_algorithm_test.py ROOT BUILD
"""
import configparser
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from harness.source import copy_source  # noqa: E402


def options_of(build):
    """Options that the build was configured with, as arguments for `meson setup`."""
    given = configparser.ConfigParser(interpolation=None)
    given.read(build / "meson-private/cmd_line.txt")
    return [f"-D{name}={value}" for name, value in given["options"].items()]


def try_it(root, original, work):
    text = (root / "CONTRIBUTING.md").read_text()
    code = re.search(r"^   ```cpp\n(.*?)^   ```$", text, re.S | re.M).group(1)
    entry = re.search(r"^ +(ALGORITHM\(bcast, bcast_toy.*?\))$", text, re.S | re.M).group(1)
    named = re.search(r"`(collectives/algorithms/\w+\.cpp)`", text).group(1)

    source, build = work / "source", work / "build"
    copy_source(root, source)
    # First the build as a contributor has it, then the two changes: the build must notice them by
    # itself.
    # With the options of the original build a compiler's cache has what the changes leave alone.
    subprocess.run(["meson", "setup", *options_of(original), "-Dtests=false", build, source],
                   check=True)
    (source / named).write_text("\n".join(row[3:] for row in code.splitlines()) + "\n")
    with open(source / "collectives/algorithms/list.def", "a") as file:
        file.write(entry + "\n")
    subprocess.run(["ninja", "-C", build, "tools/tutti"], check=True)

    def tutti(*words):
        return subprocess.run([build / "tools/tutti", *words], check=True,
                              capture_output=True, text=True).stdout

    listed = tutti("list", "--collective", "bcast")
    assert "bcast toy" in listed, listed
    assert "from the root to everybody, the last rank first" in listed, listed
    proved = tutti("verify", "--algorithm", "toy", "--ranks", "1,2,3,5,8")
    assert "proved" in proved, proved
    print("one file and one entry: bcast=toy is listed and proved")


root, original = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
# Always the same place, so that a compiler's cache knows what is there.
work = original / "toy"
shutil.rmtree(work, ignore_errors=True)
try:
    try_it(root, original, work)
finally:
    shutil.rmtree(work, ignore_errors=True)
