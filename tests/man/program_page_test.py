#!/usr/bin/env python3
"""The manual page tutti(1) and the program know the same commands and options.

Usage: program_page_test.py PROGRAM PAGE

PAGE: man/tutti.1.in, or what is made of it. Status 1 if they differ.
"""
import pathlib
import re
import subprocess
import sys

program, page = sys.argv[1:]


def help_of(*command):
    return subprocess.run([program, *command, "--help"], check=True, capture_output=True,
                          text=True).stdout


def options_of(text):
    """Options begin a line; examples and explanations mention them elsewhere."""
    found = {option for line in text.splitlines() if re.match(r" {2}-", line)
             for option in re.findall(r"--([a-z][a-z-]*)", line.split("  ")[1])}
    return found - {"help"}


def synopsis_of(text):
    """Options by command: the lines `.Nm`, `.Cm command`, `.Op Fl -option …` of SYNOPSIS."""
    section = re.search(r"^\.Sh SYNOPSIS\n(.*?)^\.Sh ", text, re.S | re.M).group(1)
    commands = {}
    current = None
    for line in section.splitlines():
        if line.startswith(".Nm"):
            current = None
        elif line.startswith(".Cm "):
            current = line.split()[1]
        commands.setdefault(current, set()).update(re.findall(r"Fl -([a-z][a-z-]*)", line))
    return commands


overview = help_of()
known = {None: options_of(overview)}
subcommands = overview.split("Subcommands:")[1].split("Examples:")[0]
for command in re.findall(r"^  ([a-z]+) ", subcommands, re.M):
    known[command] = options_of(help_of(command))
written = {command: options - {"help"}
           for command, options in synopsis_of(pathlib.Path(page).read_text()).items()}
bad = 0
for command in sorted(known.keys() | written.keys(), key=str):
    program_has, page_has = known.get(command, set()), written.get(command, set())
    for name in sorted(program_has ^ page_has):
        where = "program" if name in program_has else "page"
        print(f"tutti {command or ''}: only the {where} has --{name}")
        bad += 1
for command in known.keys() ^ written.keys():
    print(f"only one of program and page has the command {command}")
    bad += 1
if not re.search(r"Fl -bluegene-p\n\.Op Fl -ranks .*\n\.Op Fl -bytes ",
                 pathlib.Path(page).read_text()):
    print("the synopsis of --bluegene-p lacks the options that it takes")
    bad += 1
if len(known) < 5 or min(len(options) for options in known.values()) < 1:
    print(f"the program's help is not what this test reads: {known}")
    bad += 1
if not bad:
    print(f"{sum(map(len, known.values()))} options of {len(known) - 1} commands "
          "are in the manual page")
sys.exit(1 if bad else 0)
