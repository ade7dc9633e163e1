#!/usr/bin/env python3
"""tutti explain says what a job does: a job's algorithms, reasons and parameters are those that it
says without the job, whatever the settings and the kept parameters are.

Usage: explain_job_test.py BUILD RANKS
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
PROGRAM = str(BUILD.program("tutti"))
COLLECTIVES = ["barrier", "bcast", "allgather", "allreduce"]
SIZES = [8, 4096, 262144]
# An absurd machine, so that other algorithms are chosen than by the shipped parameters.
SLOW = {"model": "loggp", "parameters": {"L": 0.001, "o": 900, "g": 900, "G": 0.00001}}
TABLE = {"rules": [{"collective": "bcast", "ranks": [2, 64], "bytes": [0, 1000],
                    "algorithm": "chain"},
                   {"collective": "allgather", "ranks": 99, "algorithm": "bruck"}]}


def machine_here():
    """As `tutti measure` calls it."""
    found = re.search(r"^model name\s*:\s*(.*?)\s*$", pathlib.Path("/proc/cpuinfo").read_text(),
                      re.MULTILINE)
    return {"cpu": found.group(1) if found else "unknown",
            "cores": os.sysconf("SC_NPROCESSORS_ONLN")}


def output_of(words, env):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, env=env)
    assert done.returncode == 0, (words, done)
    return done.stdout


def run_by_job(folder, env):
    """Choices of a job, by collective and bytes: its file says the algorithm, its log the reason
    and the parameters."""
    file = folder / "rows.json"
    log = output_of(BUILD.mpiexec(RANKS, PROGRAM, "bench", "--no-mpi", "--no-check", "--json", file,
                                  "--collective", ",".join(COLLECTIVES), "--time-limit", "0.001",
                                  "--sizes", ",".join(map(str, SIZES))),
                    env | {"TUTTI_LOG": "info"} | BUILD.job_environment())
    model = re.search(r"tutti\[0\]: algorithms are chosen by the model (.*)", log).group(1)
    rows = {(row["collective"], row["bytes"]): row["algorithm"]
            for row in json.loads(file.read_text())["rows"]}
    reasons = {}
    for name, size, why in re.findall(r"tutti\[0\]: (\w+) of (\d+) bytes? on [^:]*: \S+ \((.*)\)\n",
                                      log):
        reasons.setdefault((name, int(size)), why)
    return model, rows, reasons


def same(folder, settings, **expected):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
    # Without it, the bench would set what programs do not.
    env |= {"XDG_CONFIG_HOME": str(folder), "TUTTI_CALLS_IN_A_ROW": "1"} | settings
    model, rows, reasons = run_by_job(folder, env)
    assert len(rows) == 1 + len(SIZES) * (len(COLLECTIVES) - 1), rows
    for (collective, size), algorithm in rows.items():
        told = json.loads(output_of([PROGRAM, "explain", collective, "-P", RANKS, "--ppn", RANKS,
                                     "-m", size, "--json"], env))
        case = (settings, collective, size, told)
        assert told["algorithm"] == algorithm, (algorithm, *case)
        assert told["reason"] == reasons[collective, size], (reasons, *case)
        assert f"{told['model']['name']} ({told['model']['source']})" == model, (model, *case)
        for name, value in expected.items():
            assert value in told["model"][name], (name, *case)
    return rows


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-explain-") as name:
        folder = pathlib.Path(name)
        parameters, table = folder / "slow.json", folder / "table.json"
        parameters.write_text(json.dumps(SLOW | {"name": "slow", "source": "a test"}))
        table.write_text(json.dumps(TABLE))
        same(folder, {}, name="shm")
        slow = same(folder, {"TUTTI_MODEL": str(parameters)}, name="slow", **{"from": "slow.json"})
        same(folder, {"TUTTI_CALLS_IN_A_ROW": "100"}, name="shm")
        same(folder, {"TUTTI_MODEL": "rxe"}, name="rxe", **{"from": "`model`"})
        by_table = same(folder, {"TUTTI_TABLE": str(table)}, name="shm")
        assert by_table["bcast", 8].startswith("chain"), by_table
        by_hand = same(folder, {"TUTTI_TABLE": str(table), "TUTTI_ALGORITHM":
                                "bcast=linear;allgather=rows-first;allreduce=prefer hierarchical"})
        assert by_hand["bcast", 8].startswith("linear"), by_hand
        assert by_hand["allgather", 8] == "rows-first", by_hand
        # Parameters kept for this machine are taken without a setting.
        (folder / "tutti").mkdir()
        (folder / "tutti/measured-shm.json").write_text(json.dumps(
            SLOW | {"name": "measured", "machine": machine_here(), "wire": {"kind": "shm"}}))
        kept = same(folder, {}, name="measured", **{"from": "measured-shm.json"})
        assert kept == slow, (kept, slow)
    print(f"explained what {RANKS} ranks ran")


main()
