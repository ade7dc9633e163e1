#!/usr/bin/env python3
"""tutti bench as a job: what is undecided is marked and counts for neither, a busy machine is said
at the top, and calls are warm, or the first ones.

Usage: bench_test.py BUILD RANKS
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402

BUILD = Build(sys.argv[1])
RANKS = int(sys.argv[2])
PROGRAM = str(BUILD.program("tutti"))
MOST_SPINNING = 16  # CPUs that a test may take


def bench(file, *words, before=()):
    command = BUILD.mpiexec(RANKS, *before, PROGRAM, "bench", "--json", file, "--time-limit",
                            "0.01", *words)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | BUILD.job_environment())
    assert done.returncode == 0, done
    return done.stdout, json.loads(file.read_text())


def undecided(a, b):
    wide = any(one["high_us"] - one["low_us"] > one["median_us"] for one in (a, b))
    return wide or a["low_us"] <= b["high_us"] and b["low_us"] <= a["high_us"]


# Names that programs which read these files ask for.
NAMES = {"ranks", "nodes", "mpi", "transports", "device", "init_ms", "comm_create_ms",
         "connections", "grown_connections", "connection_bytes", "address_bytes", "hosts",
         "barrier_before", "unsteady", "rows", "tally"}
ROW = {"collective", "bytes", "algorithm", "digest", "tutti", "mpi", "ratio", "undecided"}
TIMING = {"median_us", "low_us", "high_us", "repetitions", "calls", "warm_up_ms", "steady"}


def names(found):
    """The file has these names, and no others."""
    assert found.keys() == NAMES, found.keys() ^ NAMES
    for row in found["rows"]:
        assert row.keys() == ROW, row.keys() ^ ROW
        assert row["tutti"].keys() == row["mpi"].keys() == TIMING, row
    assert found["init_ms"] > 0 and found["comm_create_ms"] > 0, found


def marks(out, found):
    """Each row's mark and the last line are what the intervals say."""
    rows = found["rows"]
    assert len(rows) == 1 + 3 * 3, rows
    printed = re.findall(r"\] +[\d.]+x([~ ]) ", out)
    assert len(printed) == len(rows), out
    for row, mark in zip(rows, printed):
        assert row["undecided"] == undecided(row["tutti"], row["mpi"]), row
        assert (mark == "~") == row["undecided"], (row, out)
    known = [row for row in rows if not row["undecided"]]
    faster = sum(row["tutti"]["median_us"] < row["mpi"]["median_us"] for row in known)
    tally = found["tally"]
    assert (tally["tutti_faster"], tally["mpi_faster"], tally["undecided"]) \
        == (faster, len(known) - faster, len(rows) - len(known)), tally
    assert ("mean_ratio" in tally) == bool(known), tally
    assert f"in {tally['undecided']} it is undecided" in out, out


def hosts(out, found):
    """All ranks are on this host, whose load stands at the top if others have its CPUs."""
    (host,) = found["hosts"]
    assert host["ranks"] == RANKS and host["cpus_allowed"] >= 1, host
    head = out[:out.index("connections:")]
    assert ("busy: " + host["name"] in head) == host["busy"], (host, out)
    barrier = found["barrier_before"]
    assert found["unsteady"] == ("unsteady: a barrier took" in head), (barrier, out)
    wide = barrier["high_us"] - barrier["low_us"]
    assert found["unsteady"] == (wide / barrier["median_us"] > 1), barrier
    return host


def warm(out, found):
    """Each library was warmed up, and the program says for how long."""
    times = [row[who] for row in found["rows"] for who in ("tutti", "mpi") if who in row]
    assert times and all(one["warm_up_ms"] > 0 for one in times), times
    (said,) = re.findall(r"warm-up until times were steady: (\d+) ms, at most (\d+) ms", out)
    for printed, exact in zip(said, (sum(one["warm_up_ms"] for one in times),
                                     max(one["warm_up_ms"] for one in times))):
        assert abs(int(printed) - exact) <= 1, (said, exact)
    unsteady = sum(not one["steady"] for one in times)
    assert (f"; {unsteady} of {len(times)} still fell" in out) == (unsteady > 0), (out, times)


def held(found):
    """A rank has connections, and what they hold is told."""
    assert found["connections"] > 0 and found["connection_bytes"] > 0, found


def counted(file):
    """A clock that counts calls makes the times known: a call's, on the slowest rank."""
    clock = BUILD.folder / "tests/mpi/libcounted_clock.so"
    preloaded = ["sh", "-c", 'LD_PRELOAD="$LD_PRELOAD $0" exec "$@"', clock]
    _, found = bench(file, "--collective", "bcast", "--bytes", "8,1k", before=preloaded)
    slowest = 3000  # a tick of the last rank, us
    for row in found["rows"]:
        for who, ticks in ("tutti", 0), ("mpi", 1):
            times = row[who]
            us = slowest * (ticks + 1 / times["calls"])  # and one when the clock was read
            assert all(abs(times[name] / us - 1) < 1e-6
                       for name in ("median_us", "low_us", "high_us")), (who, us, row)
        assert not row["undecided"], row
    assert found["tally"]["tutti_faster"] == len(found["rows"]) == 2, found["tally"]
    ratios = [row["mpi"]["median_us"] / row["tutti"]["median_us"] for row in found["rows"]]
    assert abs(found["tally"]["mean_ratio"] / math.prod(ratios) ** 0.5 - 1) < 1e-6, found["tally"]


def plain(file):
    """The last ratio of a row is that of a call with gaps to the one without."""
    out, found = bench(file, "--collective", "bcast", "--bytes", "64,4k,64k", "--type", "struct",
                       "--piece", 16)
    printed = re.findall(r"([\d.]+)x[~ ]  \S+ [0-9a-f]{8}$", out, re.M)
    assert [f"{row['tutti']['median_us'] / row['plain']['median_us']:.2f}"
            for row in found["rows"]] == printed, (printed, found["rows"])


def first(file):
    """The first few calls have their times, and batches of as many as all of them follow."""
    calls = 7
    out, found = bench(file, "--collective", "barrier,alltoall", "--bytes", "8,4k", "--first",
                       calls, "--repetitions", 6)
    assert found["first"] == calls and "warm-up" not in out, out
    assert [(row["collective"], row["bytes"]) for row in found["rows"]] == \
        [("barrier", 0), ("alltoall", 8), ("alltoall", 4096)], found["rows"]
    for row in found["rows"]:
        for who in ("tutti", "mpi"):
            begun, later = row[who + "_first"], row[who]
            assert len(begun["calls_us"]) == calls and min(begun["calls_us"]) > 0, row
            assert 0 < begun["batch_us"] <= sum(begun["calls_us"]) / calls * 1.001, row
            assert later["calls"] == calls and later["repetitions"] == 5, row
    assert len(re.findall(r"^.{9}  (?:Tutti|MPI) .* [\d.]+x", out, re.M)) == 6, out
    assert "geometric means of all 3 rows, as first calls happen once" in out, out
    assert "first calls take" in out and "later: Tutti is faster in" in out, out
    held(found)
    _, alone = bench(file, "--collective", "bcast", "--bytes", "64", "--first", 1, "--no-mpi",
                     "--root", RANKS - 1, "--type", "vector")
    (row,) = alone["rows"]
    assert "mpi" not in row and "plain" not in row and len(row["tutti_first"]["calls_us"]) == 1, row


def busy(file):
    """The bench says so if its ranks have no CPU of their own."""
    cpus = os.cpu_count()
    if cpus > MOST_SPINNING or len(os.sched_getaffinity(0)) < cpus:
        return print("not tried: this machine has more CPUs than a test may take")
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cpus)]
    try:
        host = hosts(*bench(file, "--collective", "barrier", "--no-mpi"))
    finally:
        for one in spinning:
            one.kill()
            one.wait()
    # Systems without procs_running have nothing to say.
    running = re.search(r"^procs_running (\d+)", pathlib.Path("/proc/stat").read_text(), re.M)
    assert host["busy"] or not running or int(running.group(1)) == 0, host


def alone():
    """Without a launcher there is one rank, and nothing to compare."""
    done = subprocess.run([PROGRAM, "bench", "--collective", "bcast", "--bytes", "8",
                           "--time-limit", "0.01"], check=True, capture_output=True, text=True)
    assert "one rank alone sends no message: start several" in done.stdout, done.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-bench-") as name:
        file = pathlib.Path(name, "bench.json")
        out, found = bench(file, "--collective", "barrier,bcast,allgather,allreduce", "--bytes",
                           "8,1k,64k")
        names(found)
        marks(out, found)
        hosts(out, found)
        warm(out, found)
        held(found)
        out, found = bench(file, "--collective", "barrier", "--no-mpi")
        assert "undecided (~)" not in out and found["tally"]["undecided"] == 0, out
        counted(file)
        plain(file)
        first(file)
        busy(file)
    alone()
    print(f"measured by {RANKS} ranks, and what is undecided told")


main()
