#!/usr/bin/env python3
"""The commands of docs/models.md work, and the page names every model that there is.

Usage: models_page_test.py PROGRAM PAGE
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM, PAGE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).read_text()
ROOT = pathlib.Path(sys.argv[2]).resolve().parent.parent

commands = re.findall(r"^    tutti (.+)$", PAGE.replace("\\\n", " "), re.M)
assert len(commands) >= 10, commands
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "examples").symlink_to(ROOT / "examples")
    for command in commands:
        done = subprocess.run([PROGRAM, *shlex.split(command)], capture_output=True, text=True,
                              cwd=folder)
        assert done.returncode == 0 and done.stdout, (command, done)
listed = subprocess.run([PROGRAM, "predict", "--list-models"], capture_output=True, text=True,
                        check=True).stdout
models = re.findall(r"^([a-z-]+)$", listed.split("Parameters")[0], re.M)
assert len(models) > 5, listed
for model in models:
    assert f"`{model}`" in PAGE or f"--model {model}" in PAGE, model
print(f"{len(commands)} commands of the page work")
