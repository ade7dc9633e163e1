#!/usr/bin/env python3
"""What libtutti, the program `tutti` and the libraries of the drop-in take from other libraries,
and what they show to them.

Usage: symbols_test.py LIBRARY PROGRAM BEHIND ENTRIES

They need the C library, verbs and MPI, and nothing that others bring in a version of their own:
neither the C++ runtime nor libfmt nor hwloc. The library shows its own functions only. The
drop-in's are linked to no MPI, and take none of its functions by name: what Tutti calls behind the
entries must be in the lists of src/drop-in/beneath.cpp, or it would come back to the entries."""
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
        if kind == "U" and name.startswith("_Z"):
            yield f"takes {name} from others"
        if kind == "U" and re.match("P?MPI_", name) and not mpi:
            yield f"calls {name}, which may be that of the entries"
        if kind in "TWuVD" and not re.match(shown, name):
            yield f"shows {name} to others"


library, program, behind, entries = sys.argv[1:]
found = [f"{path} {what}" for path, *how in [(library, "tutti_"), (program, "$"),
                                             (behind, "tutti_drop_in_start$", False),
                                             (entries, "P?MPI_", False)]
         for what in problems(path, *how)]
sys.exit("\n".join(found) or None)
