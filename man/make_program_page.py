#!/usr/bin/env python3
"""Puts what the program knows into its manual page: the settings, and the works that `tutti list`
names.

Usage: make_program_page.py IN PROGRAM OUT
"""
import json
import os
import pathlib
import re
import subprocess
import sys

source, program, target = sys.argv[1:]
clean = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}


def facts(*command):
    return json.loads(subprocess.run([program, *command, "--json"], check=True, text=True,
                                     capture_output=True,
                                     env=clean | {"ASAN_OPTIONS": "detect_leaks=0"}).stdout)


def escaped(text):
    """A sentence a line, as mdoc wants it."""
    text = text.replace("\\", "\\\\").replace("…", "...")
    return re.sub(r"(?<=[a-z\d)`]\.) ", "\n", text)


settings = []
for s in facts("info")["settings_documentation"]:
    text = f'{s["documentation"]} Values: {s["type"]}. Default: {s["default"] or "empty"}.'
    settings += [f'.It Va {s["name"]} Pq Ev {s["environment"]}', escaped(text)]
references = []
for r in facts("list", "--references"):
    references += [f'.It {r["name"]}', escaped(r["work"] + "."), escaped(r["taken"])]
page = pathlib.Path(source).read_text()
page = page.replace("@SETTINGS@", "\n".join(settings))
page = page.replace("@REFERENCES@", "\n".join(references))
pathlib.Path(target).write_text(page)
