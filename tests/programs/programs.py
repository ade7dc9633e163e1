#!/usr/bin/env python3
"""Real programs under the drop-in: the same results, and what of their collectives is Tutti's.

Each program of table.py runs alone and under the drop-in, in turn, and what it prints is compared:
numbers with a tolerance, as sums are added up in another order. Runs of their own count the
collectives that rank 0 calls (counting.c), and Tutti says which of them it ran. Calls on
communicators of one rank move nothing, and do not count in the share that is caught. That is first
the share with TUTTI_DROP_IN_FROM=1, then by default, where the first call of each communicator but
MPI_COMM_WORLD and duplicates is the MPI's. Seconds: alone / under the drop-in.

With --over-rdma ranks are on the hosts of the virtual RDMA host, in which this script then runs:
  tests/rdma/host --hosts 2 --memory 8G --timeout 3600 -- tests/programs/programs.py --over-rdma …

A program fails if its results differ, if it does not end, or if less than 99 % of its collectives
are Tutti's with TUTTI_DROP_IN_FROM=1.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness.builds import Build  # noqa: E402
from table import PROGRAMS  # noqa: E402

SECONDS = 240  # ends a hang
WANTED = 0.99
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")
# Open MPI's mpiexec takes these as options; ranks share cores, and libraries must not add threads.
FAIR = HERE.parent / "rdma/fair"
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
ON_ONE_HOST = {"OMPI_MCA_btl": "self,vader"}


class Failed(Exception):
    pass


def shell(command, folder, env=None):
    done = subprocess.run(["sh", "-ec", command], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                          check=False, env=os.environ | SETTINGS | (env or {}))
    if done.returncode:
        raise Failed(f"{command}: status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def version_of(package):
    """Empty: it is not installed."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
                          capture_output=True, text=True, check=False)
    status, _, version = done.stdout.partition(" ")
    return version if status == "installed" else ""


def lines_of(program, text):
    """Lines of an output as they are compared."""
    lines = []
    for line in text.splitlines():
        if re.search(program.keep, line) and not (program.drop and re.search(program.drop, line)):
            lines.append(" ".join(re.sub(program.cut, "", line).split()) if program.cut
                         else " ".join(line.split()))
    return [line for line in lines if line]


def difference(program, one, other):
    """The first one between the outputs of two runs; empty: they are the same."""
    ours, theirs = lines_of(program, one), lines_of(program, other)
    for a, b in zip(ours, theirs):
        if NUMBER.sub("#", a) != NUMBER.sub("#", b):
            return f"'{a}' and '{b}'"
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
            x, y = (float(n.lower().replace("d", "e")) for n in (x, y))
            if abs(x - y) > max(program.absolute, program.relative * max(abs(x), abs(y))):
                return f"'{a}' and '{b}'"
    return f"{len(ours)} and {len(theirs)} lines" if len(ours) != len(theirs) else ""


@dataclasses.dataclass
class Row:
    """The outcome of a program with a number of ranks."""
    program: str
    version: str
    mpi: str
    ranks: int
    problem: str = ""  # empty: it passed
    same: bool = False
    calls: int = 0  # of rank 0
    of_one_rank: int = 0
    share: float = 0  # of calls with several ranks, by default
    share_from_first: float = 0
    alone: float = 0  # seconds, medians
    tutti: float = 0
    passed: dict = dataclasses.field(default_factory=dict)  # calls that were the MPI's, by reason


class Trial:
    """A program, prepared, with a number of ranks."""

    def __init__(self, build, counting, program, ranks, work, over_rdma):
        self.build, self.counting, self.program, self.ranks = build, counting, program, ranks
        self.work = work
        self.launcher = [FAIR, program.mpi, ranks] if over_rdma else [build.launcher, "-n", ranks]
        self.environment = os.environ | SETTINGS | ({} if over_rdma else ON_ONE_HOST)
        self.made = work / "made"
        shutil.copytree(HERE / "inputs", self.made)
        if program.prepare:
            shell(program.prepare, self.made, {"RANKS": str(ranks)})

    def run(self, words):
        """Runs it. Returns what it prints and leaves, and the seconds that it took."""
        folder = self.work / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.made, folder)
        begin = time.monotonic()
        with open(self.work / "errors", "w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=errors, errors="replace", start_new_session=True,
                env=self.environment)
            try:
                output, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise Failed(f"no end after {SECONDS} s: {shlex.join(map(str, words))}") from None
        seconds = time.monotonic() - begin
        said = (self.work / "errors").read_text(encoding="utf-8", errors="replace")
        if process.returncode:
            raise Failed(f"status {process.returncode}: {shlex.join(map(str, words))}\n"
                         f"{output[-1500:]}\n{said[-1500:]}")
        if "runs with its MPI alone" in said:
            raise Failed(said)
        for name in self.program.files:
            output += (folder / name).read_text(errors="replace")
        return output, seconds

    def libraries(self, *above):
        """To preload. MPICH never gives a core away by itself."""
        own = [self.build.folder / "tests/libyield.so"] if self.build.mpi == "mpich" else []
        return ":".join(str(path) for path in [*above, *own])

    def start(self, *settings):
        return self.run([*self.launcher, "env", *settings, *self.program.command])

    def alone(self):
        return self.start(f"LD_PRELOAD={self.libraries()}")

    def under(self):
        return self.start(f"LD_PRELOAD={self.libraries(self.build.drop_in())}")

    def counted(self, first):
        """And what was called, and what Tutti says of it; `first`: TUTTI_DROP_IN_FROM."""
        called, caught = self.work / "called", self.work / "caught.json"
        for file in called, caught:
            file.unlink(missing_ok=True)
        preload = self.libraries(self.counting, self.build.drop_in())
        output, _ = self.start(f"LD_PRELOAD={preload}", f"TUTTI_STATS={caught}",
                               f"TUTTI_DROP_IN_FROM={first}", f"COUNTING_FILE={called}")
        calls = collections.Counter()
        if called.exists():
            for line in called.read_text().splitlines():
                name, times = line.split()
                calls[name] += int(times)
        return output, calls, json.loads(caught.read_text()) if caught.exists() else {}


def shares(calls, caught):
    """Tutti's share of the calls with several ranks; those of one rank; the MPI's, by reason."""
    blocking = {name: one for name, one in caught.items()
                if "tutti" in one and not name.startswith("MPI_I")}
    tutti = sum(one["tutti"]["calls"] for one in blocking.values())
    why = collections.Counter()
    for one in blocking.values():
        for reason, sums in one.get("mpi", {}).items():
            why[reason] += sums["calls"]
    why["not seen"] = sum(calls.values()) - tutti - sum(why.values())
    single = why.pop("one rank", 0)
    several = sum(calls.values()) - single
    return tutti / several if several else 1.0, single, {k: v for k, v in why.items() if v}


def measure(trial, row, times):
    program, outputs, spent = trial.program, {}, collections.defaultdict(list)
    for i in range(times):
        for kind in "alone", "under":
            output, seconds = getattr(trial, kind)()
            spent[kind].append(seconds)
            outputs[f"{kind} {i}"] = output
    row.alone, row.tutti = (statistics.median(spent[kind]) for kind in ("alone", "under"))
    outputs["counted"], calls, caught = trial.counted(2)
    row.share, row.of_one_rank, row.passed = shares(calls, caught)
    outputs["from the first call on"], calls_again, caught = trial.counted(1)
    row.share_from_first, _, why = shares(calls_again, caught)
    row.calls = sum(calls.values())
    if not lines_of(program, outputs["alone 0"]):
        raise Failed("there is nothing to compare:\n" + outputs["alone 0"][-1500:])
    for kind, output in outputs.items():
        if found := difference(program, outputs["alone 0"], output):
            raise Failed(f"results differ, alone and {kind}: {found}")
    row.same = True
    if not calls:
        raise Failed("it called no collective")
    if row.share_from_first < WANTED:
        raise Failed(f"{row.share_from_first:.2%} of its collectives are Tutti's; the MPI's: {why}")


def judge(build, counting, program, ranks, version, options):
    row = Row(program.name, version, program.mpi, ranks)
    with tempfile.TemporaryDirectory(prefix="tutti-programs-") as work:
        try:
            measure(Trial(build, counting, program, ranks, pathlib.Path(work), options.over_rdma),
                    row, options.times)
        except (Failed, OSError, ValueError) as failed:
            row.problem = str(failed)
    return row


def percent(share):
    """Rounded down: 100 % is all."""
    return f"{int(share * 1000) / 10:g} %"


HEAD = ["program", "version", "MPI", "ranks", "result", "calls", "caught", "by default", "seconds"]


def cells(row):
    if row.problem and not row.same:
        return [row.program, row.version, row.mpi, str(row.ranks), "**fails**", "", "", "", ""]
    return [row.program, row.version, row.mpi, str(row.ranks), "same", f"{row.calls:,}",
            percent(row.share_from_first), percent(row.share), f"{row.alone:.2f} / {row.tutti:.2f}"]


def table_of(rows):
    """For docs/history.md."""
    return "\n".join("| " + " | ".join(line) + " |"
                     for line in [HEAD, ["---"] * len(HEAD), *map(cells, rows)])


def install(programs):
    """With apt-get, what is missing."""
    missing = sorted({p for program in programs for p in program.packages if not version_of(p)})
    if missing:
        root = [] if os.getuid() == 0 else ["sudo"]
        subprocess.run([*root, "apt-get", "install", "-y", "--no-install-recommends", *missing],
                       check=True, stdin=subprocess.DEVNULL,
                       env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def parse():
    parser = argparse.ArgumentParser(prog="programs.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="append", metavar="FOLDER", default=[],
                        help="a build folder; programs of its MPI are run. Given twice: those of "
                             "both (default: the current folder)")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="programs whose name begins with this, in any case")
    parser.add_argument("--ranks", default="2,3,4", metavar="N,…", help="default: 2,3,4")
    parser.add_argument("--times", type=int, default=3, metavar="N",
                        help="runs of each kind, whose median is shown (default: 3)")
    parser.add_argument("--over-rdma", action="store_true",
                        help="on the hosts of the virtual RDMA host, inside it")
    parser.add_argument("--install", action="store_true",
                        help="first installs the packages that are missing; else programs whose "
                             "packages are missing are left out, and named")
    parser.add_argument("--json", metavar="FILE", help="all results, as JSON into this file")
    parser.add_argument("--list", action="store_true", help="list the programs, and run none")
    options = parser.parse_args()
    for folder in options.build:
        if not pathlib.Path(folder, "meson-info").exists():
            parser.error(f"{folder} is no build folder")
    if not options.build and pathlib.Path("meson-info").exists():
        options.build = ["."]
    if options.over_rdma and "HYDRA_HOST_FILE" not in os.environ:
        parser.error("--over-rdma needs the hosts of the virtual RDMA host: "
                     "tests/rdma/host --hosts 2 -- tests/programs/programs.py --over-rdma …")
    if not options.build and not options.list:
        parser.error("the current folder is no build folder; name one by --build")
    return options


def main():
    options = parse()
    builds = {build.mpi: build for build in map(Build, options.build)}
    programs = [p for p in PROGRAMS if (p.mpi in builds or not builds) and (not options.only or any(
        p.name.lower().startswith(name.lower()) for name in options.only))]
    if options.list:
        for program in programs:
            print(f"{program.name} ({program.mpi}): {', '.join(program.packages)}")
        return 0
    if not programs:
        sys.exit(f"programs.py: no program begins with {' or '.join(options.only)}; see --list")
    if options.install:
        install(programs)
    rows, left_out = [], []
    with tempfile.TemporaryDirectory(prefix="tutti-counting-") as folder:
        counting = pathlib.Path(folder, "libcounting.so")
        shell(f"gcc -O1 -fPIC -shared -D_GNU_SOURCE -o {counting} {HERE / 'counting.c'} -ldl", HERE)
        for program in programs:
            if not all(map(version_of, program.packages)):
                left_out.append(f"{program.name} ({program.mpi})")
                continue
            for ranks in map(int, options.ranks.split(",")):
                if ranks < program.fewest:
                    continue
                row = judge(builds[program.mpi], counting, program, ranks,
                            version_of(program.packages[0]), options)
                rows.append(row)
                print(f"{program.name}, {program.mpi}, {ranks} ranks: "
                      f"{row.problem or 'the same, ' + percent(row.share_from_first) + ' caught'}",
                      file=sys.stderr, flush=True)
    print(table_of(rows))
    if left_out:
        print(f"\nnot installed: {', '.join(left_out)}")
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps([dataclasses.asdict(row) for row in rows], indent=1) + "\n")
    failed = [row for row in rows if row.problem]
    print(f"\n{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
