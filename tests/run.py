#!/usr/bin/env python3
"""Builds Tutti in every way that matters, runs every test and counts them.

Nothing is skipped: what cannot run has failed. The last lines say how many tests passed and failed;
a test of Meson's is one. tools/test installs what is needed and calls this."""
import argparse
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from harness.builds import CACHE, Build
from harness.command import Command, end_with_commands, in_background, wait_for
from harness.quiet import VARIABLE, quiet
from harness.runner import Runner
from harness.source import copy_source
from harness.suites import Suites
from rdma import table

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Several files at once: most of the time goes into headers. clang-tidy compiles each by itself;
# what names of two files have to do with each other is no matter for warnings.
IN_BULK = ["-Dunity=on", "-Dunity_size=8", "-Dcpp_args=-Wno-subobject-linkage -Wno-shadow"]

# Virtual hosts at once, each on a core of its own; more would take memory that machines lack.
MOST_GUESTS = 4

# Parts that only --long brings, unless they are named.
LONG = {"fuzz", "packages", "programs"}


class Parts:
    """Each public method is a part; its comment says what is tested."""

    def __init__(self, runner, options):
        self.runner, self.options = runner, options
        os.environ[VARIABLE] = str(runner.work)
        self.source = runner.work / "source"
        copy_source(ROOT, self.source, without=runner.work)
        self.mpich = Suites(runner, self.source, "mpich",
                            ["-Dmpi=mpich", "-Dprefix=/usr", "-Dwerror=true", *IN_BULK],
                            "with MPICH, warnings as errors")
        self.open_mpi = Suites(runner, self.source, "openmpi",
                               ["-Dmpi=openmpi", "-Dwerror=true", *IN_BULK], "with Open MPI",
                               "Open MPI")
        sanitized = ["-Db_lundef=false", "-Doptimization=1", *IN_BULK]
        self.asan = Suites(runner, self.source, "asan",
                           ["-Dmpi=mpich", "-Db_sanitize=address,undefined", *sanitized],
                           "with address and undefined sanitizers", "asan")
        # With Open MPI: MPICH brings UCX's memory hooks, which the thread sanitizer does not
        # survive at the end of a thread.
        self.tsan = Suites(runner, self.source, "tsan",
                           ["-Dmpi=openmpi", "-Db_sanitize=thread", *sanitized],
                           "with the thread sanitizer", "tsan")
        # Suites that the sanitizer watches, but for the jobs.
        self.watched = ["unit", "fuzz", *(["program"] if options.long else [])]
        # Builds that some parts need, for these suites; and whether each succeeded.
        self.needs = {"openmpi": {self.open_mpi: ["mpi"]},
                      "sanitize": {self.asan: ["mpi", *self.watched], self.tsan: ["threads"]}}
        self.built = {}
        self.building = None

    def build(self):
        """with MPICH, warnings as errors; the other parts need it"""
        if "rdma" in self.options.only:
            self.kernel = self.runner.beside(self._run, table.kernel())
        self.mpich.build("unit", "program", "mpi", "waiting", "slow", everything=True)

    def style(self):
        """includes, the header as C99 and C++, clang-format, clang-tidy"""
        self.mpich.test("style")
        # Beside what follows, at the lowest priority, but for jobs over shared memory.
        self.runner.beside(self.mpich.test, "tidy", log="tidy")

    def unit(self):
        """C++ tests, the program, the proof of all algorithms, an algorithm added"""
        self.mpich.test("unit", "program", "verify", "slow")

    def rdma(self):
        """jobs on real SoftRoCE, in the virtual RDMA host"""
        build = Build(self.mpich.folder)
        wait_for(self.kernel)
        for test in table.slow_rank(build, 300 if self.options.long else 60):
            if self.runner.wants(f"rdma: {test.name}"):
                self.runner.beside(self._run, test)
        cores = sorted(os.sched_getaffinity(0))[:MOST_GUESTS]
        tests = (test for test in table.tests(build, self.options.long)
                 if self.runner.wants(f"rdma: {test.name}"))
        # With what the cores have left: many of these tests wait.
        self.building = self.runner.beside(self._build, self.options.only, in_background)
        self.runner.in_lanes(cores, lambda test, core: self._run(table.on_core(test, core)), tests)

    def mpi(self):
        """jobs over shared memory"""
        if self.building:
            wait_for(self.building)
        self.runner.beside(self.mpich.test, "waiting", log="waiting")
        with quiet(self.runner.work):
            self.mpich.test("mpi", *(["long"] if self.options.long else []))

    def openmpi(self):
        """some of these jobs with Open MPI"""
        self._build(["openmpi"])
        if self.built[self.open_mpi]:
            with quiet(self.runner.work):
                self.open_mpi.test("mpi")

    def sanitize(self):
        """C++ tests and jobs, watched for wrong addresses, undefined behaviour and data races"""
        self._build(["sanitize"])
        threads = None
        if self.built[self.tsan]:
            # Its longest test alone would leave a core idle.
            threads = self.runner.beside(self.tsan.test, "threads")
        if self.built[self.asan]:
            self.asan.test(*self.watched)
        if threads:
            wait_for(threads)
        if self.built[self.asan]:
            with quiet(self.runner.work):
                self.asan.test("mpi")

    def fuzz(self):
        """with --long: what users and strangers write, made up by clang's libFuzzer"""
        suites = Suites(self.runner, self.source, "fuzz",
                        ["-Dmpi=mpich", "-Dfuzz=true", "-Db_sanitize=address,undefined",
                         "-Db_lundef=false", "-Doptimization=1", *IN_BULK],
                        "with clang, for fuzzing", compiler=("clang", "clang++"))
        if suites.build("fuzz-long"):
            suites.test("fuzz-long")

    def install(self):
        """files that `meson install` leaves, and the README's program built with them"""
        target = self.runner.work / "installed"
        # Files that an earlier run installed would hide those that are missing now.
        shutil.rmtree(target, ignore_errors=True)
        if self.runner.run("meson install", Command(
                ["meson", "install", "-C", self.mpich.folder, "--destdir", target])):
            self.runner.run("what is installed", Command(
                [sys.executable, self.source / "tests/install_test.py", target, self.source],
                expect="things are where they belong"))

    def packages(self):
        """with --long: Debian packages for both MPIs, and what becomes of them in a clean root"""
        self.runner.run("Debian packages", Command(
            [sys.executable, self.source / "tests/package_test.py", self.source,
             self.runner.work / "packages"],
            expect="things are as a package should have them"), 7200)

    def programs(self):
        """with --long: real programs, those that are installed, alone and under the drop-in"""
        self._build(["openmpi"])
        if not self.built[self.open_mpi]:
            return
        with quiet(self.runner.work):
            self.runner.run("real programs", Command(
                [sys.executable, self.source / "tests/programs/programs.py", "--times", 1,
                 "--build", self.mpich.folder, "--build", self.open_mpi.folder],
                expect=" 0 failed"), 7200, show=True)

    def _build(self, parts, how=lambda command: command):
        """Builds what these parts need, unless it was or is being built; see Suites.build()."""
        if self.building and threading.current_thread() is not self.building:
            wait_for(self.building)
        for part in parts:
            for suites, names in self.needs.get(part, {}).items():
                if suites in self.built:
                    continue
                self.built[suites] = False
                with self.runner.counted_for(part):
                    self.built[suites] = suites.build(*names, how=how)

    def _run(self, test):
        return self.runner.run(f"rdma: {test.name}", test.command, test.seconds, test.show)


def commit_of(root):
    """The hash of the commit that the source is; "" if a file differs from it, or without git."""
    def git(*words):
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True,
                              check=True).stdout.strip()
    try:
        return "" if git("status", "--porcelain") else git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return ""  # not a checkout


def remember_passed(root, commit):
    """Writes the commit that passed as a whole to `tutti-passed` in the git folder."""
    path = subprocess.run(["git", "-C", root, "rev-parse", "--git-path", "tutti-passed"],
                          capture_output=True, text=True, check=True).stdout.strip()
    (root / path).write_text(commit + "\n")


def parse():
    parts = {name: part.__doc__ for name, part in vars(Parts).items() if not name.startswith("_")}
    parser = argparse.ArgumentParser(
        prog="tools/test", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="parts:\n" + "\n".join(f"  {name:<10} {what}" for name, what in parts.items()) + """

examples:
  tools/test --only unit,mpi --work /tmp/t               keeps the build for the next run
  tools/test --only rdma --match 'multicast|dead rank'   tests with such names only
  meson test -C build                                    all that needs neither the virtual host nor
                                                         minutes; --suite mpi, --setup all""")
    parser.add_argument("--only", metavar="PART,…", help="these parts only")
    parser.add_argument("--match", metavar="REGEX", default="",
                        help="of a part's tests only those whose name, as it is printed, has it")
    parser.add_argument("--long", action="store_true",
                        help="also what takes hours, and what is drawn anew in each run: the parts "
                             "fuzz, packages and programs; faults by seeds never tried; the whole "
                             "proof matrix; random collectives for an hour, twice; a million runs "
                             "over the hostile wire; and the rank that computes while others wait "
                             "does so for five minutes")
    parser.add_argument("--work", metavar="DIR",
                        help="build here and keep it (default: a folder in the cache, emptied)")
    options = parser.parse_args()
    try:
        re.compile(options.match)
    except re.error as error:
        parser.error(f"--match {options.match}: {error}")
    options.whole = not options.only and not options.match
    if options.only is None:
        options.only = ",".join(part for part in parts if part not in LONG or options.long)
    options.only = options.only.split(",")
    for part in options.only:
        if part not in parts:
            parser.error(f"there is no part '{part}'; there are: {', '.join(parts)}")
    if "build" not in options.only:
        options.only.insert(0, "build")
    return options


@contextlib.contextmanager
def work_folder(named):
    """The folder to build in: the one named, which is kept; else always the same in the cache,
    empty at first, since the compiler's cache finds only what was compiled at the same place; else,
    if another run is there, a temporary one."""
    if named:
        work = pathlib.Path(named).resolve()
        work.mkdir(parents=True, exist_ok=True)
        yield work
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "work.lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            with tempfile.TemporaryDirectory(prefix="tutti-test-") as temporary:
                yield pathlib.Path(temporary).resolve()
            return
        work = (CACHE / "work").resolve()
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def main():
    options = parse()
    for number in [signal.SIGINT, signal.SIGTERM]:
        signal.signal(number, end_with_commands)
    commit = commit_of(ROOT) if options.whole else ""
    with work_folder(options.work) as work:
        runner = Runner(work, options.match)
        parts = Parts(runner, options)
        for part in options.only:
            begun = sum(runner.minutes.values())
            print(f"\n== {part} ({begun:.1f} min) ==", flush=True)
            with runner.timed(part):
                try:
                    getattr(parts, part)()
                except Exception:
                    runner.not_reached()
                if part == options.only[-1]:
                    runner.join()
            if part == "build" and runner.failed:
                runner.join()
                break
        if not runner.ran_what_was_wanted():
            runner.note(f"tests whose name has '{options.match}'", "there are none")
    print("\n" + runner.summary(), flush=True)
    if runner.failed:
        return 1
    if commit:
        remember_passed(ROOT, commit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
