#!/usr/bin/env python3
"""tutti predict refuses what it cannot read, and says where it is wrong; it reads what it and the
bench write.

Usage: predict_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.svg import SVG, boxes, checked, lines  # noqa: E402

PROGRAM = sys.argv[1]
# Settings and kept parameters of the test's user do not count.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
CLEAN["XDG_CONFIG_HOME"] = "/none"
BARRIER = ["--collective", "barrier"]


def predict(*arguments, **settings):
    return subprocess.run([PROGRAM, "predict", *map(str, arguments)], capture_output=True,
                          text=True, env=CLEAN | settings)


def refused(words, *arguments):
    done = predict(*arguments)
    assert done.returncode != 0 and words in done.stderr, (arguments, done)


def refused_file(folder, words, text):
    path = pathlib.Path(folder, "parameters.json")
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    refused(words, "--params", path, *BARRIER)


def rows(*arguments):
    done = predict(*arguments, "--json")
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def bench_file(folder, **changes):
    row = {"collective": "barrier", "bytes": 0, "algorithm": "dissemination(k=1)",
           "digest": rows("--params", "boba", *BARRIER, "-P", 4, "--algorithm",
                          "dissemination")[0]["digest"],
           "tutti": {"median_us": 186.8}}
    path = pathlib.Path(folder, "bench.json")
    path.write_text(json.dumps({"ranks": 4, "nodes": 4, "rows": [row | changes]}))
    return path


def check_curves(path):
    """A panel for each collective and number of ranks, a curve for each that differs."""
    done = predict("--params", "boba", "--collective", "bcast,barrier", "-P", "4,8", "-m", "8-512",
                   "--svg", path)
    assert done.returncode == 0, done
    root, texts = checked(path.read_text())
    for title in ("bcast, 4 ranks", "bcast, 8 ranks", "barrier, 4 ranks", "8 B", "512 B", "size",
                  "loggp, boba (OCC table 5)", "chain, k-chain(k=1), k-ary(k=1)"):
        assert title in texts, (title, texts)
    bars = [one.find(SVG + "title").text for one in root.iter(SVG + "rect")
            if one.find(SVG + "title") is not None]
    assert "dissemination(k=1), recursive-doubling: 140.1 µs" in bars, bars  # as the formula has it
    assert set(bars) <= texts and all(re.search(r": [\d.]+ [mµ]?s$", bar) for bar in bars), bars
    assert "no bytes" in texts and "0 B" not in texts, texts  # of the barriers
    sizes = "8,16,32,64,1k,2k,4k,8k,16k,32k,64k,576k,1M"
    assert predict("--params", "boba", "--collective", "bcast", "-m", sizes, "--svg",
                   path).returncode == 0
    root, texts = checked(path.read_text())
    assert {"2 KiB", "16 KiB", "64 KiB", "576 KiB"} <= texts, texts
    ticks = {x for x, top, _, bottom in lines(root) if abs(bottom - top - 4) < 0.01}
    labels = [((left + right) / 2, text) for left, _, right, _, text in boxes(root)]
    for tick in ticks:
        assert any(abs(x - tick) < 0.1 for x, _ in labels), (tick, labels)
    assert len(ticks) == sizes.count(",") + 1, ticks
    sizes = ",".join(str(2**i) for i in range(23))  # which need three rows of labels
    assert predict("--params", "boba", "--collective", "bcast", "-m", sizes, "--svg",
                   path).returncode == 0
    _, texts = checked(path.read_text())
    assert len({text for text in texts if re.fullmatch(r"\d+ (B|KiB|MiB)", text)}) == 23, texts
    assert predict("--params", "boba", *BARRIER, "-P", "2-16", "--svg", path).returncode == 0
    assert ">ranks<" in path.read_text()
    refused("curves need several", "--params", "boba", *BARRIER, "--svg", path)
    refused("cannot write /no folder/x: the folder /no folder does not exist", "--params", "boba",
            *BARRIER, "-P", "2-16", "--svg", "/no folder/x")


def check_this_machine():
    """Without a model it is the machine of a job that would start here, and all ranks are on it."""
    bcast = ["--collective", "bcast", "--algorithm", "binomial"]
    done = predict(*bcast, "-P", 4)
    assert ("Parameters of this machine: shm, Tutti's own for shm: none are in "
            "/none/tutti/measured-shm.json\n" in done.stdout), done
    assert [row["parameters"] for row in rows(*bcast, "-P", "2-8", "--ppn", 2)] == [
        "shm", "hardware", "hardware"]
    assert rows(*bcast)[0]["messages_between_nodes"] == 0
    cores = f"This machine has {os.cpu_count()} core"  # of all those the test may run on
    for ranks, shared in ((2 * os.cpu_count(), True), (1, False)):
        assert (cores in predict(*bcast, "-P", ranks).stdout) == shared, ranks
    for name, costly in (("rxe", True), ("hardware", False)):
        said = predict(*bcast, "--params", name).stdout
        assert ("Packets are taken to need no core" in said) == costly, said
    done = predict(*bcast, "--set", "within.L=1", "--ppn", 2, TUTTI_MODEL="hardware")
    assert "machine: hardware, Tutti's own: the setting `model` names them\n" in done.stdout, done
    done = predict(*bcast, "--ppn", 2, TUTTI_WIRE="software")
    assert "machine: rxe, Tutti's own for rxe: " in done.stdout, done
    shown = predict("--show-params", "--ppn", 2)
    assert json.loads(shown.stdout)["name"] == "hardware", shown
    assert "TUTTI_MODLE" in predict(*bcast, TUTTI_MODLE="shm").stderr
    tuned = subprocess.run([PROGRAM, "tune", "--method", "predicted", "--collective", "bcast", "-m",
                            "8", "-P", "2,8", "--ppn", "2"], capture_output=True, text=True,
                           env=CLEAN)
    assert tuned.returncode == 0 and "binomial(k=1)" in tuned.stdout, tuned
    for line in ("this machine, one node: shm, Tutti's own for shm: none are in ",
                 "this machine, several nodes: hardware, Tutti's own for hardware: none are in "):
        assert line in tuned.stderr, tuned


def check_tau_lop(path):
    """Expressions without parameters, times with them."""
    bcast = ["--model", "tau-lop", "--collective", "bcast", "--algorithm", "tau-binomial", "-P",
             "16", "--ppn", "4", "-m", "1000"]
    done = predict(*bcast, "--symbolic")
    assert done.returncode == 0, done
    assert "2o⁰ + 2o¹ + 6L⁰(m,1) + 2L⁰(m,2) + 2L¹(m,1)" in done.stdout, done
    refused("no paper prints parameters", *bcast)
    refused("only --model tau-lop", "--model", "loggp", *BARRIER, "--symbolic")
    refused("by itself", "--model", "tau-lop,loggp", *BARRIER, "--symbolic")
    refused("--segment '0'", *bcast, "--symbolic", "--segment", "0")
    refused("none of --set", *bcast, "--symbolic", "--set", "L=1")
    for name in ("boba", "shm"):
        refused(f"--params: {name} has no parameters of tau-lop, and no paper prints any; `tutti "
                "measure --model tau-lop --save=FILE` writes", *bcast, "--params", name)
    refused("cannot read bobba: No such file or directory; no paper prints parameters of tau-lop",
            *bcast, "--params", "bobba")
    level = {"overhead": 1, "transfer": {"1": [[0, 0], [1000, 10]], "2": [[0, 0], [1000, 15]]}}
    parameters = {"format": 1, "model": "tau-lop", "within": level, "between": level}
    path.write_text(json.dumps(parameters))
    (row,) = json.loads(predict(*bcast, "--params", path, "--json").stdout)
    assert abs(row["time_us"] - (4 + 60 + 30 + 20)) < 1e-6 and row["stages"] == 4, row
    assert predict(*bcast[2:], "--params", path, "--json").returncode == 0  # the file names it
    shown = predict("--params", path, "--compare", bench_file(path.parent))
    assert shown.returncode == 0 and "mu 93.40" in shown.stdout, shown  # two stages of an overhead
    path.write_text(json.dumps(parameters | {"between": {"overhead": 1}}))
    refused("between.transfer: is missing", *bcast, "--params", path)


def check_calls(folder):
    """Many broadcasts take a gap each, one takes o + L + o; the bench made as many as it says."""
    bcast = ["--params", "boba", "--collective", "bcast", "--algorithm", "linear", "-P", 2]
    (one,), (many,) = rows(*bcast), rows(*bcast, "--calls", 1001)
    assert abs(one["time_us"] - (30.4 + 2 * 8.15 + 7 * 0.015)) < 1e-9, one
    assert 8.6 < many["time_us"] < 8.85, many
    measured = {"collective": "bcast", "bytes": 8, "algorithm": "linear", "digest": "",
                "tutti": {"median_us": 12, "calls": 20000}}
    shown = predict("--params", "boba", "--compare", bench_file(folder, **measured))
    alone = predict("--params", "boba", "--compare", bench_file(folder, **measured), "--calls", 1)
    assert shown.returncode == 0 and shown.stdout != alone.stdout, (shown, alone)


def check_conversion():
    """OCC's parameters are LogGP's; by TAU table 7.1 they are PLogP's, and a line is Hockney's."""
    one = ["--collective", "bcast", "--algorithm", "binomial", "-P", 8, "-m", "1,1M"]
    for model in ("loggp", "plogp", "hockney"):
        times = [row["time_us"] for row in rows("--params", "boba", "--model", model, *one)]
        assert abs(times[0] - 3 * (30.4 + 2 * 8.15)) < 1e-6, (model, times)
        assert 47000 < times[1] < 47500, (model, times)
    (row,) = rows("--model", "hockney", "--set", "alpha=50,beta=0.01", *one[:-1], 1000)
    assert abs(row["time_us"] - 3 * 60) < 1e-9, row
    refused("parameters.beta: is missing", "--model", "hockney", "--set", "alpha=50", *BARRIER)


def check_decimals():
    """No option of any command takes NaN, an infinity, or less than its bounds allow."""
    barrier = ["--params", "boba", *BARRIER]
    commands = {"predict": ("--noise", "--late", "--reduce-per-byte", "--copy-per-byte"),
                "draw": ("--noise", "--late", "--reduce-per-byte", "--copy-per-byte"),
                "tune": ("--time-limit", "--margin"), "measure": ("--time-limit",),
                "bench": ("--time-limit",)}
    for command, options in commands.items():
        for option in options:
            for value in ("nan", "-nan", "inf", "-inf", "1e999", "-1", "x"):
                given = {"predict": barrier, "draw": ["barrier"]}.get(command, [])
                done = subprocess.run([PROGRAM, command, *given, f"{option}={value}"],
                                      capture_output=True, text=True)
                assert done.returncode == 2 and option in done.stderr, (command, option, done)
    for value in ("nan", "inf", "-inf", "NaN", "1e999", "", "1x", "0x10"):
        refused("write NAME=NUMBER", "--params", "boba", "--set", f"L={value}", *BARRIER)


def check_settings():
    """Options of the simulator change its time as they should; a seed replays."""
    def time(collective, *arguments):
        (row,) = rows("--params", "boba", "--collective", collective, "-P", 8, "-m", 4096,
                      *arguments)
        return row["time_us"]

    bcast = ["bcast", "--algorithm", "binomial"]
    for option, value in (("--noise", 0.5), ("--late", 100)):
        first, again, other = (time(*bcast, option, value, "--seed", seed) for seed in (1, 1, 2))
        assert first == again != other and min(first, other) > time(*bcast), (option, first, other)
    assert time(*bcast, "--eager", 1024) > time(*bcast) == time(*bcast, "--eager", "4k")
    combined, copied = ["allreduce", "--algorithm", "chain"], ["allgather", "--algorithm", "bruck"]
    for option, call in (("--reduce-per-byte", combined), ("--copy-per-byte", copied)):
        assert time(*call, option, 1) > time(*call, option, 0), option
    across = ["alltoall", "--algorithm", "linear", "--ppn", 4]
    assert time(*across, "--shared-ports") > time(*across)
    assert time(*across, "--shared-ports", "--adapters", 4) < time(*across, "--shared-ports")
    assert time(*bcast, "--congestion", 2) > time(*bcast) == time(*bcast, "--congestion", 1)
    linear = ["bcast", "--algorithm", "linear", "--set"]
    assert time(*linear, "gap_by_destinations=2") > time(*linear, "gap_by_destinations=1")
    assert time(*linear, "gap_by_destinations=1") == time(*linear[:-1])
    # The papers' formulas know of no such gap.
    gap = ["--params", "boba", "--collective", *linear, "gap_by_destinations=2"]
    (form,) = rows(*gap)[0]["closed_forms"]
    (plain,) = rows(*gap[:-2])[0]["closed_forms"]
    assert plain["claim"] == "agrees" and not plain["not_so_here"], plain
    assert form["claim"] == "differs" and form["not_so_here"], form


def check_mapping(folder):
    """Ranks in turn on nodes, blocks of them, and as a file says."""
    path = pathlib.Path(folder, "map")
    ring = ["--params", "metropolis", "--collective", "allgather", "--algorithm", "ring", "-P", 8,
            "-m", 100, "--details"]

    def counts(*arguments):
        (row,) = rows(*ring, *arguments)
        assert max(row["finished_us"]) == row["time_us"] and len(row["finished_us"]) == 8, row
        assert sum(node["sent"]["bytes"] for node in row["nodes"]) == row["bytes_between_nodes"]
        assert (sum(link["messages"] for link in row["links"])
                == sum(node["received"]["messages"] for node in row["nodes"])
                == row["messages_between_nodes"]), row
        return row["messages_within_nodes"], row["messages_between_nodes"], row["node_of_rank"]

    blocks = (42, 14, [0] * 4 + [1] * 4)
    assert counts("--ppn", 4) == counts("--ppn", 4, "--mapping", "blocks") == blocks
    assert counts("--ppn", 4, "--mapping", "in-turn") == (0, 56, [0, 1] * 4)
    shuffled = {seed: counts("--ppn", 4, "--mapping", f"shuffled:{seed}") for seed in range(9)}
    assert counts("--ppn", 4, "--mapping", "shuffled") == shuffled[1] != shuffled[2], shuffled
    assert all(sorted(node) == [0] * 4 + [1] * 4 for _, _, node in shuffled.values()), shuffled
    refused("the seed is a number from 0 on", *ring, "--ppn", 4, "--mapping", "shuffled:x")
    path.write_text("# two nodes\n0-3\n\n4, 5 6-7\n")
    assert counts("--mapping", path) == blocks
    path.write_text("0 2-4\n1 5,6,7\n")
    assert counts("--mapping", path) == (28, 28, [0, 1, 0, 0, 0, 1, 1, 1])
    done = predict(*ring, "--mapping", path)
    assert re.search(r"^ +7 +1 +[0-9.]+$", done.stdout, re.M), done.stdout
    assert re.search(r"^ +1 +0 +14 +1400$", done.stdout, re.M), done.stdout
    for text, words in (("0-3\n4-7 2\n", "line 2: rank 2 is named in line 1 already"),
                        ("0-3\n4-6\n", "rank 7 is on no node"),
                        ("0-3\n4-8\n", "line 2: there is no rank 8 among 8 ranks"),
                        ("0-3\n4-x\n", "line 2: '4-x' is neither a rank"),
                        ("3-0\n4-7\n", "line 1: '3-0' is neither a rank"),
                        ("-1\n", "line 1: '-1' is neither a rank"), ("", "rank 0 is on no node")):
        path.write_text(text)
        refused(f"--mapping {path}: {words}", *ring, "--mapping", path)
    refused("--mapping in-turns: cannot read", *ring, "--mapping", "in-turns")
    path.write_text("0-3\n4-7\n")
    drawn = subprocess.run([PROGRAM, "draw", "bcast", "--algorithm", "binomial", "-P", "8",
                            "--params", "metropolis", "--mapping", path], capture_output=True,
                           text=True)
    assert drawn.returncode == 0 and "4 a node" in drawn.stdout, drawn
    tune = [PROGRAM, "tune", "--method", "predicted", "--params", "metropolis", "-P", "8",
            "--collective", "allgather", "-m", "8", "--json"]
    for mapping in (path, "in-turn", "shuffled:7"):
        tuned = subprocess.run([*tune, "--ppn", "4", "--mapping", mapping], capture_output=True,
                               text=True)
        assert tuned.returncode == 0 and json.loads(tuned.stdout), tuned
    path.write_text("0-3\n")
    tuned = subprocess.run([*tune, "--mapping", path], capture_output=True, text=True)
    assert tuned.returncode != 0 and "no rank" not in tuned.stderr and "on no node" in tuned.stderr


def check_sockets(folder):
    """Messages between the sockets of a node: a level of its own, and counted."""
    chain = ["--params", "metropolis", "--collective", "bcast", "--algorithm", "chain", "-P", 16,
             "--ppn", 8, "-m", 100]
    refused("say nothing of messages between sockets", *chain, "--sockets", 2)
    slower = ["--set", "between_sockets.L=50"]
    (alone,), (row,) = rows(*chain), rows(*chain, "--sockets", 2, *slower, "--details")
    assert alone["messages_between_sockets"] == 0, alone
    assert row["messages_between_sockets"] == 2 and row["bytes_between_sockets"] == 200, row
    assert row["socket_of_rank"] == ([0] * 4 + [1] * 4) * 2, row
    assert row["messages_within_nodes"] == alone["messages_within_nodes"] == 14, row
    assert abs(row["time_us"] - alone["time_us"] - 2 * (50 - 1.683)) < 1e-6, (row, alone)
    (scattered,) = rows(*chain, "--sockets", 2, *slower, "--mapping", "in-turn")
    assert scattered["messages_between_sockets"] == 0, scattered
    assert "2 of the latter between sockets (200 bytes)" in predict(*chain, "--sockets", 2,
                                                                   *slower).stdout
    refused("tau-lop takes none of", "--model", "tau-lop", "--symbolic", "--collective", "bcast",
            "--sockets", 2)
    tree = ["--params", "metropolis", "--collective", "bcast", "--algorithm", "binomial", "-P", 16,
            "--ppn", 4]
    (alone,), (row,) = rows(*tree), rows(*tree, "--sockets", 2, *slower)
    assert alone["closed_forms"] and not row["closed_forms"], (alone, row)
    path = pathlib.Path(folder, "sockets.json")
    path.write_text(predict("--params", "metropolis", "--set", "between_sockets.L=2",
                            "--show-params").stdout)
    for command in (["draw", "bcast", "-P", 16, "--ppn", 8],
                    ["verify", "--choices", "--collective", "bcast", "--nodes", 2, "--ppn", 8,
                     "-m", 8]):
        words = [PROGRAM, *map(str, command), "--sockets", "2", "--params"]
        done = subprocess.run([*words, path], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, done
        assert command[0] != "draw" or ", 2 sockets a node" in done.stdout, done
        done = subprocess.run([*words, "metropolis"], capture_output=True, text=True)
        assert "say nothing of messages between sockets" in done.stderr, done


def check_claims():
    """The word beside a formula is that of the two numbers, and says what the formula assumes."""
    def claims(*arguments):
        (row,) = rows(*arguments)
        for form in row["closed_forms"]:
            ratio = form["simulated_us"] / form["time_us"]
            assert form["simulated_us"] == row["time_us"], form
            word = form["claim"]
            assert ((word == "agrees" and abs(ratio - 1) < 1e-6)
                    or (word == "an upper bound" and ratio < 1)
                    or (word == "a lower bound" and ratio > 1) or word == "differs"), (row, form)
        return [form["claim"] for form in row["closed_forms"]]

    splitting = ["--params", "boba", "--collective", "scatter", "-P", 16, "-m", 100, "--algorithm"]
    (row,) = rows(*splitting, "recursive-splitting")
    (spread,) = [form for form in row["closed_forms"] if "max-min" in form["where"]]
    assert spread["claim"] == "agrees" and spread["simulated_us"] < row["time_us"], spread
    (row,) = rows(*splitting, "loggp")
    (gain,) = [form for form in row["closed_forms"] if "5.1.4" in form["where"]]
    (slower,) = rows(*splitting, "recursive-splitting")
    assert abs(slower["time_us"] - row["time_us"] - gain["simulated_us"]) < 1e-6, (row, slower)

    dissemination = ["--params", "boba", *BARRIER, "--algorithm", "dissemination"]
    assert claims(*dissemination) == ["an upper bound", "agrees"]
    assert claims(*dissemination, "--set", "g=1") == ["differs", "agrees"]
    assert claims(*dissemination, "--late", 100) == ["differs", "differs"]
    shown = predict(*dissemination, "--set", "g=1").stdout
    assert "differs; it assumes g >= o, which is not so here" in " ".join(shown.split()), shown
    chain = ["--collective", "bcast", "--algorithm", "chain(segment=300)", "-P", 5, "-m"]
    assert claims("--model", "hockney", "--set", "alpha=50,beta=0.01", *chain, 900) == ["agrees"]
    assert claims("--model", "hockney", "--set", "alpha=50,beta=0.01", *chain, 1000) == ["differs"]


def check_ranges():
    """--check says apart where the assumptions of a formula hold, and where they do not."""
    forms = json.loads(predict("--check", "--json").stdout)
    assert len(forms) > 150, len(forms)
    for form in forms:
        assumed, others = form["where_assumed"], form["elsewhere"]
        assert assumed["cases"] + others["cases"] == form["cases"] and assumed["cases"] > 0, form
        least, most = assumed["least_ratio"] + 1e-9, assumed["most_ratio"] - 1e-9
        claim = form["claim"]
        assert claim in ("agrees", "an upper bound", "a lower bound", "differs"), form
        assert claim != "agrees" or assumed["equal"] == assumed["cases"], form
        assert claim != "a lower bound" or least >= 1, form
        assert claim != "an upper bound" or most <= 1, form
    hpm = [(form["where"], form["collective"], form["claim"]) for form in forms
           if form["where"].startswith("HPM")]
    assert len(hpm) == 8 and ("HPM 4", "alltoall", "an upper bound") in hpm, hpm
    text = " ".join(predict("--check").stdout.split())
    for words in ("agrees: simulated it takes as long in 72 cases",
                  "a lower bound: simulated it takes 2 times as long in 72 cases",
                  "where that is so, simulated it takes as long in 100 cases; else 0.9681 to ",
                  "where that is so, the simulated difference is as much in 72 cases"):
        assert words in text, words


def main():
    check_conversion()
    check_decimals()
    check_this_machine()
    refused("there is no model 'loggpp'", "--model", "loggpp", *BARRIER)
    refused(", tau-lop\n", "--model", "loggpp", *BARRIER)
    for name in ("shm", "boba"):
        refused(f"--model: {name} is the name of parameters, not of a model: --params {name}",
                "--model", name, *BARRIER)
    refused("--params: cannot read bobba: No such file or directory; names that need no file:",
            "--params", "bobba", *BARRIER)
    refused("no paper prints parameters of plogp", "--model", "plogp", *BARRIER)
    refused("parameters.S: is missing", "--params", "boba", "--model", "loggps", *BARRIER)
    refused("parameters.g: is missing", "--params", "ib-measured", *BARRIER)
    refused("zero or more, not -1", "--params", "boba", "--set", "L=-1", *BARRIER)
    refused("must be 1e15 or less", "--params", "boba", "--set", "L=1e308", *BARRIER)
    refused("no 'q' here", "--params", "boba", "--set", "q=1", *BARRIER)
    # Also where a model is made of the parameters of another one; each may have some of its own.
    refused("no 'q' here, but G, L, alpha, beta, g, ", "--params", "boba", "--model", "hockney",
            "--set", "q=1", *BARRIER)
    refused("no 'beta' here", "--params", "boba", "--model", "loggp", "--set", "beta=1", *BARRIER)
    refused("no 'betwen' here, but between, ", "--params", "metropolis", "--set", "betwen.G=1",
            *BARRIER)
    refused("there are no levels here", "--params", "boba", "--set", "between.G=1", *BARRIER)
    refused("write NAME=NUMBER", "--params", "boba", "--set", "L", *BARRIER)
    refused("name a collective", "--params", "boba")
    refused("there is no collective 'barier'", "--params", "boba", "--collective", "barier")
    refused("bogus", "--params", "boba", *BARRIER, "--algorithm", "bogus")
    for P in (0, -3, "x", 2000000, "8-2"):
        refused("", "--params", "boba", *BARRIER, "-P", P)
    for size in ("-1", "8q", "2048G"):
        refused("", "--params", "boba", "--collective", "bcast", "-m", size)
    refused("no root 9 among 8", "--params", "boba", "--collective", "bcast", "--algorithm",
            "linear", "--root", 9)
    refused("power of two", "--params", "boba", "--collective", "allgather", "--algorithm", "bine",
            "-P", 6)
    refused("steps", "--params", "boba", "--collective", "alltoall", "--algorithm", "linear", "-P",
            20000)
    check_claims()
    check_ranges()
    check_settings()
    with tempfile.TemporaryDirectory() as folder:
        check_mapping(folder)
        check_sockets(folder)
        refused_file(folder, "parameters.json: not JSON", "{")
        for report in "--check", "--list-models", "--bluegene-p", "--show-params":
            refused(f"{report} takes no collective, and 'allredcue' is given", "allredcue", report)
            refused(f"{report} takes no --algorithm", report, "--algorithm", "ring")
            if report != "--show-params":
                refused(f"{report} takes no --model", report, "--model", "loggp")
        check_calls(folder)
        refused_file(folder, "parameters.json: parameters.L: must be a number",
                     {"model": "logp", "parameters": {"L": [], "o": 1, "g": 1}})
        refused_file(folder, "format: this program reads format 1, not 0", {"format": 0})
        shown = predict("--params", "metropolis", "--show-params")
        path = pathlib.Path(folder, "shown.json")
        path.write_text(shown.stdout)
        arguments = ["--collective", "allgather", "--ppn", 4, "-m", "8-512"]
        assert ([row["time_us"] for row in rows("--params", path, *arguments)]
                == [row["time_us"] for row in rows("--params", "metropolis", *arguments)])

        # Tutti's own parameters have names, too.
        shown = predict("--params", "rxe", "--show-params")
        assert json.loads(shown.stdout)["name"] == "rxe", shown
        assert rows("--params", "shm,hardware", *arguments)

        done = predict("--params", "boba", "--compare", bench_file(folder))
        assert done.returncode == 0 and "the same" in done.stdout, done
        assert "relative error 50.0 %, proportional error mu 2.00" in done.stdout, done
        done = predict("--params", "boba", "--compare", bench_file(folder, digest="0"))
        assert "ANOTHER" in done.stdout, done
        refused("rows[0]", "--params", "boba", "--compare", bench_file(folder, tutti=7))
        refused("cannot read", "--params", "boba", "--compare", pathlib.Path(folder, "none"))
        done = predict("--bluegene-p", "-P", "1024", "-m", "1M")
        assert done.returncode == 0 and "O(S P^1/3)" in done.stdout, done
        check_curves(pathlib.Path(folder, "curves.svg"))
        check_tau_lop(pathlib.Path(folder, "tau-lop.json"))
    print("commands are refused, and files read back")


main()
