#!/usr/bin/env python3
"""Every command of the program has a help, whose examples are of this command.

Usage: help_test.py PROGRAM
"""
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], check=True, capture_output=True,
                          text=True).stdout


def main():
    overview, examples = help_of().split("Examples:\n")
    commands = re.findall(r"^  ([a-z]+) ", overview.split("Subcommands:")[1], re.M)
    assert len(commands) >= 10, overview
    for command in commands:
        text = help_of(command)
        assert not any(line in text for line in examples.splitlines()), text
        begin = text.find("Example")
        assert begin < 0 or f"tutti {command} " in text[begin:], text
    for command in ("predict", "draw", "tune", "explain"):  # the same default
        assert ("ranks per node (default: 1 if --params or --model names a machine, else all: this "
                "machine)") in " ".join(help_of(command).split()), help_of(command)
    print(f"{len(commands)} commands have their own help")


main()
