#!/usr/bin/env python3
"""tutti tune as a job: the table that it writes is read by selection, an interrupted run goes on,
what it is asked wrongly it refuses.

Usage: tune_test.py BUILD RANKS
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402

BUILD = Build(sys.argv[1])
RANKS = int(sys.argv[2])
PROGRAM = str(BUILD.program("tutti"))
QUICK = ["--collective", "barrier,bcast", "-m", "8,4k", "--time-limit", "0.005"]
PARAMETERS = {"model": "loggp", "parameters": {"L": 0.3, "o": 0.05, "g": 0.1, "G": 0.0001}}
LEVEL = {"overhead": 0.1, "transfer": {"1": [[0, 0], [1000, 0.5]]}}
TAU_LOP = {"format": 1, "model": "tau-lop", "within": LEVEL, "between": LEVEL}


def started(folder, *words, ranks=RANKS, env=None):
    command = BUILD.mpiexec(ranks, PROGRAM, *words)
    return subprocess.Popen([str(word) for word in command], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=os.environ | BUILD.job_environment() | (env or {}))


def done(folder, *words, **how):
    job = started(folder, *words, **how)
    out, err = job.communicate()
    return job.returncode, out, err


def fine(folder, *words, **how):
    code, out, err = done(folder, *words, **how)
    assert code == 0, (words, code, out, err)
    return out, err


def refused(folder, text, *words, **how):
    code, out, err = done(folder, "tune", *words, **how)
    assert code != 0 and text in err, (words, code, out, err)


def rules_of(path):
    rules = json.loads(path.read_text())["rules"]
    assert rules and all(rule["algorithm"].startswith("prefer ") for rule in rules), rules
    return rules


def refusals(folder):
    refused(folder, "there is no collective 'bcasst'", "--collective", "bcasst")
    refused(folder, "'8q' is not a size", "-m", "8q")
    refused(folder, f"is not a number of ranks from 2 to {RANKS}", "-P", RANKS + 1)
    refused(folder, "two ranks at least", *QUICK, ranks=1)
    refused(folder, "name the numbers of ranks", "--method", "predicted")
    refused(folder, "cannot read none.json", "--params", "none.json")
    refused(folder, "nothing to resume", *QUICK, "--state", "none", "--resume")
    (folder / "older").write_text('{"tutti_tune": 1, "job": "another"}\n')
    refused(folder, "this program reads format 2", *QUICK, "--state", "older", "--resume")
    (folder / "other").write_text('{"tutti_tune": 2, "job": "another"}\n')
    refused(folder, "it is of another job (another)", *QUICK, "--state", "other", "--resume")
    (folder / "cut").write_text('{"tutti_tune": 2, "jo')
    refused(folder, "its first line is cut off", *QUICK, "--state", "cut", "--resume")
    (folder / "nonsense").write_text('{"tutti_tune": 2,\n')
    refused(folder, "line 1: not what `tutti tune` writes", *QUICK, "--state", "nonsense",
            "--resume")
    for option in ["--table", "--svg", "--state"]:
        refused(folder, "cannot write other/", *QUICK, option, "other/file")
    (folder / "old.json").write_text('{"format": 0}')
    refused(folder, "reads format 1, not 0", "--params", "old.json", "--compare")


def measured(folder):
    """The table is taken by the library; both pictures end."""
    out, err = fine(folder, "tune", *QUICK, "--params", "model.json,tau-lop.json", "--compare",
                    "--table", "table.json", "--svg", "maps.svg")
    assert "candidates at 3 points" in err and "median mu" in out, (out, err)
    for model in ("loggp", "tau-lop", "selection"):
        assert re.search(rf"^{model} .*( 0 of [123]  +-  +-| [123] of [123]  .*%.*%)", out,
                         re.MULTILINE), (model, out)
    assert (folder / "maps.svg").read_text().rstrip().endswith("</svg>")
    rules = json.loads((folder / "table.json").read_text())["rules"]
    left = undecided(err)
    assert len(left) == len(re.findall(r"[\d.]+~ ", out)), (left, out)
    far = set(re.findall(r"^  (\w+).* takes .*, where the model says", err, re.MULTILINE))
    assert {rule["collective"] for rule in rules} | {name for name, _ in left} | far \
        == {"barrier", "bcast"}, (rules, left, far)


def undecided(err):
    """Points that stderr says measurements cannot tell, as collective and size."""
    return re.findall(r"^  (\w+)(?: of ([\d.]+ \S+))? on \d+ ranks?: .*the model's choice", err,
                      re.MULTILINE)


def rewritten(folder, us):
    """The state of an ended run, with other times: us(point, algorithm) is the median, which is the
    least, and the most."""
    lines = (folder / "timed").read_text().splitlines()
    new = lines[:1]
    for line in map(json.loads, lines[1:]):
        *point, algorithm = line["key"].split()
        least, most = us(tuple(point), algorithm)
        new.append(json.dumps(line | {"median_us": least, "low_us": least, "high_us": most,
                                      "finalist": False}))
    (folder / "retimed").write_text("\n".join(new) + "\n")


def key_of(point):
    return tuple(str(point[name]) for name in ("collective", "ranks", "ranks_per_node", "bytes"))


def decided(folder):
    """An algorithm that is surely faster than the model's choice gets a rule, which the library
    reads; one that only may be faster gets no rule."""
    words = ["tune", *QUICK, "--json", "--state"]
    points = json.loads(fine(folder, *words, "timed")[0])["points"]
    best = {}  # by point, another algorithm than the model's choice; nothing: there is no other
    for point in points:
        others = [one["algorithm"] for one in point["candidates"]
                  if one["algorithm"] != point["by_default"]]
        best[key_of(point)] = others[0] if others else None
    assert all(best[key] for key in best if key[0] == "bcast"), points

    def table_of(most):
        rewritten(folder, lambda key, name: (1, most) if name == best[key] else (8, 9))
        out, err = fine(folder, *words, "retimed", "--resume", "--table", "made.json")
        points = json.loads(out)["points"]
        left = {key_of(point) for point in points if not point["decided"]}
        assert len(undecided(err)) == len(left), (err, points)
        rules = json.loads((folder / "made.json").read_text())["rules"]
        return left, {rule["collective"]: rule["algorithm"] for rule in rules}

    left, rules = table_of(2)
    assert not left and set(rules) == {"barrier", "bcast"}, (left, rules)
    assert rules["bcast"] in {f"prefer {best[key]}" for key in best if key[0] == "bcast"}, rules
    _, err = fine(folder, "bench", "--collective", "barrier,bcast", "--sizes", "8", "--time-limit",
                  "0.01", env={"TUTTI_TABLE": str(folder / "made.json"), "TUTTI_LOG": "info"})
    assert "a rule of the setting `table` names it" in err, err
    left, rules = table_of(8.5)  # which the model's choice may take, too
    assert left == {key for key in best if best[key]}, (left, best)
    assert "bcast" not in rules, rules


def single_calls(folder):
    """--calls 1 measures single calls, for which the library then chooses; a run of calls in a row
    cannot go on with them."""
    words = ["tune", *QUICK, "--calls", 1, "--algorithm", "binomial,chain,dissemination",
             "--segment", "0,1k", "--state", "single"]
    out, _ = fine(folder, *words, "--json")
    for point in json.loads(out)["points"]:
        assert any("measured" in one for one in point["candidates"]), point
        chosen = subprocess.run([PROGRAM, "explain", point["collective"], "-P", str(RANKS), "-m",
                                 str(point["bytes"]), "--json"], capture_output=True, text=True,
                                check=True, env=os.environ | BUILD.job_environment() |
                                {"TUTTI_CALLS_IN_A_ROW": "1"}).stdout
        assert json.loads(chosen)["algorithm"] == point["by_default"], (chosen, point)
    refused(folder, "it is of another job (single calls of ", *QUICK, "--state", "single",
            "--resume")
    out, err = fine(folder, *words, "--resume")
    assert ": some 0 s, and" in err, err


def guided(folder):
    out, _ = fine(folder, "tune", *QUICK, "--method", "guided", "--params", "model.json",
                  "--margin", "10", "--json")
    points = json.loads(out)["points"]
    times = [["measured" in candidate for candidate in point["candidates"]] for point in points]
    assert all(any(some) for some in times) and not all(all(some) for some in times), points
    out, _ = fine(folder, "tune", *QUICK, "--method", "guided", "--margin", "10", "--json")
    assert json.loads(out)["models"] == ["selection"], out


def predicted(folder):
    words = ["tune", "--method", "predicted", "--params", "model.json", "-P", "4,64", "--ppn", "4",
             "--collective", "allreduce", "-m", "8,64k", "--table", "predicted.json"]
    subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True)
    ranks = [rule["ranks"] for rule in rules_of(folder / "predicted.json")]
    assert [4, 63] in ranks and [64, 64] in ranks, ranks
    words[words.index("model.json")] = "hardware"  # parameters by name, as everywhere
    subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True)
    rules_of(folder / "predicted.json")


def interrupted(folder):
    """Killed at some moment, it goes on where it was."""
    job = started(folder, "tune", "--collective", "all", "--time-limit", "0.2", "--state", "kept")
    state = folder / "kept"
    while job.poll() is None:
        if state.exists() and len(state.read_text().splitlines()) > 2:
            break
        time.sleep(0.05)
    job.send_signal(signal.SIGINT)
    out, err = job.communicate()
    # After an interrupt mpiexec.mpich returns 0 or 1, by chance; Open MPI's may end it at once.
    assert "kept keeps each, with it --resume goes on" in err, (job.returncode, out, err)
    assert BUILD.mpi == "openmpi" or "kept in kept" in err, (job.returncode, out, err)
    lines = state.read_text().splitlines()
    assert len(lines) > 2, lines
    state.write_text("\n".join(lines)[:-5])  # as if it had been killed while it wrote
    out, err = fine(folder, "tune", *QUICK, "--state", "kept", "--resume")
    known = int(re.search(r"(\d+) of them known", err).group(1))
    assert 1 <= known <= len(lines) - 2 and "best measured" in out, (lines, out, err)
    _, err = fine(folder, "tune", *QUICK, "--state", "kept", "--resume", "--svg", "again.svg")
    assert ": some 0 s, and" in err and (folder / "again.svg").exists(), err


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-tune-") as name:
        folder = pathlib.Path(name)
        (folder / "model.json").write_text(json.dumps(PARAMETERS))
        (folder / "tau-lop.json").write_text(json.dumps(TAU_LOP))
        if RANKS == 2:  # they are the same for all
            refusals(folder)
        measured(folder)
        decided(folder)
        single_calls(folder)
        guided(folder)
        predicted(folder)
        interrupted(folder)
    print(f"tuned on {RANKS} ranks, and gone on")


main()
