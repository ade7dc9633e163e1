#!/usr/bin/env python3
"""Symbols that libtutti, the program `tutti` and the libraries of the drop-in take from others,
and those that they show.

Usage: symbols_test.py LIBRARY PROGRAM BEHIND ENTRIES

They need the C library, verbs and MPI, and nothing that others bring in a version of their own:
neither the C++ runtime nor libfmt nor hwloc. The library shows its own functions only. The
drop-in's are linked to no MPI, and take none of its functions by name: what Tutti calls behind the
entries must be in the lists of src/drop-in/beneath.cpp, or it would come back to the entries.

Non-temporal stores must be fenced, and reads of a peer's memory before it is asked whether they
still count, which no run shows for certain."""
import re
import subprocess
import sys

NEEDED = re.compile(r"(libibverbs|librdmacm|libmpi\w*|libc|libm|librt|libpthread|libgcc_s|"
                    r"ld-linux[\w-]*)\.so")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def problems(path, shown, mpi=True):
    for line in lines("objdump", "-p", path):
        words = line.split()
        if words[:1] == ["NEEDED"] and not NEEDED.match(words[1]):
            yield f"needs {words[1]}"
        if words[:1] == ["NEEDED"] and words[1].startswith("libmpi") and not mpi:
            yield f"is linked to an MPI, {words[1]}"
    for line in lines("nm", "-D", path):
        kind, name = line.split()[-2:]
        # Weak ones may stay undefined; libstdc++ has two, for transactional memory.
        if kind == "U" and name.startswith(("_Z", "hwloc_")):
            yield f"takes {name} from others"
        if kind == "U" and re.match("P?MPIX?_", name) and not mpi:
            yield f"calls {name}, which may be that of the entries"
        if kind in "TWuVD" and not re.match(shown, name):
            yield f"shows {name} to others"


def unfenced(path):
    """Functions that store around the caches (non-temporally), and have no store fence behind that:
    what they store later, such as the number of a message, may then be seen earlier. On two cores
    of a virtual machine that happens to one message in a thousand if the number follows at once,
    and never in a test of the whole way."""
    function, open_store, stores = "", False, 0
    for line in [*lines("objdump", "-d", "--no-show-raw-insn", path), "0 <the end>:"]:
        if line.endswith(">:"):
            if open_store:
                yield f"has no sfence behind the non-temporal stores of {function}"
            function, open_store = line.split("<")[1][:-2], False
        elif re.search(r"\tv?movnt(?!dqa)", line):  # movntdqa loads
            open_store = True
            stores += 1
        elif "\tsfence" in line:
            open_store = False
    if not stores:
        yield "has no non-temporal stores: are they made in another way?"


def unordered(path):
    """Reads of a peer's memory must be older than that of its invitation's state, for which
    ShmRevocation::is_revoked has a full fence. Processors with the order of x86 need none, but it
    is in their code, too."""
    fence = re.compile(r"\t(mfence|lock |dmb\s+ish)")
    code = lines("objdump", "-d", "--no-show-raw-insn", path)
    begins = [i for i, line in enumerate(code)
              if re.search(r"ShmRevocation10is_revoked\w*>:", line)]
    if not begins:
        yield "has no ShmRevocation::is_revoked: what asks whether a read still counts?"
    for begin in begins:
        end = next((i for i in range(begin, len(code)) if not code[i]), len(code))
        if not any(fence.search(line) for line in code[begin:end]):
            yield "has no fence in ShmRevocation::is_revoked"


library, program, behind, entries = sys.argv[1:]
found = [f"{path} {what}" for path in (library, behind) for check in (unfenced, unordered)
         for what in check(path)]
found += [f"{path} {what}" for path, *how in [(library, "tutti_"), (program, "$"),
                                             (behind, "tutti_drop_in_start$", False),
                                             (entries, "P?MPIX?_", False)]
         for what in problems(path, *how)]
sys.exit("\n".join(found) or None)
