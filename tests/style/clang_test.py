#!/usr/bin/env python3
"""All sources are as clang-format makes them, and clang-tidy is silent about ours.

Usage: clang_test.py clang-format|clang-tidy ROOT BUILD

clang-tidy takes minutes for each core. The cache names the sources that were clean, by the contents
of the source, of all files of the project that it includes, and of the configuration; the words of
comments, which no check reads, do not count. It compiles each source by itself, and so sees that
none needs what another one includes.
"""
import concurrent.futures
import configparser
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import CACHE  # noqa: E402
from harness.command import lower_priority  # noqa: E402
from harness.quiet import computing  # noqa: E402
from harness.comments import without_words  # noqa: E402

tool, root, build = sys.argv[1:]
root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
sources = [path for path in root.rglob("*") if path.suffix in {".cpp", ".hpp", ".h", ".c"}
           and "build" not in path.relative_to(root).parts[0]]
programs = [path for path in sources
            if path.suffix == ".cpp" and path.relative_to(root).parts[0] != "tests"]
if len(programs) <= 50:
    sys.exit(f"{len(programs)} sources in {root}: there is nothing to look at")
if tool == "clang-format":
    sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *sources]).returncode)


@functools.cache
def digest(path):
    return hashlib.sha256(without_words(path.read_text()).encode()).digest()


@functools.cache
def includes_of(path):
    """Files of the project that this file includes directly."""
    found = []
    for name in re.findall(r'^ *# *include "([^"]+)"', path.read_text(), re.M):
        places = (path.parent / name, root / name, root / "include" / name)
        found += [place.resolve() for place in places if place.is_file()][:1]
    return found


def included(path):
    """The file and all files of the project that it includes, at whatever depth."""
    found, left = {path}, [path]
    while left:
        new = set(includes_of(left.pop())) - found
        found |= new
        left += new
    return found


def commands():
    """The folder with a command for each source. A build that compiles several files at once has
    none, so another one is configured, and not built."""
    if "-unity" not in (build / "compile_commands.json").read_text():
        return build
    given = configparser.ConfigParser(interpolation=None)
    given.read(build / "meson-private/cmd_line.txt")
    options = [f"-D{name}={value}" for name, value in given["options"].items()
               if name not in ("unity", "cpp_args")]
    folder = build / "tidy"
    again = ["--wipe"] if (folder / "meson-info").exists() else []
    subprocess.run(["meson", "setup", *again, *options, "-Dunity=off", "-Dtests=false", folder,
                    root], check=True, stdout=subprocess.DEVNULL)
    return folder


def keys(folder):
    """The place in the cache of each source that is compiled."""
    version = subprocess.run([tool, "--version"], check=True, capture_output=True).stdout
    found = {}
    for command in json.loads((folder / "compile_commands.json").read_text()):
        path = (pathlib.Path(command["directory"]) / command["file"]).resolve()
        words = [word for word in command["command"].split() if word.startswith(("-D", "-std"))]
        key = hashlib.sha256(version + " ".join(words).encode())
        key.update((root / ".clang-tidy").read_bytes())
        for one in sorted(included(path)):
            key.update(digest(one))
        found.setdefault(path, CACHE / "tidy" / key.hexdigest())
    return found


def tidy(path):
    """The tool's complaints of a source. One at a time: jobs wait until those begun have ended."""
    # Clang knows not all of GCC's options.
    with computing():
        done = subprocess.run([tool, "--quiet", "-p", folder,
                               "--extra-arg=-Wno-ignored-optimization-argument",
                               "--extra-arg=-Wno-unknown-warning-option", path],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # It counts what it does not show, too: the findings in the headers of others.
    said = [line for line in done.stdout.splitlines()
            if not re.fullmatch(r"\d+ warnings? generated\.", line)]
    if done.returncode != 0:
        said.append(f"{tool} ends with {done.returncode} in {path}")
    if not said and path in clean:
        clean[path].touch()
    return said


lower_priority()  # other tests run beside it
folder = commands()
clean = keys(folder)
(CACHE / "tidy").mkdir(parents=True, exist_ok=True)
unknown = [path for path in programs if path not in clean or not clean[path].exists()]
print(f"{len(programs)} sources, of which {len(programs) - len(unknown)} were clean before")
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = [said for said in pool.map(tidy, unknown) if said]
for said in failed:
    print(*said, sep="\n")
sys.exit(1 if failed else 0)
