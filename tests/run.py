#!/usr/bin/env python3
"""Builds Tutti in every way that matters, runs every test and counts them.

Nothing is skipped: what cannot run has failed. The last lines say how many tests passed and failed;
a test of Meson's is one. tools/test installs what is needed and calls this."""
import argparse
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from harness.builds import Build
from harness.command import Command
from harness.runner import Runner
from harness.source import copy_source
from harness.suites import Suites
from rdma import table

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Several files at once: most of the time goes into headers. The build that users get stays as it is.
IN_BULK = ["-Dunity=on", "-Dunity_size=8"]


class Parts:
    """Each public method is a part; its comment says what is tested."""

    def __init__(self, runner, options):
        self.runner, self.options = runner, options
        self.source = runner.work / "source"
        copy_source(ROOT, self.source, without=runner.work)
        self.mpich = Suites(runner, self.source, "mpich", ["-Dmpi=mpich", "-Dprefix=/usr"],
                            "with MPICH, warnings as errors")

    def build(self):
        """with MPICH, warnings as errors; the other parts need it"""
        self.mpich.build()

    def unit(self):
        """C++ tests, the program, the proof of all algorithms, an algorithm added"""
        self.mpich.test("unit", "program", "verify", "slow")

    def mpi(self):
        """jobs over shared memory"""
        slow = "long" if self.options.long else "waiting"
        self.runner.beside(self.mpich.test, slow, log=slow)
        self.mpich.test("mpi")

    def openmpi(self):
        """some of these jobs with Open MPI"""
        suites = Suites(self.runner, self.source, "openmpi", ["-Dmpi=openmpi", *IN_BULK],
                        "with Open MPI", "Open MPI")
        if suites.build("mpi"):
            suites.test("mpi")

    def sanitize(self):
        """C++ tests and jobs, watched for wrong addresses, undefined behaviour and data races"""
        common = ["-Db_lundef=false", "-Doptimization=1", *IN_BULK]
        asan = Suites(self.runner, self.source, "asan",
                      ["-Dmpi=mpich", "-Db_sanitize=address,undefined", *common],
                      "with address and undefined sanitizers", "asan")
        if asan.build("unit", "program", "mpi", "fuzz"):
            asan.test("unit", "program", "mpi")
            asan.test("fuzz")
        # With Open MPI: MPICH brings UCX's memory hooks, which the thread sanitizer does not
        # survive at the end of a thread.
        tsan = Suites(self.runner, self.source, "tsan",
                      ["-Dmpi=openmpi", "-Db_sanitize=thread", *common],
                      "with the thread sanitizer", "tsan")
        if tsan.build("threads"):
            tsan.test("threads")

    def fuzz(self):
        """with --long: what users and strangers write, made up by clang's libFuzzer"""
        if not self.options.long:
            return
        suites = Suites(self.runner, self.source, "fuzz",
                        ["-Dmpi=mpich", "-Dfuzz=true", "-Db_sanitize=address,undefined",
                         "-Db_lundef=false", "-Doptimization=1", *IN_BULK],
                        "with clang, for fuzzing", compiler=("clang", "clang++"))
        if suites.build("fuzz-long"):
            suites.test("fuzz-long")

    def install(self):
        """what `meson install` leaves, and the README's program built with it"""
        target = self.runner.work / "installed"
        # What an earlier run installed would hide what is missing.
        shutil.rmtree(target, ignore_errors=True)
        if self.runner.run("meson install", Command(
                ["meson", "install", "-C", self.mpich.folder, "--destdir", target])):
            self.runner.run("what is installed", Command(
                [sys.executable, self.source / "tests/install_test.py", target, self.source],
                expect="things are where they belong"))

    def style(self):
        """includes, the header as C99 and C++, clang-format, clang-tidy"""
        self.mpich.test("style")
        # Beside the jobs that follow: the virtual host uses one core.
        self.runner.beside(self.mpich.test, "tidy", log="tidy")

    def rdma(self):
        """jobs on real SoftRoCE, in the virtual RDMA host"""
        build = Build(self.mpich.folder)
        if not all(self._guest(test) for test in table.first(build)):
            return
        for test in table.slow_rank(build, 300 if self.options.long else 60):
            self.runner.beside(self._guest, test)
        for test in table.tests(build, self.options.long):
            self._guest(test)

    def _guest(self, test):
        name = f"rdma: {test.name}"
        return not self.runner.wants(name) or self.runner.run(name, test.command, test.seconds,
                                                              test.show)


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
                        help="the whole proof matrix; random collectives for an hour, twice; a "
                             "million runs over the hostile wire; each fuzz target for half an "
                             "hour; and the rank that computes while others wait does so for five "
                             "minutes")
    parser.add_argument("--work", metavar="DIR",
                        help="build here and keep it (default: a temporary folder)")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else list(parts)
    for part in options.only:
        if part not in parts:
            parser.error(f"there is no part '{part}'; there are: {', '.join(parts)}")
    if "build" not in options.only:
        options.only.insert(0, "build")
    return options


def main():
    options = parse()
    with tempfile.TemporaryDirectory(prefix="tutti-test-") as temporary:
        work = pathlib.Path(options.work or temporary).resolve()
        work.mkdir(parents=True, exist_ok=True)
        runner = Runner(work, options.match)
        parts = Parts(runner, options)
        begin = time.monotonic()
        for part in options.only:
            print(f"\n== {part} ({(time.monotonic() - begin) / 60:.1f} min) ==", flush=True)
            try:
                getattr(parts, part)()
            except Exception:
                runner.note(f"the part {part} to its end", traceback.format_exc())
            if part == "build" and runner.failed:
                break
        runner.join()
    print(f"\n{(time.monotonic() - begin) / 60:.1f} minutes")
    for name in runner.failed:
        print(f"FAILED  {name}")
    print(f"{runner.passed} passed, {len(runner.failed)} failed", flush=True)
    return 1 if runner.failed or not runner.passed else 0


if __name__ == "__main__":
    sys.exit(main())
