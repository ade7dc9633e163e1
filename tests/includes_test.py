#!/usr/bin/env python3
"""Includes run one way (DESIGN, section 2): tools -> src -> collectives -> protocols -> registration, transport -> base.

Usage: includes_test.py ROOT        prints each include that goes against it; status 1 if there is one
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": {"base"},
    "transport": {"transport", "base"},
    "registration": {"registration", "base", "transport/memory.hpp"},
    "protocols": {"protocols", "registration", "transport", "base"},
    "collectives": {"collectives", "protocols", "base"},
    "models": {"models", "collectives", "base"},
    "src": {"src", "collectives", "protocols", "registration", "transport", "base", "tutti"},
    "tools": {"tools", "src", "collectives", "protocols", "registration", "transport", "base", "tutti"},
}
# The pure half of collectives: all but the executor.
IMPURE = "execution/"
MPI_ALLOWED = {"include", "src", "tools"}


def problems(folder, name, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not match:
            continue
        target = match.group(1)
        if target == "mpi.h" and folder not in MPI_ALLOWED and not (folder == "transport" and name.startswith("bootstrap")):
            yield f"{folder}/{name}:{number}: only src, tools and transport/bootstrap* may include mpi.h"
        head = target.split("/")[0]
        if head not in ALLOWED or "/" not in target:
            continue
        allowed = ALLOWED[folder]
        if head not in allowed and target not in allowed:
            yield f"{folder}/{name}:{number}: {folder} may not include {target}"
        if folder == "collectives" and not name.startswith(IMPURE) and head == "protocols":
            yield f"{folder}/{name}:{number}: schedules are pure: only the executor may include {target}"


def main():
    root = pathlib.Path(sys.argv[1])
    # The test can fail:
    assert list(problems("collectives", "ring.cpp", '#include "transport/link.hpp"'))
    assert list(problems("collectives", "ring.cpp", '#include "protocols/channel.hpp"'))
    assert list(problems("protocols", "channel.cpp", "#include <mpi.h>"))
    assert not list(problems("src", "engine.cpp", '#include <mpi.h>\n#include "collectives/algorithms/catalogue.hpp"'))
    found, files = [], 0
    for folder in ALLOWED:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h", ".c"}:
                files += 1
                found += problems(folder, path.relative_to(root / folder).as_posix(), path.read_text())
    print("\n".join(found) if found else f"{files} files include one way only")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
