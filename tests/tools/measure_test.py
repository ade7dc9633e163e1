#!/usr/bin/env python3
"""tutti measure as a job: what it saves is read by tutti predict, what it is asked wrongly it
refuses.

Usage: measure_test.py BUILD RANKS [LEVEL WIRE]…

LEVEL WIRE…: the levels that it must find. By default the one within nodes, over shm, of which it
also saves the parameters; in the virtual host times are too far from what a model says of them.
"""
import json
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
LEVELS = list(zip(sys.argv[3::2], sys.argv[4::2])) or [("within nodes", "shm")]
PROGRAM = str(BUILD.program("tutti"))
QUICK = ["--time-limit", "0.3", "--max", "64k"]


def measure(*arguments, ranks=RANKS, env=None):
    words = BUILD.mpiexec(ranks, PROGRAM, "measure", *arguments)
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | BUILD.job_environment() | (env or {}))


def measured(file, *arguments):
    """The run, and the parameters saved to the file. On a machine that does other work it takes
    longer until medians are known, or nothing fits: then the command says so, and saves nothing.
    """
    before = file.read_text() if file.exists() else None
    for seconds in [0.3, 3, 10]:
        done = measure(*arguments, "--time-limit", seconds, "--max", "64k")
        if done.returncode == 0:
            assert predicted(file) > 0
            return done, json.loads(file.read_text())
        assert "converge" in done.stderr and "nothing is saved" in done.stderr, done
        assert before == (file.read_text() if file.exists() else None), done
    print("this machine is too busy:", done.stderr)
    return done, None


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
    refused("there is no model 'loggpp'; did you mean loggp", "--models", "loggpp", *QUICK)
    refused("two ranks at least", *QUICK, ranks=1)
    refused("'8q' is not a size", "--min", "8q")
    refused("too close", "--min", "64", "--max", "65")
    nowhere = folder / "file" / "measured.json"
    (folder / "file").write_text("no folder")
    refused(f"cannot write {nowhere}", f"--save={nowhere}", *QUICK)
    refused("cannot write", "--svg", nowhere, *QUICK)
    if RANKS == 2:
        refused("logfp needs two peers", "--models", "logfp", "--save", *QUICK)
        refused("plogp-fitted needs barriers of two numbers of ranks", "--models", "plogp-fitted",
                "--save", *QUICK)


def saved(folder):
    """The user's files, and one that is named; what stands there is replaced, and named."""
    kept = folder / "tutti"
    kept.mkdir(exist_ok=True)
    path = kept / "measured-shm.json"
    path.write_text('{"format": 0}')
    done, platform = measured(path, "--save")
    assert "\nwithin nodes: shm" in done.stdout, done
    if not platform:
        return
    assert "reads format 1, not 0" in done.stderr, done
    assert platform["format"] == 1 and platform["model"] == "plogp", platform
    assert platform["wire"]["kind"] == "shm" and platform["machine"]["cores"] >= 1, platform
    assert "tutti measure" in platform["measured"]["command"], platform
    assert list(kept.iterdir()) == [path]


def check_readings(found):
    assert [level["wire"] for level in found["levels"]] == [wire for _, wire in LEVELS], found
    assert [level["level"] for level in found["levels"]] == [level for level, _ in LEVELS], found
    for level in found["levels"]:
        sizes = [size["bytes"] for size in level["sizes"]]
        assert sizes == sorted(set(sizes)) and sizes[0] == 1 and sizes[-1] == 65536, sizes
        for size in level["sizes"]:
            of = size["round_trip"]
            assert 0 < of["low_us"] <= of["median_us"] <= of["high_us"], size
        assert all(fit["ranges"] or fit["problem"] for fit in level["fits"]), level
        assert len(level["peers"]) == (level["ranks"] - 1 if level["ranks"] > 2 else 0), level
        most = level["ranks"] - 1
        numbers = [n for n in (1, 2, 4, 8) if n < most] + [most] if most > 1 else []
        assert [one["n"] for one in level["destinations"]] == numbers, level
        for one in level["destinations"]:
            assert one["messages"] >= 64 and one["messages"] % one["n"] == 0, one
            assert one["burst"]["median_us"] > 0 and one["round_trip"]["median_us"] > 0, one
        assert level["empty"]["median_us"] > 0, level
    assert len(found["bisection"]["megabytes_per_second_and_pair"]) == 3, found


def read_back(folder):
    file, picture = folder / "mine.json", folder / "mine.svg"
    done, platform = measured(file, "--models", "loggp,hockney,split-hockney", f"--save={file}",
                              "--svg", picture, "--json", "--bisection", "--bisections", 3)
    found = json.loads(done.stdout)
    busy = any(host["busy"] for host in found["hosts"])
    assert busy == ("busy: " in done.stderr), done.stderr
    check_readings(found)
    assert set(found["models"]) == {"loggp", "hockney", "split-hockney"}, found
    if platform:
        assert platform["model"] == "loggp" and platform["parameters"]["L"] >= 0, platform
    assert picture.read_text().rstrip().endswith("</svg>")


def by_mpi(folder):
    file = folder / "mpi.json"
    _, platform = measured(file, "--wire", "mpi", "--models", "hockney-table", f"--save={file}")
    assert not platform or platform["wire"]["kind"] == "mpi", platform


def at_start(folder):
    """A job that asks for it measures when it starts, and keeps what it found; the next one reads
    that."""
    wire = LEVELS[-1][1]
    path = folder / f"tutti/measured-{wire}.json"
    path.unlink(missing_ok=True)
    env = {"TUTTI_MODEL": "measure", "TUTTI_LOG": "info"}
    for _ in range(5):  # until the machine is quiet enough
        first = bench(env)
        if path.exists():
            break
        assert re.search("does not converge|does other work", first), first
        assert "the shipped parameters are taken" in first, first
    else:
        return print("this machine is too busy:", first)
    platform, kept = json.loads(path.read_text()), path.stat()
    assert platform.get("between", platform)["model"] == "plogp", platform
    assert platform["wire"]["kind"] == wire, platform
    assert ("within" in platform) == (len(LEVELS) > 1), platform
    assert "model=measure" in platform["measured"]["command"], platform
    assert "the model measured (measured when a job started" in first, first
    assert "the model measured (measured when a job started" in bench(env)
    assert "the model measured (measured when a job started" in bench({"TUTTI_LOG": "info"})
    assert path.stat().st_ino == kept.st_ino and path.stat().st_mtime_ns == kept.st_mtime_ns
    path.write_text('{"format": 0}')
    again = bench(env)
    assert "reads format 1, not 0" in again and "it is measured anew" in again, again
    unwritable = bench(env | {"XDG_CONFIG_HOME": "/proc"})
    assert re.search("model=measure: (cannot write /proc/tutti|.*converge|.*does other work)",
                     unwritable), unwritable


def bench(env):
    """The output of a small job."""
    words = BUILD.mpiexec(RANKS, PROGRAM, "bench", "--no-mpi", "--collective", "barrier",
                          "--time-limit", "0.01")
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT,
                          env=os.environ | BUILD.job_environment() | env)
    assert done.returncode == 0, done
    return done.stdout


def tau_lop(folder):
    """Rings of every contention, and what is derived from them predicts."""
    file = folder / "tau-lop.json"
    done, found = measured(file, "--models", "tau-lop", f"--save={file}", "--json", "--off-cache")
    (level,) = json.loads(done.stdout)["levels"]
    contentions = sorted({ring["tau"] for ring in level["rings"]})
    assert contentions == ([2] if RANKS == 2 else [2, RANKS] if RANKS < 5 else None), level
    assert sorted({one["tau"] for one in level["combining"]}) == [1, *contentions], level
    assert all(one["median_us"] > 0 for one in level["rings"] + level["combining"]), level
    most = min(RANKS, len(os.sched_getaffinity(0)))  # on a core each
    assert max([one["ranks"] for one in level["trees"]], default=1) == most, level
    refused("selection reads no tau-lop", "--models", "tau-lop", "--save", *QUICK)
    if not found:
        return
    assert found["protocols"]["within"]["eager"] > 0, found
    assert found["within"]["overhead"] and "2" in found["within"]["transfer"], found
    transfers = found["within"]["transfer"]["2"]
    assert [us for _, us in transfers] == sorted(us for _, us in transfers), transfers


def fitted(folder):
    """PLogP from barriers and chains of several numbers of ranks."""
    file = folder / "fitted.json"
    done, platform = measured(file, "--models", "plogp-fitted", f"--save={file}", "--json")
    (level,) = json.loads(done.stdout)["levels"]
    ranks = sorted({2, min(3, RANKS), RANKS} | {n for n in (4, 8, 16) if n < RANKS})
    assert [one["ranks"] for one in level["flat_barriers"]] == ranks, level
    assert sorted({one["ranks"] for one in level["chains"]}) == ranks, level
    assert {one["bytes"] for one in level["chains"]} == {4 ** i for i in range(9)}, level
    if platform:
        assert platform["model"] == "plogp" and platform["parameters"]["g"][0][0] == 0, platform


def methods():
    """o, g, L and G by four methods, from readings that are printed beside them."""
    done = measure("--methods", "--json", "--model", "hockney", *QUICK)
    assert done.returncode == 0 or "converge" in done.stderr, done
    (level,) = json.loads(done.stdout)["levels"]
    found, least = level["methods"], level["sizes"][0]
    assert list(found["by"]) == ["Bell et al.", "Culler et al.", "Hoefler et al.",
                                 "Kielmann et al."], found
    readings = {name: one["median_us"] for name, one in found["readings"].items()
                if isinstance(one, dict)}
    assert all(us > 0 for us in readings.values()), readings
    assert found["readings"]["delay_us"] > least["round_trip"]["median_us"], found
    culler, bell = found["by"]["Culler et al."], found["by"]["Bell et al."]
    assert culler["o_s_us"] == readings["few"] and culler["g_us"] == readings["many"], found
    assert abs(bell["o_s_us"] + found["readings"]["pause_us"] - readings["paused_sends"]) < 1e-6
    assert "G_us_per_byte" in bell and "G_us_per_byte" not in culler, found
    shown = measure("--methods", "--model", "hockney", *QUICK).stdout
    assert "  Bell et al.  " in shown and "PLogP's (RTT/2 - g)" in shown, shown


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-measure-") as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CONFIG_HOME"] = name
        if len(sys.argv) > 3:
            done = measure("--json", "--bisection", "--bisections", 3, *QUICK)
            assert done.returncode == 0 or "converge" in done.stderr, done
            check_readings(json.loads(done.stdout))
            at_start(folder)
        elif BUILD.mpi == "openmpi":  # all else is the same with each MPI
            by_mpi(folder)
        else:
            refusals(folder)
            saved(folder)
            read_back(folder)
            by_mpi(folder)
            at_start(folder)
            tau_lop(folder)
            methods()
            if RANKS > 2:
                fitted(folder)
    print(f"measured on {RANKS} ranks, and read back")


main()
