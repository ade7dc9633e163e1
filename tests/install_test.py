#!/usr/bin/env python3
"""What `meson install` leaves: a versioned library with tutti_* symbols only, header, pkg-config
file, program, manual pages.

Usage: install_test.py DESTDIR ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

target, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
checks = 0


def check(truth, message):
    global checks
    checks += 1
    if not truth:
        sys.exit(f"install_test: {message}")


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **more).stdout


def find(pattern):
    found = sorted(target.rglob(pattern))
    check(found, f"{pattern} is not installed")
    return found[0]


def lint(page):
    problems = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True,
                              text=True)
    check(problems.returncode == 0, f"mandoc: {problems.stdout}")


library = find("libtutti.so.0.1.0")
for link in "libtutti.so.0", "libtutti.so":
    check((library.parent / link).is_symlink(), f"the library's link {link} is missing")
check("libtutti.so.0" in run("objdump", "-p", library), "the soname is missing")
symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
foreign = sorted(symbol for symbol in symbols if not symbol.startswith("tutti_"))
check(symbols and not foreign, f"foreign symbols are visible: {foreign}")

header = find("tutti.h")
declared = set(re.findall(r"TUTTI_API [^;]*?\b(tutti_\w+)\(", header.read_text()))
check(declared == symbols, f"declared and exported differ: {declared ^ symbols}")
for symbol in symbols:
    page = find(f"{symbol}.3")
    lint(page)
page = find("tutti.1")
lint(page)
check("TUTTI_ALGORITHM" in page.read_text(), "tutti.1 has no settings")

# The README's program, built with pkg-config alone.
program = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), re.S)
check(program, "the README has no C program")
environment = os.environ | {"PKG_CONFIG_PATH": str(find("tutti.pc").parent),
                            "PKG_CONFIG_SYSROOT_DIR": str(target)}
flags = run("pkg-config", "--cflags", "--libs", "tutti", env=environment).split()
system = "/usr/include/x86_64-linux-gnu"
flags = [flag.replace(f"{target}{system}", system) for flag in flags]
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "example.c")
    source.write_text(program.group(1))
    example = source.with_suffix("")
    run("gcc", "-std=c99", source, "-o", example, *flags, "-lmpich")
    output = run("mpiexec.mpich", "-n", "3", example,
                 env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)})
    check("0 1 2" in output, f"the README's program prints {output!r}")
check("bruck" in run(find("bin/tutti"), "list"), "the installed program does not run")
print(f"{checks} things are where they belong")
