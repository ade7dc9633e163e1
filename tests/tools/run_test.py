#!/usr/bin/env python3
"""tutti run says in one line why it does not start something, or starts it without Tutti, and takes
any launcher.

Usage: run_test.py PROGRAM
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
E_TYPE, E_MACHINE = 16, 18  # places in an ELF header


def patched(at, form, value):
    """/bin/true with another value there."""
    image = bytearray(pathlib.Path("/bin/true").read_bytes())
    struct.pack_into(form, image, at, value)
    return bytes(image)


def static_program(status):
    """One that ends with this status."""
    with tempfile.TemporaryDirectory(prefix="tutti-run-") as folder:
        program = pathlib.Path(folder, "static")
        subprocess.run(["gcc", "-static", "-x", "c", "-", "-o", program], check=True, text=True,
                       input=f"int main(void) {{ return {status}; }}\n")
        return program.read_bytes()


def check_runs_without(words, folder, program, status, *options):
    """One line, and the launcher starts the program as it is; the status is the program's."""
    def run(launcher, *words_after):
        done = subprocess.run(
            [PROGRAM, "run", *options, "--launcher", launcher, "--stats", "--only", "bcast",
             *words_after], capture_output=True, text=True, cwd=folder)
        said = "tutti: the program runs without Tutti: "
        assert done.stderr.startswith(said) and words in done.stderr, done
        assert len(done.stderr.splitlines()) == 1, done.stderr
        return done

    assert run("echo  -l", "-n", "2", "--", program, "-x").stdout == f"-l -n 2 {program} -x\n"
    assert run("env", "--", program).returncode == status, (program, status)


def check_other_mpi(family, folder):
    """There is only the library for one MPI, and the program is of the other."""
    other = {"mpich": "openmpi", "openmpi": "mpich"}[family]
    if list(PROGRAM.parent.parent.glob(f"libtutti-mpi-{other}.so")):
        return
    check_runs_without(f"its MPI is {other}, and there is no libtutti-mpi-{other}.so in", folder,
                       "./dynamic", 0, "--mpi", other)


def check_static_tutti(family, folder):
    """A line where statistics would mix up the drop-in's Tutti and the program's own: this program
    has one within itself, and stripping leaves the mark."""
    stripped = pathlib.Path(folder, "stripped")
    subprocess.run(["strip", "-o", stripped, PROGRAM], check=True)
    asked = {"TUTTI_STATS": "1"}, {"TUTTI_STATS": "0"}, {}
    for program, is_static in ((PROGRAM, True), (stripped, True), ("./dynamic", False)):
        for setting, option in (*((one, []) for one in asked), ({}, ["--stats"])):
            done = subprocess.run(
                [PROGRAM, "run", "--mpi", family, "--launcher", "echo", *option, "--", program],
                capture_output=True, text=True, check=True, cwd=folder,
                env={name: value for name, value in os.environ.items() if name != "TUTTI_STATS"}
                | setting)
            warns = is_static and (option != [] or setting == asked[0])
            said = f"tutti: warning: {program} is linked to a static Tutti: the statistics count"
            assert done.stderr.startswith(said) == warns, (program, setting, option, done)
            assert len(done.stderr.splitlines()) == warns, done.stderr


def main():
    true = pathlib.Path("/bin/true").read_bytes()
    machine, = struct.unpack_from("=H", true, E_MACHINE)
    arm, x86 = 183, 62
    other, its_name = (arm, "64-bit ARM") if machine != arm else (x86, "x86-64")
    files = {
        "text": (b"echo 1\n", "text is neither an ELF program nor a script"),
        "empty": (b"", "empty is empty"),
        "cut": (true[:20], "cut ends within its ELF header"),
        "other": (patched(E_MACHINE, "=H", other), f"other is a program for {its_name}, and this"),
        "object": (patched(E_TYPE, "=H", 1), "object is an object file"),
    }
    without = {  # with their status
        "static": (static_program(7), 7, "./static is linked statically"),
        "script": (b"#!/bin/sh\nexit 3\n", 3, "./script is a script for /bin/sh, which needs no"),
        "env": (b"#!/usr/bin/env -S FOO=1 cat -u\n", 0,
                "./env is a script for cat, which needs no MPI library"),
        "dynamic": (true, 0, "./dynamic needs no MPI library that Tutti knows"),
    }
    with tempfile.TemporaryDirectory(prefix="tutti-run-") as folder:
        for name, (content, *_) in (files | without).items():
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            path.chmod(0o755)
        locked = pathlib.Path(folder, "locked")
        locked.write_bytes(true)
        locked.chmod(0o644)
        pathlib.Path(folder, "sub").mkdir()

        def refused(words, *arguments):
            done = subprocess.run([PROGRAM, "run", *arguments], capture_output=True, text=True,
                                  cwd=folder, env=os.environ | {"PATH": "/usr/bin:/bin"})
            assert done.returncode == 2 and words in done.stderr, (arguments, done)
            assert len(done.stderr.splitlines()) == 1, done.stderr

        for name, (_, words) in files.items():
            refused(words, "-n", "2", "--", f"./{name}")
            refused(words, "--mpi", "mpich", "--", f"./{name}")  # also where the MPI is named
        refused("./locked may not be executed; chmod +x ./locked", "--", "./locked")
        refused("./sub is a folder", "--", "./sub")
        refused("sub is a folder", "--", "sub")
        refused("there is no file ./nonsense", "--", "./nonsense")
        refused("there is no program nonsense: no folder of PATH has it", "--", "nonsense")
        refused("the one in this folder is ./dynamic", "--", "dynamic")
        refused("--only: there is no collective 'allredcue'; did you mean allreduce? There "
                "are allgather, ", "--only", "allredcue", "--", "./dynamic")
        refused("there is no collective 'bcats'; did you mean bcast?", "--only",
                "Reduce_Scatter_block, bcats", "--", "./dynamic")
        refused("there is no collective ''", "--only", "bcast,,reduce", "--", "./dynamic")
        for name, (_, status, words) in without.items():
            check_runs_without(words, folder, f"./{name}", status)
        libraries = list(PROGRAM.parent.parent.glob("libtutti-mpi-*.so"))
        assert libraries, "the drop-in library is not built"
        for library in libraries:
            family = library.stem.removeprefix("libtutti-mpi-")
            check_static_tutti(family, folder)
            check_other_mpi(family, folder)
            for program, words in (("./dynamic", ""), ("./a=b", 'sh -c exec "$0" "$@" ')):
                if not pathlib.Path(folder, program).exists():
                    shutil.copy(pathlib.Path(folder, "dynamic"), pathlib.Path(folder, program))
                said = subprocess.run(
                    [PROGRAM, "run", "--mpi", family, "--launcher", "echo  -l", "--only", "bcast",
                     "-n", "2", "--", program, "-x"], capture_output=True, text=True, check=True,
                    cwd=folder, env=os.environ | {"LD_PRELOAD": ""}).stdout
                assert said == (f"-l -n 2 env LD_PRELOAD={library} TUTTI_ONLY=bcast {words}"
                                f"{program} -x\n"), said
    print(f"{2 * len(files) + 9} commands are refused, {len(without)} programs run without Tutti, "
          "and a launcher's options are its own")


main()
