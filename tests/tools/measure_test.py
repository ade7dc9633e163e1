#!/usr/bin/env python3
"""tutti measure as a job: what it saves is read by tutti predict, what it is asked wrongly it
refuses.

Usage: measure_test.py BUILD RANKS [LEVEL WIRE]…

LEVEL WIRE…: the levels that it must find, by default the one within nodes, over shm.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402

BUILD = Build(sys.argv[1])
RANKS = int(sys.argv[2])
LEVELS = list(zip(sys.argv[3::2], sys.argv[4::2])) or [("within nodes", "shm")]
PROGRAM = str(BUILD.program("tutti"))
QUICK = ["--time-limit", "0.3", "--max", "64k"]


def measure(*arguments, ranks=RANKS, env=None):
    words = BUILD.mpiexec(ranks, PROGRAM, "measure", *arguments)
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | BUILD.job_environment() | (env or {}), timeout=250)


def measured(*arguments):
    """On a machine that does other work besides, it takes longer until medians are known."""
    for seconds in [0.3, 3, 30]:
        done = measure(*arguments, "--time-limit", seconds, "--max", "64k")
        if done.returncode == 0:
            return done
        assert "converge" in done.stderr, done
    raise AssertionError(done)


def refused(words, *arguments, **how):
    done = measure(*arguments, **how)
    assert done.returncode != 0 and words in done.stderr, (arguments, done)


def predicted(path):
    done = subprocess.run([PROGRAM, "predict", "--params", path, "--collective", "allreduce", "-P",
                           "4", "--algorithm", "recursive-doubling", "--json"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done
    return json.loads(done.stdout)[0]["time_us"]


def refusals(folder):
    refused("there is no model 'loggpp'; there are", "--models", "loggpp", *QUICK)
    refused("two ranks at least", *QUICK, ranks=1)
    refused("'8q' is no size", "--min", "8q")
    refused("too close", "--min", "64", "--max", "65")
    nowhere = folder / "file" / "measured.json"
    (folder / "file").write_text("no folder")
    refused(f"cannot write {nowhere}", f"--save={nowhere}", *QUICK)
    refused("cannot write", "--svg", nowhere, *QUICK)
    if RANKS == 2:
        refused("logfp needs two peers", "--models", "logfp", "--save", *QUICK)


def saved(folder):
    """The user's files, and one that is named; what stands there is replaced, and named."""
    kept = folder / "tutti"
    kept.mkdir(exist_ok=True)
    for _, wire in LEVELS:
        (kept / f"measured-{wire}.json").write_text('{"format": 0}')
    done = measured("--save")
    assert "reads format 1, not 0" in done.stderr, done
    for number, (level, wire) in enumerate(LEVELS):
        assert f"\n{level}: {wire}" in done.stdout, done
        path = kept / f"measured-{wire}.json"
        platform = json.loads(path.read_text())
        last = platform if number == 0 else platform["between"]
        assert platform["format"] == 1 and last["model"] == "plogp", platform
        assert number == 0 or platform["within"]["model"] == "plogp", platform
        assert platform["wire"]["kind"] == wire and platform["machine"]["cores"] >= 1, platform
        assert "tutti measure" in platform["measured"]["command"], platform
        assert predicted(path) > 0
    assert sorted(kept.iterdir()) == sorted(kept / f"measured-{wire}.json" for _, wire in LEVELS)


def read_back(folder):
    file, picture = folder / "mine.json", folder / "mine.svg"
    done = measured("--models", "loggp,hockney,split-hockney", f"--save={file}", "--svg", picture,
                    "--json", "--bisection", "--bisections", 3)
    found = json.loads(done.stdout)
    assert [level["level"] for level in found["levels"]] == [level for level, _ in LEVELS], found
    for level in found["levels"]:
        sizes = [size["bytes"] for size in level["sizes"]]
        assert sizes == sorted(set(sizes)) and sizes[0] == 1 and sizes[-1] == 65536, sizes
        for size in level["sizes"]:
            of = size["round_trip"]
            assert 0 < of["low_us"] <= of["median_us"] <= of["high_us"], size
        assert all(fit["ranges"] for fit in level["fits"]), level
        assert len(level["peers"]) == (level["ranks"] - 1 if level["ranks"] > 2 else 0), level
    assert set(found["models"]) == {"loggp", "hockney", "split-hockney"}, found
    assert len(found["bisection"]["megabytes_per_second_and_pair"]) == 3, found
    platform = json.loads(file.read_text())
    level = platform["between"] if len(LEVELS) > 1 else platform
    assert level["model"] == "loggp" and level["parameters"]["L"] >= 0, platform
    assert predicted(file) > 0
    assert picture.read_text().rstrip().endswith("</svg>")


def by_mpi(folder):
    file = folder / "mpi.json"
    measured("--wire", "mpi", "--models", "hockney-table", f"--save={file}")
    platform = json.loads(file.read_text())
    assert platform["wire"]["kind"] == "mpi", platform
    assert predicted(file) > 0


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-measure-") as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CONFIG_HOME"] = name
        if len(sys.argv) == 3:
            refusals(folder)
        saved(folder)
        read_back(folder)
        by_mpi(folder)
    print(f"measured on {RANKS} ranks, and read back")


main()
