#!/usr/bin/env python3
"""The walk-through of CONTRIBUTING.md, done: one new file and one entry make an algorithm that is listed and proved.

Usage: toy_algorithm_test.py ROOT WORK      WORK: a folder for the copy and its build
"""
import pathlib
import re
import shutil
import subprocess
import sys

root, work = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
text = (root / "CONTRIBUTING.md").read_text()
code = re.search(r"^   ```cpp\n(.*?)^   ```$", text, re.S | re.M).group(1)
entry = re.search(r"^ +(ALGORITHM\(bcast, bcast_toy.*?\))$", text, re.S | re.M).group(1)
named = re.search(r"`(collectives/algorithms/\w+\.cpp)`", text).group(1)

source = work / "source"
shutil.copytree(root, source, ignore=lambda folder, names: [n for n in names if folder == str(root) and (n == ".git" or n.startswith(("build", "demo-")))], dirs_exist_ok=True)
# First the build as a contributor has it, then the two changes: the build must notice them by itself.
subprocess.run(["meson", "setup", "-Dmpi=mpich", "-Doptimization=0", "-Ddebug=false", work / "build", source], check=True)
(source / named).write_text("\n".join(row[3:] for row in code.splitlines()) + "\n")
with open(source / "collectives/algorithms/list.def", "a") as file:
    file.write(entry + "\n")
subprocess.run(["ninja", "-C", work / "build", "tools/tutti"], check=True)


def tutti(*words):
    return subprocess.run([work / "build/tools/tutti", *words], check=True, capture_output=True, text=True).stdout


listed = tutti("list", "--collective", "bcast")
assert "bcast toy" in listed and "from the root to everybody, the last rank first" in listed, listed
proved = tutti("verify", "--algorithm", "toy", "--ranks", "1,2,3,5,8")
assert "proved" in proved, proved
print("one file and one entry: bcast=toy is listed and proved")
