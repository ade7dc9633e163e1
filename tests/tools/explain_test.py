#!/usr/bin/env python3
"""tutti explain refuses what it cannot read, and says where it is wrong; what it prints as JSON
holds together.

Usage: explain_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
LOGP = {"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1}}


def explain(*arguments):
    return subprocess.run([PROGRAM, "explain", *map(str, arguments)], capture_output=True,
                          text=True)


def refused(words, *arguments):
    done = explain(*arguments)
    assert done.returncode != 0 and words in done.stderr, (arguments, done)


def refused_file(folder, words, text):
    path = pathlib.Path(folder, "parameters.json")
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    refused(f"--model {path}: {words}", "bcast", "--model", path)


def told(*arguments):
    done = explain(*arguments, "--json")
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def printed(*arguments):
    done = explain(*arguments)
    assert done.returncode == 0, done
    return done.stdout


def reads_well():
    """Numbers have no exponent, one thing has no plural, and no column repeats another."""
    for arguments in (("reduce", "-P", 1000, "--ppn", 8, "-m", 2 ** 30), ("barrier", "-P", 1),
                      ("allgather", "-P", 64, "-m", 1)):
        text = printed(*arguments)
        assert not re.search(r"\de[+]\d", text), text
        assert not re.search(r"\b1 (ranks|nodes|bytes)\b", text), text
        heads = next(line for line in text.splitlines() if line.startswith("  candidate"))
        assert ("alone" in heads) == (arguments[0] == "reduce"), text
    assert printed("barrier").startswith("barrier, 8 ranks, "), printed("barrier")


def holds(told):
    """What applies comes first, the fastest first; one of these is chosen."""
    candidates = told["candidates"]
    applying = [one for one in candidates if "excluded" not in one]
    assert applying and candidates[:len(applying)] == applying, told
    limited = [one["time"] for one in applying if "times_over_limit" not in one]
    assert limited == sorted(limited), told
    name = told["algorithm"].split("(")[0]
    assert name in [one["algorithm"].split("(")[0] for one in applying], told
    assert all(one["excluded"] for one in candidates[len(applying):]), told


def main():
    refused("there is no collective 'barier'", "barier")
    refused("cannot read bobba: No such file or directory; what needs no file is shm, rxe", "bcast",
            "--model", "bobba")
    refused("the paper does not print all parameters", "bcast", "--model", "ib-measured")
    for P in (0, -3, "x", 2 ** 25):
        refused("", "bcast", "-P", P)
    for size in ("-1", "8q"):
        refused("write a size", "bcast", "-m", size)
    refused("too many", "bcast", "-P", 1000, "-m", 2 ** 50)
    with tempfile.TemporaryDirectory() as folder:
        refused_file(folder, "not JSON", "{")
        refused_file(folder, "format: this program reads format 1, not 0", {"format": 0})
        refused_file(folder, "cores.wake: must be zero or more", LOGP | {"cores": {"wake": -1}})
        refused_file(folder, "budget.peers: must be", LOGP | {"budget": {"peers": 1e300}})
        refused_file(folder, "budget: there is no 'peer' here", LOGP | {"budget": {"peer": 1}})
    for P, ppn, size in ((1, 1, 0), (1, 8, 8), (7, 2, 2 ** 40), (64, 8, 4096), (1000, 1000, 1),
                         (2 ** 20, 2 ** 12, 2 ** 30)):
        for collective in ("barrier", "allgather", "exscan", "reduce"):
            arguments = [collective, "-P", P, "--ppn", ppn, "-m", size]
            assert told(*arguments) == told(*arguments)
            holds(told(*arguments))
            holds(told(*arguments, "--in-turn", "--cores", 1, "--model", "rxe"))
    reads_well()
    print("choices are explained, and bad commands refused")


main()
