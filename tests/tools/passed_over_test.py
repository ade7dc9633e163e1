#!/usr/bin/env python3
"""Options that a command would pass over are refused, and the message says with what they go.

Usage: passed_over_test.py PROGRAM
"""
import subprocess
import sys

PROGRAM = sys.argv[1]
PREDICTED = "tune --method predicted --params boba --collective bcast -P 2 -m 8"
REFUSED = {
    **{f"draw bcast --trace none {option}": f"--{name} goes with calls that are simulated"
       for option, name in (("-P 4", "ranks"), ("-m 8", "bytes"), ("--ppn 2", "ppn"),
                            ("--root 1", "root"), ("--algorithm ring", "algorithm"),
                            ("--mapping in-turn", "mapping"), ("--noise 1", "noise"))},
    "draw bcast --trace none --set L=1": "--set goes with --params or --model: without them",
    "draw bcast --trace none --adapters 2": "--adapters goes with --params or --model",
    "draw bcast --torus 2x2":
        "--torus goes with collectives that use it: neighbor_allgather, neighbor_alltoall",
    "explain bcast --torus 2x2": "--torus goes with collectives that use it",
    "predict bcast,barrier --torus 2x2": "--torus goes with collectives that use it",
    **{f"{command} neighbor_alltoall --torus 2x2 -P 4":
       "--ranks goes without --torus, which says how many ranks there are"
       for command in ("draw", "explain", "predict")},
    "draw barrier --root 1": "--root goes with collectives that use it: bcast, scatter, gather, "
                             "reduce",
    "predict allgather,barrier --root 0": "--root goes with collectives that use it",
    "draw bcast --seed 2": "--seed goes with --noise or --late",
    "predict bcast --seed 2": "--seed goes with --noise or --late",
    "predict allreduce --params boba --algorithm ring --segment 8k":
        "--segment goes with --model tau-lop, or algorithms of which TAU has a formula",
    "predict --compare none -P 4": "--ranks goes with calls that the command line names",
    "predict --compare none --json": "--json goes with calls that the command line names",
    "predict --program none -m 4": "--bytes goes with calls that the command line names",
    f"{PREDICTED} --margin 3": "--margin goes with --method guided",
    f"{PREDICTED} --resume": "--resume goes with measurements (--method measured or guided)",
    f"{PREDICTED} --state x": "--state goes with measurements",
    f"{PREDICTED} --time-limit 1": "--time-limit goes with measurements",
    "tune --margin 3": "--margin goes with --method guided",
    "tune --ppn 3": "--ppn goes with --method predicted: the ranks of a job are where they are",
    "tune --mapping in-turn": "--mapping goes with --method predicted",
    "list --json --schema": "--json goes with lists, not with --schema",
    "list bcast --schema": "--collective goes with lists, not with --schema",
    "list bcast --references": "--collective goes with lists of algorithms",
    "draw bcast --format goal --kind rounds": "--kind goes with --format svg and dot",
    "draw bcast --format goal --kind chart": "--kind goes with --format svg and dot",
    "draw bcast --kind tree --noise 1": "--noise goes with charts, which have times",
    "draw bcast --format goal --late 1": "--late goes with charts, which have times",
    "bench --piece 8": "--piece requires --type",
    "bench --type-side send": "--type-side requires --type",
    "bench --bytes 8 --min 4": "--min goes with sizes by default, not with --bytes",
    "bench --sizes 8 --max 16": "--max goes with sizes by default",
    "measure --bisections 3": "--bisections requires --bisection",
    "measure --seed 3": "--seed requires --bisection",
}
TAKEN = ["predict bcast,barrier --params boba --root 1", "draw bcast --noise 1 --seed 2",
         "predict bcast,neighbor_alltoall --params boba --torus 2x2", "list --references --json",
         "explain neighbor_allgather --torus 2x2", "draw bcast --kind tree --format dot",
         "predict allgather --params lusitania --algorithm ring --segment 8k",
         "predict bcast --model tau-lop --symbolic --segment 8k", PREDICTED]


def main():
    for command, words in REFUSED.items():
        done = subprocess.run([PROGRAM, *command.split()], capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr and not done.stdout, (command, done)
    for command in TAKEN:
        done = subprocess.run([PROGRAM, *command.split()], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, (command, done)
    print(f"{len(REFUSED)} options in vain are refused")


main()
