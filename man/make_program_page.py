#!/usr/bin/env python3
"""Puts the table of settings, as `tutti info --json` gives it, into the manual page.  make_program_page.py IN PROGRAM OUT"""
import json
import os
import pathlib
import subprocess
import sys

source, program, target = sys.argv[1:]
clean = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")} | {"ASAN_OPTIONS": "detect_leaks=0"}
facts = json.loads(subprocess.run([program, "info", "--json"], check=True, capture_output=True, text=True, env=clean).stdout)
rows = []
for s in facts["settings_documentation"]:
    text = f'{s["documentation"]} Values: {s["type"]}. Default: {s["default"] or "empty"}.'
    rows += [f'.It Va {s["name"]} Pq Ev {s["environment"]}', text.replace("\\", "\\\\").replace("…", "...")]
pathlib.Path(target).write_text(pathlib.Path(source).read_text().replace("@SETTINGS@", "\n".join(rows)))
