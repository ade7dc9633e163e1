#!/usr/bin/env python3
"""Runs a fuzz target for some time, from its seeds (seeds.py) and from what earlier runs in this
build have found. An input that fails is printed with the command that replays it."""
import argparse
import base64
import pathlib
import subprocess
import sys
import tempfile

from seeds import SEEDS

parser = argparse.ArgumentParser(prog="fuzz.py", description=__doc__)
parser.add_argument("target", type=pathlib.Path, help="tests/fuzz/fuzz_NAME in the build folder")
parser.add_argument("--seconds", type=int, default=60, help="how long (default: 60)")
options = parser.parse_args()
target = options.target.resolve()
name = target.name.removeprefix("fuzz_")
corpus = target.parent / "corpus" / name
corpus.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as folder:
    seeds, found = pathlib.Path(folder) / "seeds", pathlib.Path(folder) / "found"
    seeds.mkdir()
    found.mkdir()
    for number, seed in enumerate(SEEDS[name]):
        (seeds / str(number)).write_bytes(seed.encode() if isinstance(seed, str) else seed)
    status = subprocess.run([
        target, corpus, seeds, f"-artifact_prefix={found}/", f"-max_total_time={options.seconds}",
        "-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"]).returncode
    for path in found.iterdir():
        text = base64.b64encode(path.read_bytes()).decode()
        print(f"{path.name}; to replay it:\n    echo {text} | base64 -d > input; {target} input")
sys.exit(status)
