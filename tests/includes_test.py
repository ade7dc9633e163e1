#!/usr/bin/env python3
"""Includes run one way (DESIGN, section 2), between the folders and between the rooms of collectives:
tools -> src -> models -> collectives -> protocols -> registration -> transport -> base.

Usage: includes_test.py ROOT        prints each include that goes against it; status 1 if there is one
"""
import pathlib
import re
import sys

PURE = {"base", "protocols/protocol_for.hpp"}
SCHEDULE = {"collectives/schedule"}
ALGORITHMS = SCHEDULE | {"collectives/algorithms"}
SELECTION = ALGORITHMS | {"collectives/selection"}
ANALYSIS = SELECTION | {"collectives/analysis"}
LIBRARY = {"collectives", "protocols", "registration", "transport", "base", "tutti"}

# What the files of a folder may include: whole folders, or single headers.
ALLOWED = {
    "base": {"base"},
    "transport": {"transport", "base"},
    "registration": {"registration", "base", "transport/memory.hpp"},
    "protocols": {"protocols", "registration", "transport", "base"},
    "protocols/protocol_for.hpp": {"base"},
    "collectives/schedule": PURE | SCHEDULE,
    "collectives/algorithms": PURE | ALGORITHMS,
    "collectives/selection": PURE | SELECTION,
    "collectives/analysis": PURE | ANALYSIS,
    "collectives/execution": {"protocols", "base", "collectives/execution"} | SCHEDULE,
    "models": PURE | ANALYSIS | {"models"},
    "src": LIBRARY | {"src"},
    "tools": LIBRARY | {"src", "models", "tools"},
}
FOLDERS = {entry.split("/")[0] for entry in ALLOWED} | {"tutti"}
MPI_ALLOWED = ("include/", "src/", "tools/", "transport/bootstrap")


def within(path, entries):
    """The longest of the entries that is the path or a folder above it; none: empty."""
    return max((e for e in entries if path == e or path.startswith(e + "/")), key=len, default="")


def problems(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not match:
            continue
        target, room = match.group(1), within(path, ALLOWED)
        if target == "mpi.h" and not path.startswith(MPI_ALLOWED):
            yield f"{path}:{number}: may not include mpi.h"
        if not room:
            yield f"{path}:{number}: belongs to no folder that this test knows"
        elif target.split("/")[0] in FOLDERS and "/" in target:
            if not within(target, ALLOWED[room]):
                yield f"{path}:{number}: {room} may not include {target}"


def refused(path, target):
    return bool(list(problems(path, f'#include "{target}"')))


def check_myself():
    """The test can fail."""
    assert refused("collectives/algorithms/ring.cpp", "transport/link.hpp")
    assert refused("collectives/analysis/world.cpp", "protocols/channel.hpp")
    assert refused("collectives/schedule/builder.cpp", "collectives/algorithms/catalogue.hpp")
    assert refused("collectives/algorithms/ring.cpp", "collectives/selection/rules.hpp")
    assert refused("collectives/ring.cpp", "collectives/schedule/schedule.hpp")
    assert refused("protocols/protocol_for.hpp", "transport/inbox.hpp")
    assert refused("protocols/channel.cpp", "mpi.h")
    assert not refused("collectives/execution/executor.hpp", "protocols/channel.hpp")
    assert not refused("models/simulator.cpp", "protocols/protocol_for.hpp")
    assert not refused("src/engine.cpp", "mpi.h")
    assert not refused("src/engine.cpp", "collectives/algorithms/catalogue.hpp")


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    found, files = [], 0
    for folder in sorted(FOLDERS):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h", ".c"}:
                files += 1
                found += problems(path.relative_to(root).as_posix(), path.read_text())
    print("\n".join(found) if found else f"{files} files include one way only")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
