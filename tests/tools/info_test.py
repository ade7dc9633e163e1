#!/usr/bin/env python3
"""What `tutti info` prints of settings: lines that fit a screen, misspelt variables with the
nearest name, and no advice to call `tutti info`.

Usage: info_test.py PROGRAM
"""
import json
import os
import subprocess
import sys

PROGRAM = sys.argv[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}


def info(*arguments, **settings):
    return subprocess.run([PROGRAM, "info", *arguments], capture_output=True, text=True,
                          env=CLEAN | settings)


def printed(**settings):
    done = info(**settings)
    assert done.returncode == 0, done
    return done.stdout


def refused(words, **settings):
    done = info(**settings)
    assert done.returncode == 1 and words in done.stderr, done
    assert "`tutti info`" not in done.stderr and len(done.stderr) < 300, done


def main():
    text = printed(TUTTI_ALGORITM="bcast=chain", TUTTI_CACHE="/tmp", TUTTI_EAGER_LIMIT="32 KiB")
    lines = text[text.index("\nSettings"):].splitlines()
    notes = [line for line in lines if line.startswith("  note: ")]
    assert max(len(line) for line in lines if line not in notes) <= 100, max(lines, key=len)
    names = [s["name"] for s in json.loads(info("--json").stdout)["settings_documentation"]]
    assert len(names) > 20 and all(f"\n  {name} " in text for name in names), text
    assert "\n  eager_limit                 32768 " in text, text
    assert notes == ["  note: the environment variable TUTTI_ALGORITM names no setting and is "
                     "ignored; the nearest is TUTTI_ALGORITHM"], notes
    assert "`tutti info`" not in text, text
    assert "`tutti info`" not in printed(TUTTI_DEVICE="nonesuch")
    refused("takes a size", TUTTI_EAGER_LIMIT="32 KiP")
    print(f"{len(names)} settings are shown")


main()
