#!/usr/bin/env python3
"""tutti draw: pictures are SVG with everything in them, labels do not meet, exports are what other
programs read, and what cannot be drawn is refused with a reason.

Usage: draw_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.svg import SVG, checked, size_of  # noqa: E402

PROGRAM = sys.argv[1]
ROUNDS = ["--kind", "rounds"]
BRUCK = ["allgather", "--algorithm", "bruck"]
BOBA = ["--params", "boba"]
# Nothing has been measured here.
os.environ["XDG_CONFIG_HOME"] = "/none"


def draw(*arguments):
    return subprocess.run([PROGRAM, "draw", *map(str, arguments)], capture_output=True, text=True)


def drawn(*arguments):
    done = draw(*arguments)
    assert done.returncode == 0 and not done.stderr, (arguments, done.stderr)
    return done.stdout


def refused(words, *arguments, status=2):
    done = draw(*arguments)
    assert done.returncode == status and words in done.stderr + done.stdout, (arguments, done)


def svg(*arguments):
    return checked(drawn(*arguments), arguments)


def check_charts():
    for P in (1, 4, 16, 64):
        root, texts = svg(*BRUCK, *BOBA, "-P", P, "-m", "1k")
        assert {str(rank) for rank in range(P)} <= texts
        tips = [title.text for title in root.iter(SVG + "title")]
        rounds = max(0, (P - 1).bit_length())
        for kind in ("send to", "receive from"):
            assert sum(kind in tip for tip in tips) == P * rounds, (P, kind)
        if P > 1:
            assert {"send", "receive", "message", "critical path"} <= texts
            assert texts & {"time, µs", "time, ms"}
            assert "139.4 µs" in texts or P != 4, texts
    for P in (8, 11, 16, 64):  # of equal bars all are labelled, or none
        root, _ = svg("allgather", "--algorithm", "ring", "-P", P, "--params", "boba")
        bars = [rect for rect in root.iter(SVG + "rect") if rect.find(SVG + "title") is not None]
        labels = [text for text in root.iter(SVG + "text") if text.get("fill") == "white"]
        assert len(labels) == (len(bars) if P < 64 else 0), (P, len(labels), len(bars))
    for arguments in (["allreduce", "--algorithm", "hierarchical", "--ppn", 4, "--params",
                       "metropolis", "-P", 16, "-m", "64k", "--copy-per-byte", 0.0001],
                      ["alltoall", "--algorithm", "pairwise", "--params", "bunyip", "-P", 16],
                      ["bcast", "--algorithm", "chain(segment=1k)", "-P", 9, "-m", "8k"]):
        svg(*arguments)


def check_rounds_and_trees():
    for P in (2, 4, 16, 64):
        root, texts = svg("barrier", "--algorithm", "dissemination", "-P", P, "--kind", "rounds")
        rounds = (P - 1).bit_length()
        assert f"round {rounds}" in texts and f"round {rounds + 1}" not in texts
        assert f"{P} signals" in texts
        lines = [line for line in root.iter(SVG + "line") if line.find(SVG + "title") is not None]
        assert len(lines) == P * rounds
        for collective, algorithm in (("bcast", "binomial"), ("gather", "binomial(k=3)"),
                                      ("reduce", "chain"), ("scatter", "linear")):
            root, texts = svg(collective, "--algorithm", algorithm, "-P", P, "--kind", "tree")
            assert len(list(root.iter(SVG + "circle"))) == P
            assert len(list(root.iter(SVG + "path"))) == P - 1
    # The name is longer than the tree is wide, and has no blank at which a line could end.
    _, texts = svg("bcast", "--algorithm", "hierarchical(within=binomial,across=k-chain(k=3))",
                   "-P", 16, "--ppn", 4, "--kind", "tree")
    assert any(text.startswith("bcast hierarchical(within=") for text in texts), texts
    refused("form no tree", "bcast", "--algorithm", "splitted-binary",
            "-P", 8, "-m", "1k", "--kind", "tree")
    refused("trees are drawn of", *BRUCK, "--kind", "tree")
    refused("at most 128", "bcast", "--algorithm", "chain", "-P", 200, *ROUNDS)


def segments_of(path):
    """The straight lines of a path of M, H and V: left, top, right, bottom."""
    x = y = 0
    for command, numbers in re.findall(r"([MHV])([\d.,]+)", path):
        before = x, y
        if command == "M":
            x, y = map(float, numbers.split(","))
            continue
        x, y = (float(numbers), y) if command == "H" else (x, float(numbers))
        yield min(before[0], x), min(before[1], y), max(before[0], x), max(before[1], y)


def check_trees():
    """No line goes through a number, chains go to and fro, and trees fill their sheet."""
    for arguments in (["bcast", "--algorithm", "binomial"], ["gather", "--algorithm", "linear"],
                      ["scatter", "--algorithm", "binomial(k=3)"],
                      ["bcast", "--algorithm", "k-chain(k=3)"], ["reduce", "--algorithm", "chain"]):
        for P in (2, 5, 16, 64):
            root, _ = svg(*arguments, "-P", P, "--kind", "tree")
            numbers = [text for text in root.iter(SVG + "text") if text.get("fill") == "#c2611f"]
            drawn_lines = [line for path in root.iter(SVG + "path")
                           for line in segments_of(path.get("d"))]
            for text in numbers:
                left, bottom = float(text.get("x")), float(text.get("y"))
                right, top = left + 5.5 * len(text.text), bottom - 7
                for line in drawn_lines:
                    assert line[2] < left or line[0] > right or line[3] < top or line[1] > bottom, (
                        arguments, P, text.text, line)
            width, height = size_of(root)
            places = [float(circle.get("cx")) for circle in root.iter(SVG + "circle")]
            assert height < 1.5 * width, (arguments, P, width, height)
            assert P < 16 or max(places) - min(places) > width / 2, (arguments, P, width)


def check_combs():
    """Leaders of nodes stand below each other, and their chains beside them: no half of the sheet
    is empty."""
    for collective in "bcast", "reduce":
        for P, ppn in ((32, 4), (64, 8), (128, 16)):
            root, _ = svg(collective, "--algorithm", "hierarchical(within=chain,across=chain)",
                          "-P", P, "--ppn", ppn, "--kind", "tree")
            width, height = size_of(root)
            at = [(float(circle.get("cx")), float(circle.get("cy")))
                  for circle in root.iter(SVG + "circle")]
            ranks = at[-P:]  # behind those of the legend
            assert len({place for place in ranks}) == P, ranks
            columns = sorted({x for x, _ in ranks})
            assert len(columns) <= 17 and height < 1.6 * width, (P, ppn, width, height)
            rows = {}
            for x, y in ranks:
                rows.setdefault(y, []).append(x)
            for places in rows.values():  # each row is as long as the others
                assert len(places) == ppn, (P, ppn, rows)


def check_tips():
    """An edge drawn from side to side has the tip of an arrow: from parents, or towards them."""
    tip = re.compile(r"M[\d.]+,[\d.]+ H([\d.]+) M([\d.]+),[\d.]+ L([\d.]+),")
    for collective, to_child in (("bcast", True), ("reduce", False)):
        root, texts = svg(collective, "--algorithm", "chain", "-P", 7, "--kind", "tree")
        tips = [tip.match(path.get("d")) for path in root.iter(SVG + "path")]
        assert any(tips) and any("in a chain along its arrows" in text for text in texts), texts
        for child, behind, point in (map(float, one.groups()) for one in tips if one):
            assert (abs(child - point) < abs(child - behind)) == to_child, (child, behind, point)
    _, texts = svg("bcast", "--algorithm", "binomial", "-P", 7, "--kind", "tree")
    assert not any("arrows" in text for text in texts), texts


def check_nodes():
    """Wherever several ranks share a node, the picture shows which, and says how many."""
    words = ["allreduce", "--algorithm", "hierarchical", "-m", "64k", "--params", "metropolis"]
    for kind in ("chart", "rounds"):
        for P, title in ((16, "allreduce hierarchical, 16 ranks, 4 a node, 64 KiB"),
                         (10, "allreduce hierarchical, 10 ranks, up to 4 a node, 64 KiB")):
            _, texts = svg(*words, "-P", P, "--ppn", 4, "--kind", kind)
            assert title in texts, (kind, texts)
            nodes = {text for text in texts if text.startswith("node ")}
            assert nodes == {f"node {node}" for node in range(-(-P // 4))}, (kind, nodes)
    binomial = ["bcast", "--algorithm", "binomial", "-P", 8, "--params", "boba"]
    for kind in ("chart", "rounds", "tree"):
        root, texts = svg(*binomial, "--ppn", 2, "--kind", kind)
        assert {"bcast binomial(k=1), 8 ranks, 2 a node, 8 B", "node 0", "node 3"} <= texts, texts
        for ppn, words in ((1, ""), (8, " on one node")):
            _, texts = svg(*binomial, "--ppn", ppn, "--kind", kind)
            assert f"bcast binomial(k=1), 8 ranks{words}, 8 B" in texts, texts
            assert "node 0" not in texts
    root, _ = svg(*binomial, "--ppn", 2, "--kind", "tree")
    assert len({circle.get("fill") for circle in root.iter(SVG + "circle")}) == 4
    assert sum("stroke-width" in path.attrib for path in root.iter(SVG + "path")) > 0


def check_conditions():
    """The picture names all that the simulation was told."""
    binary = ["bcast", "--algorithm", "binary", "-m", "64k", "--params", "boba"]
    for words, said in ((["--noise", 0.25], ", noise 0.25, seed 1"),
                        (["--late", 20, "--seed", 7], ", up to 20 µs late, seed 7"),
                        (["--eager", "4k"], ", eager up to 4 KiB"),
                        (["--eager", "8k", "--noise", 1, "--late", 3],
                         ", noise 1, up to 3 µs late, seed 1, eager up to 8 KiB")):
        _, texts = svg(*binary, *words)
        assert "bcast binary, 8 ranks, 64 KiB" + said in texts, (words, texts)
        chrome = json.loads(drawn(*binary, *words, "--format", "chrome"))
        assert chrome["otherData"]["title"].endswith(said), chrome["otherData"]
    for P, shared in ((2 * os.cpu_count(), True), (1, False)):
        _, texts = svg("bcast", "-P", P)
        assert any("have a core of its own" in text for text in texts) == shared, texts
        assert not any("between nodes" in text for text in texts), texts
    _, texts = svg(*binary, "--set", "L=4.5", "--shared-ports", "--copy-per-byte", 0.001)
    assert ("simulated: loggp, boba (OCC table 5), with L=4.5, copying 0.001 µs per byte; the "
            "ranks of a node share its ports") in texts, texts


def check_default_machine(folder):
    """Without a model it is this machine: as it was measured, or else as it is shipped."""
    _, texts = svg(*BRUCK)
    assert "allgather bruck(k=1), 8 ranks on one node, 8 B a block" in texts, texts
    assert any(", shm (shipped: shared memory" in text for text in texts), texts
    _, texts = svg(*BRUCK, "--ppn", 4)
    assert any(", hardware (shipped: ConnectX-6" in text for text in texts), texts
    _, texts = svg(*BRUCK, "--set", "L=7")
    assert any("with L=7" in text for text in texts), texts
    _, texts = svg(*BRUCK, "--params", "rxe")
    assert any(", rxe (shipped: SoftRoCE" in text for text in texts), texts
    assert "allgather bruck(k=1), 8 ranks, 8 B a block" in texts, texts
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder)}
    kept = folder / "tutti/measured-shm.json"
    kept.parent.mkdir()
    shown = json.loads(subprocess.run(
        [PROGRAM, "predict", "--params", "shm", "--show-params"], check=True, capture_output=True,
        text=True).stdout)
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    machine = {"cpu": cpu.group(1).strip() if cpu else "unknown", "cores": os.cpu_count()}
    for change, said, warned in (({}, "mine", ""), ({"cores": 4711}, "shm", "was measured on")):
        kept.write_text(json.dumps(shown | {"name": "mine", "machine": machine | change,
                                            "wire": {"kind": "shm"}}))
        done = subprocess.run([PROGRAM, "draw", *BRUCK], capture_output=True, text=True,
                              env=environment, check=True)
        assert f", {said} (shipped: " in done.stdout, done.stdout[:600]
        assert (warned in done.stderr) if warned else not done.stderr, done.stderr


def check_rounds():
    """Segments go one after another, and rounds that repeat stand once where they are too many."""
    _, texts = svg("bcast", "--algorithm", "chain(segment=8k)", "-P", 4, "-m", "64k", *ROUNDS)
    assert {"round 10", "1 × 8 KiB", "2 × 8 KiB", "3 × 8 KiB"} <= texts, texts
    assert "round 11" not in texts and "8 × 8 KiB" not in texts, texts
    assert "bcast chain(segment=8 KiB), 4 ranks on one node, 64 KiB" in texts, texts
    _, texts = svg("bcast", "--algorithm", "scatter-ring", "-P", 7, "-m", 1000, *ROUNDS)
    assert "7 × 142 B to 143 B" in texts and not any(": " in text for text in texts), texts
    for P, rounds in ((16, 15), (64, 63)):
        root, texts = svg("allgather", "--algorithm", "ring", "-P", P, *ROUNDS)
        assert {f"rounds 1 to {rounds}", f"each {P} × 8 B"} <= texts, texts
        assert size_of(root)[0] < 1200, size_of(root)
    root, texts = svg("bcast", "--algorithm", "chain(segment=8k)", "-P", 64, "-m", "64k", *ROUNDS)
    assert {"round", "1", "70"} <= texts and size_of(root)[0] < 2500, texts
    # Where even the numbers of rounds have no room, some have theirs, and the last one.
    root, texts = svg("allreduce", "--algorithm", "ring", "-P", 64, "-m", 8, *ROUNDS)
    assert {"1", "4", "126"} <= texts and size_of(root)[0] < 1600, size_of(root)
    numbers = [float(text.get("x")) for text in root.iter(SVG + "text")
               if text.get("text-anchor") == "middle" and text.text.isdigit()]
    numbers.sort()
    assert min(right - left for left, right in zip(numbers, numbers[1:])) > 20, numbers
    _, texts = svg("bcast", "--algorithm", "chain(segment=8k)", "-P", 4, "-m", "1M", *ROUNDS)
    assert {"round 2", "rounds 3 to 128", "round 129", "each 3 × 8 KiB"} <= texts, texts
    for P in (1, 2):
        svg("allgather", "--algorithm", "ring", "-P", P, *ROUNDS)


def check_warnings():
    """Each once, and in the name of the program, though several parts read the settings."""
    done = subprocess.run([PROGRAM, "draw", "bcast", "-P", "2"], capture_output=True, text=True,
                          env=os.environ | {"TUTTI_ALGORITM": "x"}, check=True)
    assert done.stderr.count("TUTTI_ALGORITM") == 1, done.stderr
    assert done.stderr.startswith("tutti: warning: "), done.stderr


def check_default_algorithm():
    """Where none is named it is the one that `tutti explain` says would run."""
    for where in ([], ["--ppn", 4], ["--ppn", 4, "--mapping", "in-turn"], [*BOBA, "--ppn", 2]):
        call = ["allreduce", "-P", "16", "-m", "64k", *map(str, where)]
        said = subprocess.run([PROGRAM, "explain", *call, "--json"], capture_output=True,
                              text=True, check=True)
        algorithm = json.loads(said.stdout)["algorithm"]
        assert drawn(*call) == drawn(*call, "--algorithm", algorithm), (call, algorithm)


def check_goal():
    """Sends and receives pair off, and every operation that is named exists."""
    text = drawn("allreduce", "--algorithm", "ring", "-P", 5, "-m", 4000, "--format", "goal",
                 "--reduce-per-byte", 0.001)
    assert "num_ranks 5" in text and re.search(r": calc 800\b", text)
    ends = []
    for rank, body in re.findall(r"rank (\d+) {\n(.*?)\n}", text, re.S):
        names = set(re.findall(r"^(\w+):", body, re.M))
        for first, second in re.findall(r"^(\w+) requires (\w+)$", body, re.M):
            assert first in names and second in names and first != second, (first, second)
        for kind, size, peer, tag in re.findall(r"(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)",
                                                body):
            ends.append((kind, rank, peer, size, tag) if kind == "send"
                        else (kind, peer, rank, size, tag))
    sends = sorted(end[1:] for end in ends if end[0] == "send")
    assert sends == sorted(end[1:] for end in ends if end[0] == "recv") and len(sends) == 40


def check_chrome_and_dot():
    events = json.loads(drawn(*BRUCK, "-P", 8, "--format", "chrome"))["traceEvents"]
    phases = [event["ph"] for event in events]
    assert phases.count("s") == phases.count("f") == 24 and phases.count("M") == 8
    assert {event["tid"] for event in events} == set(range(8))
    tree = drawn("bcast", "--algorithm", "binomial", "-P", 8, "--kind", "tree", "--format", "dot")
    assert tree.startswith("digraph") and tree.count(" -> ") == 7
    steps = drawn(*BRUCK, "-P", 4, "--format", "dot")
    assert steps.count('color="#d1245b"') == 8 and steps.count("subgraph cluster") == 4


def check_refusals():
    refused("no collective 'bogus'", "bogus", "--algorithm", "ring")
    refused("name one algorithm", "allgather", "--model", "loggp")
    refused("bogus", "allgather", "--algorithm", "bogus")
    refused("there is no model", *BRUCK, "--model", "loggpp")
    refused("no times of single messages, as are needed here: `tutti predict --model tau-lop`",
            "bcast", "--model", "tau-lop")
    refused("zero or more", *BRUCK, "--params", "boba", "--set", "g=-1")
    refused("is missing", *BRUCK, "--params", "boba", "--model", "loggps")
    refused("one model", *BRUCK, "--params", "boba,frodo")
    refused("is not a number of ranks", *BRUCK, "-P", 0)
    refused("at most 512 ranks", *BRUCK, "-P", 513)
    refused("one number of ranks", *BRUCK, "-P", "2-8")
    refused("is not a size", *BRUCK, "-m", "8q")
    refused("at most 40000", "alltoall", "--algorithm", "linear", "-P", 300)
    refused("no root 9", "bcast", "--algorithm", "linear", "--root", 9,
            status=1)
    refused("power of two", "allgather", "--algorithm", "bine", "-P", 6, status=1)
    refused("cannot write /no such folder/x.svg: the folder /no such folder does not exist", *BRUCK,
            "-o", "/no such folder/x.svg", status=1)
    refused("pie", *BRUCK, "--kind", "pie")
    refused("png", *BRUCK, "--format", "png")


def main():
    check_charts()
    check_rounds_and_trees()
    check_trees()
    check_combs()
    check_tips()
    check_nodes()
    check_conditions()
    check_rounds()
    with tempfile.TemporaryDirectory() as folder:
        check_default_machine(pathlib.Path(folder))
    check_warnings()
    check_default_algorithm()
    check_goal()
    check_chrome_and_dot()
    check_refusals()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.svg")
        assert drawn(*BRUCK, "-o", path) == "" and path.read_text() == drawn(*BRUCK)
    print("pictures are drawn, and what cannot be drawn is refused")


main()
