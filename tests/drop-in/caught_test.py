#!/usr/bin/env python3
"""The drop-in catches each collective that a program calls.

Usage: caught_test.py BUILD RANKS PROGRAM [ARGUMENT…]

The program prints `called MPI_NAME TIMES` for rank 0, or `at least MPI_NAME TIMES`. Tutti's own
count of rank 0 must be that, and none of it may have gone to the MPI. It may also print `moved
MPI_NAME BYTES`: what rank 0 gave, or got of a root.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402


def main():
    build, ranks = Build(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="tutti-caught-") as folder:
        file = pathlib.Path(folder, "stats.json")
        preload = f'export LD_PRELOAD="{build.drop_in()}:$LD_PRELOAD"; exec "$@" 2>&1'
        words = build.mpiexec(ranks, "sh", "-c", preload, "sh", *sys.argv[3:])
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False,
                              env=os.environ | build.job_environment() | {
                                  "TUTTI_STATS": str(file), "TUTTI_DROP_IN_FROM": "1"})
        print(done.stdout)
        if done.returncode or f"ok with {ranks} ranks" not in done.stdout:
            sys.exit(f"status {done.returncode}")
        counted = json.loads(file.read_text())
    called = collections.Counter()
    for name, times in re.findall(r"called (\w+) (\d+)", done.stdout):
        called[name.removesuffix("_c")] += int(times)  # the same collective
    caught = {name: one["tutti"]["calls"] for name, one in counted.items() if "tutti" in one}
    passed = {name: one["mpi"] for name, one in counted.items() if one.get("mpi")}
    least = re.findall(r"at least (\w+) (\d+)", done.stdout)
    wrong = called != caught if not least else any(caught[name] < int(n) for name, n in least)
    for name, bytes_ in re.findall(r"moved (\w+) (\d+)", done.stdout):
        assert counted[name]["tutti"]["bytes"] == int(bytes_), (name, bytes_, counted[name])
    if not (called or least) or wrong or passed:
        sys.exit(f"called {called}\ncaught {caught}\npassed {passed}")
    print(f"caught = called: {sum(caught.values())} calls of {len(caught)} collectives")


main()
