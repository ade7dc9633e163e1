#!/usr/bin/env python3
"""The setting `trace` records the steps that a job ran, and `tutti draw --trace` draws them.

Usage: trace_test.py BUILD RANKS
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
from harness.svg import SVG, checked, size_of  # noqa: E402

BUILD = Build(sys.argv[1])
RANKS = int(sys.argv[2])
PROGRAM = str(BUILD.program("tutti"))
ALGORITHM = "allreduce=halving-doubling;bcast=binomial;barrier=dissemination"


def job(trace, collective="bcast", status=0):
    command = BUILD.mpiexec(RANKS, PROGRAM, "bench", "--collective", collective,
                            "--sizes", "4k", "--time-limit", "0.01", "--no-mpi")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | BUILD.job_environment() | {
                              "TUTTI_TRACE": str(trace), "TUTTI_TRACE_CALLS": "50",
                              "TUTTI_ALGORITHM": ALGORITHM})
    assert (done.returncode == 0) == (status == 0), done
    return done


def draw(*words, status=0):
    done = subprocess.run([PROGRAM, "draw", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, done
    return done.stderr if status else done.stdout


def calls_of(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["tutti_trace"] == 1 and lines[-1] == {"calls": len(lines) - 2}, path
    return lines[1:-1]


def recorded(trace):
    """All ranks record the same calls, and each send has its receive."""
    ranks = [calls_of(trace / f"rank-{rank}.jsonl") for rank in range(RANKS)]
    first = {(call["communicator"], call["number"]) for call in ranks[0]}
    per_collective = collections.Counter(call["collective"] for call in ranks[0])
    assert max(per_collective.values()) == 50, per_collective
    assert min(number for _, number in first) == 1, first
    for rank, calls in enumerate(ranks):
        assert {(call["communicator"], call["number"]) for call in calls} == first, rank
    messages = {}
    for rank, calls in enumerate(ranks):
        for call in calls:
            assert call["rank"] == rank and call["ranks"] == RANKS and call["steps"], call
            for kind, peer, size, ordinal, begin, end in call["steps"]:
                assert call["begin"] <= begin <= end <= call["end"], call
                if kind == "send":
                    name = (call["number"], rank, peer, ordinal)
                    messages.setdefault(name, []).append((size, begin))
                elif kind.startswith("recv"):
                    name = (call["number"], peer, rank, ordinal)
                    messages.setdefault(name, []).append((size, end))
    for name, ends in messages.items():
        assert len(ends) == 2 and ends[0][0] == ends[1][0], (name, ends)
    return ranks


def spans_of(ranks):
    """The first begin and the last end of each call: the ranks have one clock."""
    spans = {}
    for call in (call for calls in ranks for call in calls):
        begin, end = spans.get((call["communicator"], call["number"]), (call["begin"], call["end"]))
        spans[call["communicator"], call["number"]] = (min(begin, call["begin"]),
                                                       max(end, call["end"]))
    return spans


def median(trace, ranks, collective):
    """By default the call of the median time is drawn, as its picture says."""
    spans, kinds = spans_of(ranks), collections.defaultdict(list)
    for call in ranks[0]:
        if call["collective"] == collective:
            begin, end = spans[call["communicator"], call["number"]]
            kinds[call["algorithm"], call["bytes"], call["root"]].append(
                (end - begin, call["number"]))
    calls = sorted(max(kinds.values(), key=len))
    found = re.search(r"recorded: call (\d+), the median of (\d+) such calls \(",
                      draw(collective, "--trace", trace))
    time = calls[(len(calls) - 1) // 2][0]
    assert (time, int(found.group(1))) in calls and int(found.group(2)) == len(calls), calls
    last = draw(collective, "--trace", trace, "--call", calls[-1][1])
    assert f"recorded: call {calls[-1][1]}, on 1 node" in last, last[:500]


def stretched(trace, ranks, folder, lasting):
    """A copy in which each call takes so many ns."""
    folder.mkdir()
    spans = spans_of(ranks)

    def moved(call, time):
        begin, end = spans[call["communicator"], call["number"]]
        return begin + (time - begin) * lasting // (end - begin)
    for rank, calls in enumerate(ranks):
        path = trace / f"rank-{rank}.jsonl"
        lines = path.read_text().splitlines()
        lines[1:-1] = [json.dumps(call | {
            "begin": moved(call, call["begin"]), "end": moved(call, call["end"]),
            "steps": [[*step[:4], *(moved(call, time) for time in step[4:])]
                      for step in call["steps"]]}) for call in calls]
        (folder / path.name).write_text("\n".join(lines) + "\n")
    return folder


def scales(trace, ranks, folder):
    """Beside one that takes much longer a call has an axis of its own, and fills the picture."""
    for lasting, apart in ((1_000, True), (150_000, False), (50_000_000, True)):
        copy = stretched(trace, ranks, folder / f"lasting-{lasting}", lasting)
        root, texts = checked(draw("bcast", "--trace", copy, "--params", "boba"))
        said = " ".join(texts)
        assert ("below it, with an axis of its own" in said) == apart, said
        assert ("below it, paler: the same schedules" in said) != apart, said
        ends = [float(line.get("x1")) for line in root.iter(SVG + "line")
                if line.get("stroke") == "#444"]
        assert len(ends) == 2 and (min(ends) > 0.9 * size_of(root)[0]) == apart, ends


def drawn(trace, collective):
    for words in [[], ["--params", "boba"]]:
        picture = draw(collective, "--trace", trace, *words)
        _, texts = checked(picture)
        assert "in the call" in texts and picture.count(": in the call, ") == RANKS, texts
        assert "recorded: call" in picture and "1 node" in picture, picture[:500]
        assert bool(words) == ("below it, " in picture), picture[:500]
    assert json.loads(draw(collective, "--trace", trace, "--format", "chrome")), "trace events"


def in_place(trace):
    """A call whose data lie in place is simulated, too."""
    command = BUILD.mpiexec(RANKS, BUILD.program("examples/fft_tutti"), 32)
    subprocess.run([str(word) for word in command], check=True, capture_output=True,
                   env=os.environ | BUILD.job_environment() | {"TUTTI_TRACE": str(trace)})
    assert "the same schedules" in draw("allreduce", "--trace", trace, "--params", "boba")


def refused(trace):
    def says(words, *arguments):
        said = draw(*arguments, status=2)
        assert words in said, said

    says("no scan was recorded", "scan", "--trace", trace)
    says("no bcast has the number 99999", "bcast", "--trace", trace, "--call", "99999")
    says("drawn as a chart only", "bcast", "--trace", trace, "--kind", "tree")
    says("cannot read", "bcast", "--trace", trace / "none")
    last = trace / f"rank-{RANKS - 1}.jsonl"
    whole = last.read_text()
    last.write_text(whole[:-30])
    says(f"{last}: line ", "bcast", "--trace", trace)
    says("cut off", "bcast", "--trace", trace)
    last.write_text(whole.replace('"ranks"', '"rinks"', 1))
    says("line 1: there is no 'ranks'", "bcast", "--trace", trace)
    last.write_text((trace / "rank-0.jsonl").read_text())
    says("is it of another job?", "bcast", "--trace", trace)
    last.unlink()
    says("cannot read", "bcast", "--trace", trace)


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-trace-") as name:
        folder = pathlib.Path(name)
        for collective in ["barrier", "allreduce", "bcast"]:
            job(folder / collective, collective)
            ranks = recorded(folder / collective)
            drawn(folder / collective, collective)
            median(folder / collective, ranks, collective)
        scales(folder / collective, ranks, folder)
        in_place(folder / "in-place")
        refused(folder / "bcast")
        (folder / "file").touch()
        said = job(folder / "file", status=1).stderr
        assert "the setting `trace`: " in said and "cannot write" in said, said
        (folder / "pipe").mkdir()
        os.mkfifo(folder / "pipe" / "rank-0.jsonl")
        said = job(folder / "pipe", status=1).stderr
        assert "rank-0.jsonl: nobody reads this pipe" in said, said
    print(f"{len(ranks[0])} calls recorded and drawn")


main()
