#!/usr/bin/env python3
"""Runs a fuzz target from its seeds (seeds.py): one of libFuzzer's (fuzz_NAME) for some time, and
from what earlier runs in this build have found; one without a fuzzer (replay_NAME) on a fixed
number of inputs. A failure is printed with the command that replays it."""
import argparse
import base64
import pathlib
import subprocess
import sys
import tempfile

from seeds import SEEDS


def fuzz(target, name, seeds, seconds):
    """libFuzzer, for so many seconds."""
    corpus = target.parent / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    found = seeds / "found"
    found.mkdir()
    status = subprocess.run([
        target, corpus, seeds, f"-artifact_prefix={found}/", f"-max_total_time={seconds}",
        "-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"]).returncode
    for path in found.iterdir():
        text = base64.b64encode(path.read_bytes()).decode()
        print(f"{path.name}; to replay it:\n    echo {text} | base64 -d > input; {target} input")
    return status


def replay(target, seeds, runs, only):
    """The seeds, and so many of their mutations; or one of these runs."""
    files = sorted(seeds.iterdir(), key=lambda path: int(path.name))
    words = [target, *(["--only", str(only)] if only is not None else []), str(runs), *files]
    status = subprocess.run(words).returncode
    if status != 0:
        print(f"to replay it: {sys.argv[0]} {target} --runs {runs} --only RUN")
    return status


def main():
    parser = argparse.ArgumentParser(prog="fuzz.py", description=__doc__)
    parser.add_argument("target", type=pathlib.Path,
                        help="tests/fuzz/fuzz_NAME or replay_NAME in the build folder")
    parser.add_argument("--seconds", type=int, default=60,
                        help="how long libFuzzer searches (default: 60)")
    parser.add_argument("--runs", type=int, default=20000,
                        help="how many mutations are replayed (default: 20000)")
    parser.add_argument("--only", type=int, metavar="RUN", help="replay this run alone")
    options = parser.parse_args()
    target = options.target.resolve()
    kind, _, name = target.name.partition("_")
    if kind not in ("fuzz", "replay") or name not in SEEDS:
        parser.error(f"{target.name} is no fuzz target; there are: {', '.join(SEEDS)}")
    with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as folder:
        seeds = pathlib.Path(folder)
        for number, seed in enumerate(SEEDS[name]):
            (seeds / str(number)).write_bytes(seed.encode() if isinstance(seed, str) else seed)
        if kind == "fuzz":
            return fuzz(target, name, seeds, options.seconds)
        return replay(target, seeds, options.runs, options.only)


if __name__ == "__main__":
    sys.exit(main())
