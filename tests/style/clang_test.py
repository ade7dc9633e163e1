#!/usr/bin/env python3
"""All sources are as clang-format makes them, and clang-tidy is silent about ours.

Usage: clang_test.py clang-format|clang-tidy ROOT BUILD
"""
import concurrent.futures
import os
import pathlib
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
    return subprocess.run([tool, "--quiet", "-p", build,
                           "--extra-arg=-Wno-ignored-optimization-argument", *some]).returncode


os.nice(19)  # other tests may run beside it
groups = [programs[i:i + 4] for i in range(0, len(programs), 4)]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    sys.exit(1 if any(pool.map(tidy, groups)) else 0)
