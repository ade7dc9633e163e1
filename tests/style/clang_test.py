#!/usr/bin/env python3
"""All sources are as clang-format makes them, and clang-tidy is silent about ours.

Usage: clang_test.py clang-format|clang-tidy ROOT BUILD
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

tool, root, build = sys.argv[1:]
root = pathlib.Path(root)
sources = [path for path in root.rglob("*") if path.suffix in {".cpp", ".hpp", ".h", ".c"}
           and "build" not in path.relative_to(root).parts[0]]
programs = [path for path in sources
            if path.suffix == ".cpp" and path.relative_to(root).parts[0] != "tests"]
if len(programs) <= 50:
    sys.exit(f"{len(programs)} sources in {root}: there is nothing to look at")
if tool == "clang-format":
    sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *sources]).returncode)


def tidy(some):
    # Clang knows not all of GCC's options.
    done = subprocess.run([tool, "--quiet", "-p", build,
                           "--extra-arg=-Wno-ignored-optimization-argument", *some],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # It counts what it does not show, too: the findings in the headers of others.
    said = [line for line in done.stdout.splitlines()
            if not re.fullmatch(r"\d+ warnings? generated\.", line)]
    if done.returncode != 0:
        said.append(f"{tool} ends with {done.returncode} in {', '.join(map(str, some))}")
    return said


os.nice(19)  # other tests may run beside it
groups = [programs[i:i + 4] for i in range(0, len(programs), 4)]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = [said for said in pool.map(tidy, groups) if said]
for said in failed:
    print(*said, sep="\n")
sys.exit(1 if failed else 0)
