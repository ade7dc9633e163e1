#!/usr/bin/env python3
"""`tutti tune --method predicted`: single calls, candidates by name, and a map for each model.

Usage: tune_predicted_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.svg import checked  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
TUNE = ["tune", "--method", "predicted", "--collective", "bcast", "-P", 8, "-m", "64k"]
NAMED = ["--algorithm", "linear,chain,binomial", "--segment", "0,1k,8k"]


def tutti(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def result(*arguments):
    done = tutti(*arguments, "--json")
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = tutti(*arguments)
    assert done.returncode == 2 and words in done.stderr, (words, done)


def times(found, oracle=0):
    (point,) = found["points"]
    return {one["algorithm"]: one["predicted_us"][oracle] for one in point["candidates"]}


def check_single_calls():
    """The time of a candidate is that of one call, as predict has it; --calls makes it a row's."""
    tree = ["--algorithm", "linear"]
    for calls in (1, 4):
        (alone,) = result("predict", "--params", "boba", "--collective", "bcast", *tree, "-P", 8,
                          "-m", "64k", "--calls", calls)
        more = [] if calls == 1 else ["--calls", calls]
        found = times(result(*TUNE, "--params", "boba", *tree, "--segment", 0, *more))
        assert found == {"linear": alone["time_us"]}, (calls, found, alone)


def check_sockets(folder):
    """The simulator has the sockets of nodes, as predict's."""
    file = pathlib.Path(folder, "sockets.json")
    file.write_text(tutti("predict", "--params", "metropolis", "--set", "between_sockets.L=3.5",
                          "--show-params").stdout)
    where = ["--params", file, "--ppn", 8, "--algorithm", "chain"]
    found = []
    for sockets in (1, 2):
        (alone,) = result("predict", "--collective", "bcast", "-P", 8, "-m", "64k", *where,
                          "--sockets", sockets)
        found.append(times(result(*TUNE, *where, "--segment", 0, "--sockets", sockets)))
        assert found[-1] == {"chain": alone["time_us"]}, (found, alone)
    assert found[0] != found[1], found
    refused("between_sockets", *TUNE, "--params", "boba", "--sockets", 2)


def check_candidates():
    names = set(times(result(*TUNE, "--params", "boba", *NAMED)))
    for name in ("linear", "chain", "chain(segment=1024)", "chain(segment=8192)"):
        assert name in names, names
    assert all(name.split("(")[0] in ("linear", "chain", "binomial") for name in names), names
    one = times(result(*TUNE, "--params", "boba", "--algorithm", "binomial(k=2,segment=4k),chain"))
    assert "binomial(k=2,segment=4096)" in one and "chain" in one, one
    assert all(name.startswith(("binomial(k=2,segment=4096)", "chain")) for name in one), one
    refused("bcast has no algorithm 'lineer'", *TUNE, "--params", "boba", "--algorithm", "lineer")
    refused("unknown parameter 'k=2'", *TUNE, "--params", "boba", "--algorithm", "chain(k=2)")
    refused("--segment '1q' is not a size", *TUNE, "--params", "boba", "--segment", "1q")
    refused("--calls", *TUNE, "--params", "boba", "--calls", 0)
    refused("--model takes the parameters that --params names", *TUNE, "--model", "loggp")
    refused("there is no model 'loggpp'", *TUNE, "--params", "boba", "--model", "loggpp")
    refused("`tutti predict --model tau-lop` takes it; here there are hockney, ", *TUNE, "--params",
            "boba", "--model", "tau-lop")


def check_maps(path):
    """OCC's figures 6 and 7: what each model would choose, and what that costs if another is
    right."""
    models = ["--params", "boba,frodo", "--model", "loggp,hockney"]
    found = result(*TUNE, *NAMED, *models)
    assert found["models"] == ["loggp, boba", "hockney, boba", "loggp, frodo", "hockney, frodo"]
    done = tutti(*TUNE, *NAMED, *models, "--svg", path)
    assert done.returncode == 0, done
    for label in found["models"]:
        assert f"bcast, best by {label}\n" in done.stdout, (label, done.stdout)
    assert done.stdout.count(" %\n") == 3, done.stdout
    assert "KiB)" in done.stdout and not re.search(r"segment=\d{4}", done.stdout), done.stdout
    _, texts = checked(path.read_text())
    for label in found["models"]:
        assert f"bcast, best by {label}" in texts, (label, texts)
    assert "a core of its own" in re.sub(r"</text>\s*<text[^>]*>", " ", path.read_text())
    assert path.read_text().count("lost if the first one is right") == 3
    best = [min(times(found, i), key=times(found, i).get) for i in range(4)]
    first = times(found, 0)
    shown = [f"{100 * (first[name] / first[best[0]] - 1):.0f} %" for name in best[1:]]
    assert [line.split("  ")[-1].strip() for line in done.stdout.splitlines()
            if line.endswith(" %")] == shown, (shown, done.stdout)


def check_cores():
    """Here, where ranks share cores, predictions say that they take none to be shared."""
    for words, shared in (([], True), (["--params", "boba"], False)):
        done = tutti("tune", "--method", "predicted", "--collective", "bcast", "-P",
                     2 * os.cpu_count(), "-m", 8, *words)
        assert done.returncode == 0 and ("a core of its own" in done.stdout) == shared, done


def check_shaped_trees(folder):
    """A tree that the model shapes is a candidate where its shape is no other one's: where gaps are
    long, each rank passes the blocks on to the next one."""
    tune = ["tune", "--method", "predicted", "--collective", "scatter,gather", "-P", 3, "-m", 8]
    for gap, shapes_another in ((1, False), (100, True)):
        path, table = pathlib.Path(folder, f"gap{gap}.json"), pathlib.Path(folder, "table.json")
        path.write_text(json.dumps({"model": "loggp", "parameters": {"L": 0.5, "o": 0.25, "g": gap,
                                                                     "G": 0}}))
        found = result(*tune, "--params", path, "--table", table)
        assert len(found["points"]) == 2, found
        for point in found["points"]:
            names = [one["algorithm"] for one in point["candidates"]]
            assert ("loggp" in names) == shapes_another, (gap, names)
        rules = [rule["algorithm"] for rule in json.loads(table.read_text())["rules"]]
        assert (rules == ["prefer loggp"] * 2) == shapes_another, (gap, rules)


def main():
    check_single_calls()
    check_cores()
    check_candidates()
    with tempfile.TemporaryDirectory() as folder:
        check_maps(pathlib.Path(folder, "maps.svg"))
        check_shaped_trees(folder)
        check_sockets(folder)
    print("maps are predicted")


main()
