#!/usr/bin/env python3
"""Proves the algorithms: the quick set always, and up to 129 ranks, which takes minutes, unless the
cache says that the same sources were proved before.

Usage: verify_test.py TUTTI ROOT
"""
import hashlib
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import CACHE  # noqa: E402

# Most of the whole matrix's time goes into P = 257 and 1000; --long has it.
RANKS = [*range(1, 34), 64, 127, 128, 129]
# Sources of the schedules that are proved, and of the proof.
SOURCES = ["base", "collectives/schedule", "collectives/algorithms", "collectives/selection",
           "collectives/analysis", "tools/verify.cpp"]


def digest(root):
    total = hashlib.sha256()
    for source in SOURCES:
        top = root / source
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file():
                total.update(f"{path.relative_to(root)} {path.stat().st_size}\n".encode())
                total.update(path.read_bytes())
    return total.hexdigest()


def prove(tutti, *words):
    done = subprocess.run([tutti, "verify", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="", flush=True)
    if done.returncode != 0 or "touch the same bytes: proved" not in done.stdout:
        sys.exit(f"tutti verify {' '.join(words)}: not proved (status {done.returncode})")


tutti, root = (pathlib.Path(path).resolve() for path in sys.argv[1:])
mark = CACHE / "proved" / digest(root)
if mark.exists():
    prove(tutti, "--quick")
    print("up to 129 ranks: proved before, from the same sources")
else:
    prove(tutti, "--ranks", ",".join(map(str, RANKS)))
    mark.parent.mkdir(parents=True, exist_ok=True)
mark.touch()
