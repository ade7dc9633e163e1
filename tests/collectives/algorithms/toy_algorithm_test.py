#!/usr/bin/env python3
"""The walk-through of CONTRIBUTING.md, done: one new file and one entry make an algorithm that
is listed and proved.

Usage: toy_algorithm_test.py ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def without_builds(folder, names):
    return [name for name in names
            if name in {".git", "__pycache__"} or name.startswith("demo-")
            or (pathlib.Path(folder, name) / "meson-info").exists()]


def try_it(root, work):
    text = (root / "CONTRIBUTING.md").read_text()
    code = re.search(r"^   ```cpp\n(.*?)^   ```$", text, re.S | re.M).group(1)
    entry = re.search(r"^ +(ALGORITHM\(bcast, bcast_toy.*?\))$", text, re.S | re.M).group(1)
    named = re.search(r"`(collectives/algorithms/\w+\.cpp)`", text).group(1)

    source = work / "source"
    shutil.copytree(root, source, ignore=without_builds)
    # ccache finds the objects of the original's build.
    env = os.environ | {"CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    # First the build as a contributor has it, then the two changes: the build must notice them by
    # itself.
    subprocess.run(["meson", "setup", "-Dmpi=mpich", "-Doptimization=0", "-Ddebug=false",
                    work / "build", source], check=True, env=env)
    (source / named).write_text("\n".join(row[3:] for row in code.splitlines()) + "\n")
    with open(source / "collectives/algorithms/list.def", "a") as file:
        file.write(entry + "\n")
    subprocess.run(["ninja", "-C", work / "build", "tools/tutti"], check=True, env=env)

    def tutti(*words):
        return subprocess.run([work / "build/tools/tutti", *words], check=True,
                              capture_output=True, text=True).stdout

    listed = tutti("list", "--collective", "bcast")
    assert "bcast toy" in listed, listed
    assert "from the root to everybody, the last rank first" in listed, listed
    proved = tutti("verify", "--algorithm", "toy", "--ranks", "1,2,3,5,8")
    assert "proved" in proved, proved
    print("one file and one entry: bcast=toy is listed and proved")


with tempfile.TemporaryDirectory(prefix="tutti-toy-") as folder:
    try_it(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
