#!/usr/bin/env python3
"""Includes run one way, between the folders and between the rooms of collectives (docs/design.md):
tools -> src -> models -> collectives -> protocols -> registration -> transport -> base.

Usage: includes_test.py ROOT

Prints each include that goes against it. Status 1 if there is one.
"""
import pathlib
import re
import sys

PURE = {"base", "protocols/protocol_for.hpp"}
SCHEDULE = {"collectives/schedule"}
ALGORITHMS = SCHEDULE | {"collectives/algorithms"}
SELECTION = ALGORITHMS | {"collectives/selection"}
ANALYSIS = SELECTION | {"collectives/analysis"}
# Models in libtutti: only those that know nothing of whole schedules.
LINKED_MODELS = {"models/platform", "models/decision"}
# The files of transport itself are interfaces that each transport implements. Which transports
# there are only src/setup and the tools know.
TRANSPORT = {"base", "transport/*"}
# The rooms of transport/verbs, from the bottom up.
VERBS_DEVICE = TRANSPORT | {"transport/verbs/device"}
VERBS_CONNECTION = VERBS_DEVICE | {"transport/verbs/connection"}
VERBS_DATAGRAMS = VERBS_DEVICE | {"transport/verbs/datagrams"}
LIBRARY = TRANSPORT | {"collectives", "protocols", "registration"}
JOB = LIBRARY | LINKED_MODELS
# The files of tools itself serve all commands; the rooms of some commands build on those of others.
TOOLS = LIBRARY | {"tutti", "transport", "src", "models", "tools/*"}
DRAWING = TOOLS | {"tools/drawing"}
BENCH = DRAWING | {"tools/bench"}
MEASURE = BENCH | {"tools/measure"}
PREDICT = DRAWING | {"tools/predict"}

# Includes that the files of a folder may have: whole folders, or single headers.
ALLOWED = {
    "base": {"base"},
    "transport": TRANSPORT,
    "transport/shm": TRANSPORT | {"transport/shm"},
    "transport/verbs": TRANSPORT | {"transport/verbs"},
    "transport/verbs/device": VERBS_DEVICE,
    "transport/verbs/discovery": VERBS_DEVICE | {"transport/verbs/discovery"},
    "transport/verbs/connection": VERBS_CONNECTION,
    "transport/verbs/datagrams": VERBS_DATAGRAMS,
    "transport/verbs/handshake": VERBS_CONNECTION | VERBS_DATAGRAMS | {"transport/verbs/handshake"},
    "registration": {"registration", "base", "transport/memory.hpp"},
    "protocols": TRANSPORT | {"protocols", "registration"},
    "protocols/protocol_for.hpp": {"base"},
    "protocols/flow.hpp": {"base"},
    "collectives/schedule": PURE | SCHEDULE,
    "collectives/algorithms": PURE | ALGORITHMS,
    "collectives/selection": PURE | SELECTION,
    # The model of a ring counts as the ring does.
    "collectives/analysis": PURE | ANALYSIS | {"protocols/flow.hpp"},
    "collectives/execution": {"protocols", "base", "collectives/execution"} | SCHEDULE,
    "models": PURE | ANALYSIS | {"models"},
    "models/platform": PURE | SELECTION | {"models/platform"},
    "models/decision": PURE | SELECTION | LINKED_MODELS,
    "models/simulation": PURE | ANALYSIS | {"models/platform", "models/simulation"},
    "models/tau_lop": PURE | ANALYSIS | {"models/platform", "models/tau_lop"},
    "models/papers": PURE | ANALYSIS | {f"models/{room}" for room in
                                        ("platform", "simulation", "papers")},
    "src/news": LIBRARY | {"src/news"},
    "src/setup": JOB | {"transport", "src/news", "src/setup"},
    "src/job": JOB | {"src/news", "src/setup", "src/job"},
    "src/calibration": JOB | {"src/news", "src/setup", "src/job", "src/calibration"},
    "src/data": {"base", "collectives/execution", "src/data"},
    "src/api": JOB | {"tutti"} | {f"src/{room}" for room in
                                   ("news", "setup", "job", "calibration", "data", "api")},
    "src/drop-in": JOB | {"tutti", "src"},
    "tools": TOOLS,
    "tools/drawing": DRAWING,
    "tools/bench": BENCH,
    "tools/measure": MEASURE,
    "tools/tune": MEASURE | {"tools/tune"},
    "tools/predict": PREDICT,
    "tools/draw": PREDICT | {"tools/draw"},
}
FOLDERS = {entry.split("/")[0] for entry in ALLOWED} | {"tutti"}
# Files that may see mpi.h, directly or through other headers.
MPI_ALLOWED = ("include/", "src/api/", "src/data/", "src/drop-in/", "tools/",
               "transport/bootstrap_mpi")
# Files whose MPI calls are all PMPI_, so that a preloaded library can stand above ours.
PMPI_ONLY = ("src/", "transport/")
# The one file of the drop-in that names communicators of the MPI: for another MPI, they are found
# in another way.
DROP_IN, NAMES_COMMUNICATORS = "src/drop-in/", "src/drop-in/beneath.c"


def within(path, entries):
    """The longest of the entries that is the path or a folder above it, or, as `folder/*`, the
    folder in which the file lies; none: empty."""
    folder = path.rpartition("/")[0]
    return max((e for e in entries
                if path == e or path.startswith(e + "/") or e == folder + "/*"),
               key=len, default="")


def includes(text):
    """Number and target of each include."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1)


def code_lines(text):
    """Lines without comments and strings."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text,
                  flags=re.DOTALL)
    return [re.sub(r'"(\\.|[^"\\])*"', "", line.split("//")[0]) for line in text.splitlines()]


def sees_mpi(path, texts, seen):
    """The way by which a file comes to mpi.h, as a list of includes; empty: it does not."""
    seen.add(path)
    for _, target in includes(texts.get(path, "")):
        if target == "mpi.h":
            return [target]
        target = "include/" + target if target.startswith("tutti/") else target
        if target in texts and target not in seen:
            if way := sees_mpi(target, texts, seen):
                return [target, *way]
    return []


def problems(path, texts):
    room = within(path, ALLOWED)
    if not room and not path.startswith("include/"):
        yield f"{path}: belongs to no folder that this test knows"
        return
    if not path.startswith(MPI_ALLOWED) and (way := sees_mpi(path, texts, set())):
        yield f"{path}: may not see mpi.h, and does through {' -> '.join(way)}"
    for number, target in includes(texts[path]):
        if room and target.split("/")[0] in FOLDERS and "/" in target:
            if not within(target, ALLOWED[room]):
                yield f"{path}:{number}: {room} may not include {target}"
    if path.startswith(PMPI_ONLY):
        for number, code in enumerate(code_lines(texts[path]), 1):
            if call := re.search(r"\bMPI_[A-Z][a-z]\w*\(", code):
                yield f"{path}:{number}: calls {call.group(0)[:-1]}, not P{call.group(0)[:-1]}"
    if path.startswith(DROP_IN) and path != NAMES_COMMUNICATORS:
        for number, code in enumerate(code_lines(texts[path]), 1):
            if name := re.search(r"\bMPI_COMM_(WORLD|SELF)\b", code):
                yield f"{path}:{number}: names {name.group()}, as only {NAMES_COMMUNICATORS} may"


def refused(path, target):
    return bool(list(problems(path, {path: f'#include "{target}"'})))


def check_myself():
    """The test can fail."""
    assert refused("collectives/algorithms/ring.cpp", "transport/link.hpp")
    assert refused("collectives/analysis/world.cpp", "protocols/channel.hpp")
    assert not refused("collectives/analysis/shared_ring.hpp", "protocols/flow.hpp")
    assert refused("collectives/schedule/cursor.hpp", "protocols/flow.hpp")
    assert refused("collectives/schedule/builder.cpp", "collectives/algorithms/catalogue.hpp")
    assert refused("collectives/algorithms/ring.cpp", "collectives/selection/rules.hpp")
    assert refused("collectives/ring.cpp", "collectives/schedule/schedule.hpp")
    assert refused("protocols/protocol_for.hpp", "transport/inbox_shape.hpp")
    assert refused("protocols/channel.cpp", "mpi.h")
    assert refused("transport/verbs/device/gid.cpp", "transport/verbs/connection/writer.hpp")
    assert refused("transport/verbs/connection/link.cpp", "transport/verbs/handshake/packet.hpp")
    assert refused("transport/verbs/device/gid.cpp", "transport/shm/stores.hpp")
    assert refused("transport/shm/link.cpp", "transport/verbs/transport.hpp")
    assert refused("transport/link.cpp", "transport/shm/link.hpp")
    assert refused("protocols/channel.cpp", "transport/shm/link.hpp")
    assert refused("src/job/engine.cpp", "transport/verbs/transport.hpp")
    assert not refused("src/setup/transports.hpp", "transport/verbs/transport.hpp")
    assert not refused("protocols/channel.cpp", "transport/link.hpp")
    assert not refused("transport/verbs/connection/link.cpp", "transport/link.hpp")
    assert not refused("transport/verbs/transport.cpp", "transport/verbs/handshake/handshake.hpp")
    assert not refused("collectives/execution/run.hpp", "protocols/channel.hpp")
    assert not refused("models/simulation/simulator.cpp", "protocols/protocol_for.hpp")
    assert refused("src/job/engine.cpp", "mpi.h")
    assert refused("src/job/communicator.cpp", "models/simulation/simulator.hpp")
    assert refused("models/decision/decisions.cpp", "collectives/analysis/costs.hpp")
    assert refused("models/platform/platform.hpp", "models/simulation/simulator.hpp")
    assert not refused("models/simulation/simulator.cpp", "collectives/analysis/world.hpp")
    assert refused("src/news/agreement.cpp", "src/job/engine.hpp")
    assert refused("src/job/engine.cpp", "src/calibration/messages.hpp")
    assert refused("src/job/request.hpp", "src/data/buffers.hpp")
    assert not refused("src/job/engine.cpp", "collectives/algorithms/catalogue.hpp")
    assert not refused("src/api/library.hpp", "mpi.h")
    assert refused("src/api/library.cpp", "src/drop-in/taking.hpp")
    assert not refused("src/drop-in/library.cpp", "src/api/library.hpp")
    assert refused("tools/predict/curves.cpp", "tools/draw/picture.hpp")
    assert refused("tools/job_faults.cpp", "tools/bench/bench.hpp")
    assert not refused("tools/tune/measurement.cpp", "tools/measure/sampler.hpp")
    both = {"src/job/a.cpp": '#include "src/job/b.hpp"', "src/job/b.hpp": "#include <mpi.h>"}
    assert len(list(problems("src/job/a.cpp", both))) == 1
    assert list(problems("src/data/a.cpp", {"src/data/a.cpp": "  MPI_Comm_free(&comm);"}))
    assert not list(problems("src/data/a.cpp", {"src/data/a.cpp": '  f("MPI_Comm_dup() failed");'}))
    world = "  find(MPI_COMM_WORLD);  /* or\n MPI_COMM_SELF */"
    assert len(list(problems("src/drop-in/a.cpp", {"src/drop-in/a.cpp": world}))) == 1
    assert not list(problems(NAMES_COMMUNICATORS, {NAMES_COMMUNICATORS: world}))


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    texts = {}
    for folder in sorted(FOLDERS | {"include"}):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h", ".c"}:
                texts[path.relative_to(root).as_posix()] = path.read_text()
    found = [problem for path in texts for problem in problems(path, texts)]
    print("\n".join(found) if found else f"{len(texts)} files include one way only")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
