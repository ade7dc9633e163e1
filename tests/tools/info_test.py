#!/usr/bin/env python3
"""Output of `tutti info`: lines that fit a screen, bytes with units, misspelt variables with the
nearest name, and no advice to call `tutti info`.

Usage: info_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}


def info(*arguments, **settings):
    return subprocess.run([PROGRAM, "info", *arguments], capture_output=True, text=True,
                          env=CLEAN | settings)


def printed(**settings):
    """No line is longer than a screen is wide, and no number of bytes longer than people read."""
    done = info(**settings)
    assert done.returncode == 0, done
    assert max(map(len, done.stdout.splitlines())) <= 100, max(done.stdout.splitlines(), key=len)
    assert not re.search(r"\d{5,} (B\b|bytes)", done.stdout), done.stdout
    return done.stdout


def refused(words, **settings):
    done = info(**settings)
    assert done.returncode == 2 and words in done.stderr, done
    assert "`tutti info`" not in done.stderr and len(done.stderr) < 500, done


def check_report():
    """README, the manual page and docs/install.md name one command for reports, and what it prints
    has what a report needs."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for page in ("README.md", "docs/install.md", "man/tutti.1.in"):
        text = (root / page).read_text()
        assert "tutti info --json > report.txt" in text, page
        assert "TUTTI_LOG=info mpiexec -n 4 ./program >> report.txt 2>&1" in text, page
        assert "whoever gave you Tutti" in " ".join(text.split()), page
    all_of_it = json.loads(info("--json", TUTTI_LOG="info").stdout)
    assert {"version", "compiler", "mpi", "kernel"} <= all_of_it["build"].keys(), all_of_it
    assert {"devices", "choice", "memlock_verdict", "registration_cache", "progress", "topology"} \
        <= all_of_it.keys(), all_of_it
    assert all_of_it["settings"]["log"] == "info", all_of_it


def check_progress():
    """How non-blocking calls go on, by the setting and the hardware threads that it may use."""
    def words(progress, threads):
        done = subprocess.run(["taskset", "-c", threads, PROGRAM, "info", "--json"], check=True,
                              capture_output=True, text=True,
                              env=CLEAN | {"TUTTI_PROGRESS": progress})
        return json.loads(done.stdout)["progress"]

    first, *others = sorted(os.sched_getaffinity(0))
    assert words("calls", str(first)) == "not while the program computes"
    assert re.fullmatch("by a thread of each rank; on the 1 hardware thread .* in no job, and naps"
                        ": .*", words("thread", str(first)))
    assert re.fullmatch("not while .*; under the drop-in, by a thread .*", words("auto", str(first)))
    if others:
        two = words("thread", f"{first},{others[0]}")
        assert " in a job of at most 1 rank on this machine, and naps in a larger one: " in two, two
    assert "\n  progress of non-blocking calls: " in printed()


def check_faults_of_jobs():
    """It refuses the settings that a job would refuse, and makes nothing."""
    for list_of_names, nearest in (("allredcue", "allreduce"), ("bcast, bcats", "bcast")):
        refused(f"the setting `only`: there is no collective '{list_of_names.split(', ')[-1]}'; "
                f"did you mean {nearest}?", TUTTI_ONLY=list_of_names)
    assert info(TUTTI_ONLY="Bcast, reduce_scatter_block").returncode == 0
    with tempfile.TemporaryDirectory(prefix="tutti-info-") as folder:
        file = pathlib.Path(folder, "file")
        file.write_text("")
        for path, why in ((file, "Not a directory"), (file / "in", "Not a directory"),
                          (pathlib.Path(folder, "none", "in"), "No such file or directory")):
            refused(f"the setting `trace`: cannot write {path}: {why}", TUTTI_TRACE=str(path))
        for path in (folder, f"{folder}/new", f"{folder}/new/"):
            assert info(TUTTI_TRACE=path).returncode == 0, path
        assert os.listdir(folder) == ["file"], os.listdir(folder)
    (note,) = json.loads(info("--json", TUTTI_ALGORITM="x").stdout)["notes"]
    assert note.endswith("the nearest is TUTTI_ALGORITHM"), note
    assert json.loads(info("--json").stdout)["notes"] == []


def main():
    text = printed(TUTTI_ALGORITM="bcast=chain", TUTTI_CACHE="/tmp", TUTTI_EAGER_LIMIT="32768")
    names = [s["name"] for s in json.loads(info("--json").stdout)["settings_documentation"]]
    assert len(names) > 20 and all(f"\n  {name} " in text for name in names), text
    assert "\n  eager_limit                 32 KiB " in text, text
    assert json.loads(info("--json", TUTTI_EAGER_LIMIT="32k").stdout)["settings"]["eager_limit"] \
        == "32768"
    assert text.count("  note: ") == 1, text
    assert " ".join(text[text.index("  note: "):].split()) \
        == "note: the environment variable TUTTI_ALGORITM names no setting and is ignored; the " \
           "nearest is TUTTI_ALGORITHM", text
    assert "`tutti info`" not in text, text
    # Not of the limit alone: whether it is enough, and for what.
    verdict = json.loads(info("--json").stdout)["memlock_verdict"]
    assert re.search("enough|too little|does not matter", verdict), verdict
    assert "RLIMIT_MEMLOCK: " + verdict in " ".join(text.split()), text
    choices = ";".join(f"{name}=hierarchical(within=binomial(k=3),across={across})"
                       for name, across in (("bcast", "binomial(k=2)"), ("reduce", "binomial(k=2)"),
                                            ("allgather", "bruck(k=2)"), ("allreduce", "ring")))
    assert len(choices) > 200
    devices = ",".join(f"mlx5_{i}" for i in range(100))
    text = printed(TUTTI_ALGORITHM=choices, TUTTI_NODE="n" * 500, TUTTI_DEVICE=devices,
                   **{"TUTTI_" + "X" * 300: ""})
    assert choices in "".join(text.split()), text
    assert "`tutti info`" not in printed(TUTTI_DEVICE="nonesuch")
    refused("takes a size", TUTTI_EAGER_LIMIT="32 KiP")
    check_progress()
    check_faults_of_jobs()
    check_report()
    print(f"{len(names)} settings are shown")


main()
