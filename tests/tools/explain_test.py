#!/usr/bin/env python3
"""tutti explain refuses what it cannot read, and says where it is wrong; what it prints as JSON
holds together.

Usage: explain_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
# Settings and kept parameters of the test's user do not count.
HOME = tempfile.TemporaryDirectory(prefix="tutti-explain-")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
CLEAN["XDG_CONFIG_HOME"] = HOME.name
LOGP = {"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1}}


def explain(*arguments, **settings):
    return subprocess.run([PROGRAM, "explain", *map(str, arguments)], capture_output=True,
                          text=True, env=CLEAN | settings)


def refused(words, *arguments, **settings):
    done = explain(*arguments, **settings)
    assert done.returncode != 0 and words in done.stderr, (arguments, done)


def refused_file(folder, words, text):
    path = pathlib.Path(folder, "parameters.json")
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    refused(f"--params {path}: {words}", "bcast", "--params", path)


def told(*arguments, **settings):
    done = explain(*arguments, "--json", **settings)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def printed(*arguments, **settings):
    done = explain(*arguments, **settings)
    assert done.returncode == 0, done
    return done.stdout


def predicted(collective, *arguments):
    """The time by `tutti predict`, us."""
    done = subprocess.run([PROGRAM, "predict", "--collective", collective, *map(str, arguments),
                           "--json"], capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, (collective, arguments, done)
    (one,) = json.loads(done.stdout)
    return one["simulated_us"] if "simulated_us" in one else one["time_us"]


def parts():
    """Rounding errors are not shown as a part of the time."""
    (line,) = [line for line in printed("allgather", "-P", 6, "-m", "4k",
                                        TUTTI_ALGORITHM="allgather=recursive-doubling"
                                        ).splitlines() if line.startswith("  exact ")]
    assert "e-" not in line, line


def in_turn():
    """A ring of ranks that are dealt out in turn sends every message between two nodes."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("0,2,4,6\n1,3,5,7\n")
        file.flush()
        for mapping, within in (("blocks", True), ("in-turn", False), (file.name, False)):
            found = told("allgather", "-P", 8, "--ppn", 4, "-m", "64k", "--mapping", mapping)
            ring = next(one for one in found["candidates"] if one["algorithm"] == "ring")
            assert (ring["bytes"]["within"] > 0) == within, (mapping, ring)
    refused = explain("bcast", "--mapping", "/nowhere")
    assert refused.returncode != 0 and "--mapping /nowhere" in refused.stderr, refused


def reads_well():
    """Numbers have no exponent, one thing has no plural, and no column repeats another."""
    for arguments in (("reduce", "-P", 1000, "--ppn", 8, "-m", 2 ** 30), ("barrier", "-P", 1),
                      ("allgather", "-P", 64, "--ppn", 1, "-m", 1)):
        text = printed(*arguments)
        assert not re.search(r"\de[+]\d", text), text
        assert not re.search(r"\b1 (ranks|nodes|bytes)\b", text), text
        heads = next(line for line in text.splitlines() if line.startswith("  candidate"))
        assert "alone" not in heads, text
        text = printed(*arguments, TUTTI_CALLS_IN_A_ROW="4")
        repeated = "of one of several calls in a row" in " ".join(text.split())
        assert repeated == (arguments[0] == "reduce"), text
    assert printed("barrier").startswith("barrier, 8 ranks, "), printed("barrier")
    assert " and more: " not in printed("barrier"), printed("barrier")
    text = printed("allgather", "-m", "64k", "-P", 64, "--ppn", 8, "--params", "hardware")
    assert text.startswith("allgather of 64 KiB, 64 ranks, 8 nodes; "), text
    assert " 0 B and more: " in text, text


def groups_what_is_left_out():
    """No two reasons begin with the same words: what several have in common stands above them."""
    for call in (("allgather", "-P", 64, "-m", 4096, "--ppn", 64), ("bcast", "-P", 7, "-m", 1),
                 ("scatter", "-P", 6, "-m", 64), ("gather", "-P", 12, "--ppn", 4)):
        text = printed(*call)
        reasons = [line for line in text[text.index("\nLeft out"):].splitlines()
                   if re.match(r"  \S", line)]
        begins = [" ".join(line.split(": ", 1)[1].split()[:4]) for line in reasons]
        assert begins and len(begins) == len(set(begins)), text
        excluded = [one for one in told(*call)["candidates"] if "excluded" in one]
        assert sum(1 + line.split(": ")[0].count(", ") for line in reasons) == len(excluded), text


def columns(text):
    """The table of candidates: where each of its columns ends, by row."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  candidate"))
    table = lines[first:lines.index("", first)]
    cell = r"\S+(?: [KMG]?i?B[),]\S*)?"  # "chain(segment=64 KiB)" is one
    return [[match.end() for match in re.finditer(cell, line)][1:7] for line in table]


def says_what_connections_cost(folder):
    """They are a part of the time, and bytes; and what says more is said once."""
    call = ["alltoall", "-P", 600, "-m", 65536, "--params", "hardware"]
    (once,) = [one for one in told(*call)["candidates"] if one["algorithm"] == "at-once"]
    assert once["peers"] == 599 and once["memory"] == 599 * 29 * 1024, once
    assert abs(once["set_up"] - 599 * 500 / 100000) < 1e-9, once
    assert abs(once["time"] - once["latency"] - once["set_up"]) < 1e-6, once
    assert "500 us each, spread over 100000 calls" in printed(*call), printed(*call)
    # Where a connection is used once only, few are made.
    file = pathlib.Path(folder, "dear.json")
    file.write_text(json.dumps(LOGP | {"budget": {"connect": 5000, "uses": 1}}))
    dear = told("alltoall", "-P", 600, "-m", 8, "--params", file)
    assert dear["algorithm"].startswith("bruck") and dear["candidates"][0]["set_up"] > 5000, dear
    assert dear["connecting"]["calls"] == 1, dear
    for arguments in (call, ("scatter", "-P", 100000, "--ppn", 1, "-m", 2 ** 20),
                      ("reduce", "-P", 1000, "--ppn", 8, "-m", 2 ** 30)):
        text = printed(*arguments)
        assert len({tuple(ends) for ends in columns(text)}) == 1, text
        sentences = [line for line in text.splitlines() if len(line) > 60]
        assert len(sentences) == len(set(sentences)), text
        assert all(len(line) <= 140 for line in text.splitlines()), text


def takes_this_machine():
    """As `tutti draw` does, unless parameters of another one are named."""
    for settings in ({}, {"TUTTI_WIRE": "hardware"}):
        here = told("allgather", **settings)
        assert (here["nodes"], here["model"]["name"]) == (1, "shm"), here
    assert told("allgather", "--params", "hardware")["nodes"] == 8
    assert told("allgather", "--ppn", 2)["nodes"] == 4


def says_that_it_can_run(why, *call, **settings):
    """A choice by hand can run, though there is no estimate of it."""
    text = " ".join(printed(*call, **settings).split())
    can, reason = "It can run this call. The model has no estimate of its time: ", "  candidate"
    assert can in text and why in text[text.index(can):text.index(reason.strip())], text
    all_of_it = told(*call, **settings)
    assert why in all_of_it["no_estimate"] and "statement" not in all_of_it, all_of_it


def says_where_parameters_do_not_fit(folder):
    """Where twice the bytes take more than twice the time; and what to do then."""
    file = pathlib.Path(folder, "busy.json")
    gap = [[1, 1], [1024, 1], [4096, 300], [65536, 400]]
    busy = {"model": "plogp", "name": "busy",
            "parameters": {"L": 1, "o_s": 0.5, "o_r": 0.5, "g": gap}}
    call = ["bcast", "-P", 2, "--ppn", 1, "--params", file]
    origin = {"measured": {"date": "2026-11-21", "command": "tutti measure --off"}}
    idle = "where nothing else runs: "
    for measured, what in (
            ({}, f"Measure this machine's {idle}mpiexec -n 2 tutti measure --save"),
            (origin, f"Measure them again {idle}tutti measure --off")):
        file.write_text(json.dumps(busy | measured))
        text = " ".join(printed(*call, "-m", "2k").split())
        assert "bad fit the start-up is negative: " in text and what in text, text
        assert f"The parameters busy do not fit here (--params {file})" in text, text
        assert "busy ()" not in text, text
        assert "bad fit" not in printed(*call, "-m", "8k"), text
    file.write_text(json.dumps(busy | {"parameters": busy["parameters"] | {
        "g": [[1, 100], [1024, 100], [4096, 20], [65536, 400]]}}))
    assert "bad fit             more bytes take less time" in printed(*call, "-m", "1k")
    for collective in ("barrier", "bcast", "allgather"):
        for size in (1, "1k", "64k"):
            assert "bad fit" not in printed(collective, "-m", size, "--params", "hardware")


def says_of_any_algorithm():
    """The model's statement on an algorithm that would not be chosen."""
    call = ["bcast", "-P", 64, "-m", 2 ** 20, "--params", "hardware"]
    chain = told(*call, "--algorithm", "chain(segment=64k)")
    assert chain["algorithm"] == "chain(segment=65536)" != told(*call)["algorithm"], chain
    assert chain["reason"] == "by hand: --algorithm names it", chain
    assert chain["statement"]["class"] == "P + m", chain
    text = printed(*call, "--algorithm", "chain(segment=64k)")
    assert re.search(r"^  chosen +chain\(segment=64 KiB\)$", text, re.M), text
    assert "segment=65536" not in text, text
    assert told(*call, "--algorithm", "chain")["statement"]["class"] == "P + m P"
    # The environment's choice is another matter.
    assert told(*call, "--algorithm", "chain", TUTTI_ALGORITHM="bcast=linear")["algorithm"] \
        == "chain"
    refused("no algorithm 'chains'", *call, "--algorithm", "chains")
    refused("even number", "allgather", "-P", 7, "--algorithm", "neighbor-exchange")
    # A tree gets the times of the model in use, and the text repeats the choice.
    scatter = ["scatter", "-P", 64, "-m", 8, "--ppn", 1, "--params", "hardware"]
    tree = told(*scatter, "--algorithm", "loggp")
    assert tree["algorithm"] == "loggp(L=1.13,g=0.2,G=4e-05)" and "statement" in tree, tree
    again = told(*scatter, TUTTI_ALGORITHM=f"scatter={tree['algorithm']}")
    assert again["algorithm"] == tree["algorithm"], again
    assert again["statement"] == tree["statement"], again
    no_times = told(*scatter[:-1], "bunyip")
    (left_out,) = [one for one in no_times["candidates"] if one["algorithm"].startswith("loggp")]
    assert "no times L, g and G" in left_out["excluded"], left_out


WITHOUT_ESTIMATE = {
    "bcast": {"multicast": "log P + m log P"},
    "alltoall": {"linear": "P + m P"},
    "allgather": {"full-fan-in": "P + m P", "repeated-binary-tree": "P log P + m P log P",
                  "pipeline": "P + m P"},
    "allreduce": {"repeated-binary-tree": "P log P + m log P", "pipeline": "P + m",
                  "full-fan-in": "P + m", "repeated-binary-tree-whole": "P log P + m P log P",
                  "pipeline-whole": "P + m P", "full-fan-in-whole": "P + m P"},
    "reduce_scatter": {"repeated-binary-tree": "P log P + m P log P", "pipeline": "P + m P",
                       "full-fan-in": "P + m P"}}


def counts_where_it_has_no_estimate():
    """A class from the formulas, bounds, and the simulator's time, which lies between them."""
    for collective, algorithms in WITHOUT_ESTIMATE.items():
        for name, grows in algorithms.items():
            for P, ppn, params, size in ((2, 1, "boba", 8), (24, 1, "boba", 65536),
                                         (32, 8, "hardware", 4096), (33, 8, "rxe", 8),
                                         (7, 7, "shm", 1024)):
                call = [collective, "--algorithm", name, "-P", P, "--ppn", ppn, "-m", size,
                        "--params", params]
                all_of_it = told(*call)
                counted = all_of_it["counted"]
                assert "statement" not in all_of_it and counted["class"] == grows, (call, counted)
                assert counted["rounds"] and counted["sent"], counted
                slack = 1 + 1e-9
                assert counted["least"] <= counted["simulated"] * slack, (call, counted)
                # There messages wait for others that came first.
                if collective != "alltoall":
                    assert counted["simulated"] <= counted["in_rounds"] * slack, (call, counted)
                same = predicted(*call)
                assert abs(same - counted["simulated"]) < 1e-6 * same, (call, same, counted)
    text = printed("bcast", "--algorithm", "multicast", "-P", 64, "-m", 4096, "--params", "boba")
    for line in (r"  class +log P \+ m log P", r"  at least .* no datagram is lost",
                 r"  at most +\S+ us: 6 messages of 4 KiB one after another"):
        assert re.search(line, text), (line, text)
    # More ranks than are counted one by one: the formulas say how many messages there are.
    many = told("allgather", "--algorithm", "pipeline", "-P", 2000, "--params", "boba")["counted"]
    assert many["messages"] == {"busiest": 1999, "in_rounds": 3 * 1999}, many
    assert "simulated" not in many, many
    # The formulas stand beside the model's statements as well.
    ring = told("allreduce", "--algorithm", "ring", "--params", "boba")["counted"]
    assert ring["rounds"] == "2(P-1)" and ring["class"] == "P + m" and "least" not in ring, ring


def simulates_sockets():
    """Estimates do not know of them: the simulator's time stands beside theirs."""
    call = ["bcast", "-P", 16, "--ppn", 8, "-m", "64k", "--params", "metropolis"]
    levels = ["--set", "between_sockets.L=3.5"]
    file = pathlib.Path(HOME.name, "sockets.json")
    with file.open("w") as written:
        subprocess.run([PROGRAM, "predict", "--params", "metropolis", *levels, "--show-params"],
                       stdout=written, check=True)
    call[-1] = file
    one, two = told(*call), told(*call, "--sockets", 2)
    assert "simulated" not in one["counted"] and one["algorithm"] == two["algorithm"], two
    same = predicted(*call, "--algorithm", two["algorithm"], "--sockets", 2)
    assert abs(same - two["counted"]["simulated"]) < 1e-6 * same, (same, two)
    assert "  simulated " in printed(*call, "--sockets", 2)
    refused("between_sockets", "bcast", "--params", "boba", "--ppn", 4, "--sockets", 2)


def holds(told):
    """Algorithms that apply come first, the fastest first; one of them is chosen."""
    candidates = told["candidates"]
    applying = [one for one in candidates if "excluded" not in one]
    assert applying and candidates[:len(applying)] == applying, told
    # Among times within 2 % of the least, the one with less memory or fewer rounds comes first.
    times = [one["time"] * one.get("times_over_limit", 1) for one in applying]
    least = min(times)
    equal = [time for time in times if 0.98 * time <= least]
    assert times[:len(equal)] == equal and times[len(equal):] == sorted(times[len(equal):]), told
    name = told["algorithm"].split("(")[0]
    assert name in [one["algorithm"].split("(")[0] for one in applying], told
    assert all(one["excluded"] for one in candidates[len(applying):]), told


def reads_settings(folder):
    """It says which setting it used, and refuses what tutti_init would."""
    call = ["allgather", "-P", 4, "--ppn", 4, "-m", 64]
    usual = told(*call)
    assert usual["model"]["name"] == "shm" and usual["settings"] == {}, usual
    assert f"none are in {HOME.name}" in usual["model"]["from"], usual
    named = told(*call, TUTTI_MODEL="rxe")
    assert named["model"]["name"] == "rxe" and named["settings"] == {"model": "rxe"}, named
    assert "the setting `model`" in printed(*call, TUTTI_MODEL="rxe")
    # Parameters that the command line names go before those of the environment.
    assert told(*call, "--params", "hardware", TUTTI_MODEL="rxe")["model"]["name"] == "hardware"
    assert told(*call, "--model", "hardware")["model"]["name"] == "hardware"  # its older name
    # By itself a call takes the fewest steps one after another; in a row ranks get ahead.
    scan = ["exscan", "-P", 1000, "--params", "hardware"]
    alone, repeated = told(*scan), told(*scan, TUTTI_CALLS_IN_A_ROW="1000")
    assert alone["algorithm"] == "recursive-doubling", alone
    assert repeated["algorithm"].startswith("linear"), repeated
    assert repeated["settings"] == {"calls_in_a_row": "1000"}, repeated
    file = pathlib.Path(folder, "parameters.json")
    file.write_text(json.dumps(LOGP | {"name": "mine"}))
    mine = told(*call, TUTTI_MODEL=str(file))
    assert mine["model"]["name"] == "mine" and str(file) in mine["model"]["from"], mine
    table = pathlib.Path(folder, "table.json")
    table.write_text(json.dumps({"rules": [{"collective": "allgather", "ranks": [2, 8],
                                            "algorithm": "bruck(k=2)"}]}))
    by_table = told(*call, TUTTI_TABLE=str(table))
    assert by_table["algorithm"] == "bruck(k=2)" and "`table`" in by_table["reason"], by_table
    assert told(*call, TUTTI_TABLE=str(table), TUTTI_ALGORITHM="allgather=ring")["reason"] \
        == "by hand: the setting `algorithm` names it"
    # On one node a grid's rows are no nodes: the model does not try it, and it can run.
    forced = told(*call, TUTTI_ALGORITHM="allgather=rows-first")
    assert forced["algorithm"] == "rows-first" and "statement" not in forced, forced
    (grid,) = [one for one in forced["candidates"] if one["algorithm"] == "rows-first"]
    assert "chosen by hand only here" in grid["excluded"], grid
    (levels,) = [one for one in forced["candidates"] if one["algorithm"] == "hierarchical"]
    assert "two levels" in levels["excluded"], levels
    says_that_it_can_run("there are not several nodes of equally many ranks", *call,
                         TUTTI_ALGORITHM="allgather=rows-first")
    # The statement on the time is about the algorithm that runs.
    ring = told("allgather", "-P", 64, "--ppn", 1, TUTTI_ALGORITHM="allgather=ring")
    (time,) = [one["latency"] for one in ring["candidates"] if one["algorithm"] == "ring"]
    assert abs(ring["statement"]["latency"] - time) < 1e-9 * time, ring
    config = pathlib.Path(folder, "config")
    config.write_text("algorithm = allgather=bruck(k=3)\n")
    assert told(*call, TUTTI_CONFIG=str(config))["algorithm"] == "bruck(k=3)"
    assert told("allreduce", "--ppn", 1, TUTTI_REPRODUCIBLE="on")["algorithm"] \
        != told("allreduce", "--ppn", 1, TUTTI_REPRODUCIBLE="off")["algorithm"]
    software = told("allgather", "--ppn", 1, TUTTI_WIRE="software")
    assert software["software_wire"] and software["model"]["name"] == "rxe", software
    assert told("allgather", "--ppn", 1, TUTTI_WIRE="hardware")["model"]["name"] == "hardware"
    refused("/nonexistent", *call, TUTTI_MODEL="/nonexistent")
    refused("loggp is a cost model, as --model of tutti's commands names one: this setting takes "
            "parameters, as their option --params", *call, TUTTI_MODEL="loggp")
    refused("`tutti predict --params boba --show-params` prints a file of them", *call,
            TUTTI_MODEL="boba")
    refused("/nonexistent", *call, TUTTI_TABLE="/nonexistent")
    refused("no algorithm", *call, TUTTI_ALGORITHM="allgather=rings")
    refused("commutative", "reduce", "--ppn", 1, TUTTI_REPRODUCIBLE="on",
            TUTTI_ALGORITHM="reduce=hierarchical")
    assert "TUTTI_TABEL" in explain(*call, TUTTI_TABEL="x").stderr


def says_what_sharing_costs():
    """With the time that predict would have, where it costs anything."""
    call = ["barrier", "-P", 8, "--ppn", 8, "--params", "shm"]
    assert "without sharing" in explain(*call, "--cores", 2).stdout
    assert "without sharing" not in explain(*call, "--cores", 8).stdout


def main():
    refused("there is no collective 'barier'", "barier")
    refused("cannot read bobba: No such file or directory; names that need no file: shm, rxe",
            "bcast", "--params", "bobba")
    refused("loggp is a cost model, no parameters: `tutti predict --model loggp`", "bcast",
            "--params", "loggp")
    refused("--model: cannot read loggp: No such file or directory; names that need no file: shm",
            "bcast", "--model", "loggp")
    refused("--model ib-measured: the paper does not print", "bcast", "--model", "ib-measured")
    assert told("bcast", "--model", "rxe")["model"]["from"] == "--model rxe"
    refused("and `;` separates choices, not `,`", "bcast", TUTTI_ALGORITHM="a,b")
    refused("and `;` separates choices, not `,`", "bcast",
            TUTTI_ALGORITHM="bcast=chain,reduce=chain")
    text = " ".join(printed("bcast").split())
    assert "needs a multicast group that all ranks join when Tutti starts" in text, text
    assert "was joined" not in text, text
    refused("only jobs measure, if the setting `model` (TUTTI_MODEL) says so", "bcast",
            "--params", "measure")
    refused("the paper does not print all parameters", "bcast", "--params", "ib-measured")
    for P in (0, -3, "x", 2 ** 25):
        refused("", "bcast", "-P", P)
    for size in ("-1", "8q"):
        refused("write a size, such as 4096, 64k or 1MiB", "bcast", "-m", size)
    refused("too many", "bcast", "-P", 1000, "-m", 2 ** 50)
    with tempfile.TemporaryDirectory() as folder:
        refused_file(folder, "not JSON", "{")
        refused_file(folder, "format: this program reads format 1, not 0", {"format": 0})
        refused_file(folder, "cores.wake: must be zero or more", LOGP | {"cores": {"wake": -1}})
        refused_file(folder, "budget.memory: must be", LOGP | {"budget": {"memory": 1e300}})
        refused_file(folder, "budget.connect: must be", LOGP | {"budget": {"connect": -1}})
        refused_file(folder, "budget: there is no 'peers' here", LOGP | {"budget": {"peers": 1}})
        reads_settings(folder)
        says_what_connections_cost(folder)
        says_where_parameters_do_not_fit(folder)
    for P, ppn, size in ((1, 1, 0), (1, 8, 8), (7, 2, 2 ** 40), (64, 8, 4096), (1000, 1000, 1),
                         (2 ** 20, 2 ** 12, 2 ** 30)):
        for collective in ("barrier", "allgather", "exscan", "reduce"):
            arguments = [collective, "-P", P, "--ppn", ppn, "-m", size]
            assert told(*arguments) == told(*arguments)
            holds(told(*arguments))
            holds(told(*arguments, "--mapping", "in-turn", "--cores", 1, "--params", "rxe"))
    reads_well()
    parts()
    in_turn()
    groups_what_is_left_out()
    says_of_any_algorithm()
    counts_where_it_has_no_estimate()
    simulates_sockets()
    takes_this_machine()
    says_what_sharing_costs()
    print("choices are explained, and bad commands refused")


main()
