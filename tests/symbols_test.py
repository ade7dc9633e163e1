#!/usr/bin/env python3
"""What libtutti and the program `tutti` take from other libraries, and what they show to them.

Usage: symbols_test.py LIBRARY PROGRAM

They need the C library, verbs and MPI, and nothing that others bring in a version of their own:
neither the C++ runtime nor libfmt nor hwloc. The library shows its own functions only."""
import re
import subprocess
import sys

NEEDED = re.compile(r"(libibverbs|librdmacm|libmpi\w*|libc|libm|librt|libpthread|libgcc_s|"
                    r"ld-linux[\w-]*)\.so")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def problems(path, shown):
    for line in lines("objdump", "-p", path):
        words = line.split()
        if words[:1] == ["NEEDED"] and not NEEDED.match(words[1]):
            yield f"needs {words[1]}"
    for line in lines("nm", "-D", path):
        kind, name = line.split()[-2:]
        # Weak ones may stay undefined; libstdc++ has two, for transactional memory.
        if kind == "U" and name.startswith("_Z"):
            yield f"takes {name} from others"
        if kind in "TWuVD" and not re.match(shown, name):
            yield f"shows {name} to others"


library, program = sys.argv[1:]
found = [f"{path} {what}" for path, shown in [(library, "tutti_"), (program, "$")]
         for what in problems(path, shown)]
sys.exit("\n".join(found) or None)
