#!/usr/bin/env python3
"""Runs every test of Tutti, part by part, and counts them. Called by tools/test, which installs what is needed first.

Parts: build, unit (schedules, protocols, units, manual pages, includes), mpi (jobs over shared memory), openmpi, sanitize
(address and undefined behaviour; thread), install, style, rdma (real SoftRoCE in the virtual RDMA host).
Nothing is skipped: what cannot run counts as failed.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("TUTTI_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tutti")
PARTS = ["build", "unit", "mpi", "openmpi", "sanitize", "install", "style", "rdma"]
UNITS = ["test_schedules", "test_transport", "test_execution", "test_protocols", "test_registration", "test_src"]
THREADED = UNITS[2:]  # those in which threads are ranks
HOST = str(ROOT / "tests/rdma/host")


class Runner:
    def __init__(self, work):
        self.work = work
        self.passed = 0
        self.failed = []
        self.lock = threading.Lock()
        self.beside_us = []

    def run(self, name, command, seconds=120, env=None, cwd=None, show=False, expect=None, status=0, judge=None):
        """One test: a command that must end in time with `status`, print `expect`, and satisfy `judge`, which gets its output and returns
        what is wrong. status=None: only the judge decides. Its output is shown when it fails."""
        begin = time.monotonic()
        full_env = dict(os.environ, **(env or {}))
        try:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=full_env, cwd=cwd or self.work, start_new_session=True,
                                       text=True, errors="replace")
        except OSError as error:
            return self.note(name, str(error))
        why = ""
        try:
            output, _ = process.communicate(timeout=seconds)
            if status is not None and process.returncode != status:
                why = f"status {process.returncode}, not {status}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            why = f"no end after {seconds} s"
        if not why and expect and expect not in output:
            why = f"did not print '{expect}'"
        if not why and judge:
            why = judge(output)
        return self.note(name, why, f"{time.monotonic() - begin:.1f} s", output.splitlines()[-60:] if why else output.splitlines() if show else [])

    def check(self, name, problem):
        """One test that was decided elsewhere: `problem` is empty if it passed."""
        return self.note(name, problem)

    def note(self, name, why, took="", lines=()):
        with self.lock:
            if why:
                self.failed.append(name)
            else:
                self.passed += 1
            remarks = ", ".join(filter(None, [why, took]))
            print("\n".join([f"{'FAILED ' if why else 'ok     '} {name}" + (f" ({remarks})" if remarks else ""), *("    " + line for line in lines)]), flush=True)
        return not why

    def beside(self, name, *arguments, **more):
        """A test that takes long and computes little: it runs beside those that follow, to the end of the part."""
        thread = threading.Thread(target=self.run, args=(name, *arguments), kwargs=more)
        self.beside_us.append(thread)
        thread.start()

    def join(self):
        while self.beside_us:
            self.beside_us.pop().join()


def compiler_cache(root):
    if not shutil.which("ccache"):
        return {}
    return {"CC": "ccache gcc", "CXX": "ccache g++", "CCACHE_DIR": str(CACHE / "ccache"), "CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1"}


def build(r, folder, options, name, targets=()):
    env = compiler_cache(ROOT)
    target = r.work / folder
    # Instrumented code makes GCC warn of what is not there; warnings are errors in the builds that users get.
    strict = "false" if any("b_sanitize" in option for option in options) else "true"
    return (r.run(f"configure {name}", ["meson", "setup", target, ROOT, f"-Dwerror={strict}", *options], 300, env)
            and r.run(f"build {name}", ["ninja", "-C", target, *targets], 2400, env))


def mpiexec(ranks, *command, mpi="mpich"):
    """MPICH never gives a core away while it waits; where ranks outnumber cores a test would take ten times as long. Sanitizers must be loaded first."""
    if mpi == "openmpi":
        return ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1", "-n", ranks, *command]
    folder = next((f for f in pathlib.Path(command[0]).parents if (f / "build.ninja").exists()), None)
    preload = [] if folder is None else [folder / "tests/libyield.so"]
    if preload and folder.name == "asan":
        preload.insert(0, subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True).stdout.strip())
    return ["mpiexec.mpich", *(["-genv", "LD_PRELOAD", ":".join(map(str, preload))] if preload else []), "-n", ranks, *command]


def forced_algorithms(r):
    """Every algorithm, and again with each parameter that it has, as TUTTI_ALGORITHM would name it: a dictionary from that to its line in `tutti list`."""
    listed = json.loads(subprocess.run([r.work / "mpich/tools/tutti", "list", "--json"], check=True, capture_output=True).stdout)
    across = {"barrier": "dissemination(k=2)", "bcast": "chain", "reduce": "splitting", "allreduce": "ring", "allgather": "bruck(k=2)"}
    names = {}
    for one in listed:
        name = f"{one['collective']}={one['algorithm']}"
        names[name] = one
        if one["k"]:
            names[name + "(k=3)"] = one
        if one["segment"]:
            names[name + "(segment=1000)"] = one
        if one["levels"]:
            names[f"{name}(within=binomial(k=2),across={across[one['collective']]})"] = one
    return names


REDUCTIONS = ["reduce", "allreduce", "reduce_scatter", "scan", "exscan"]


def of(algorithms, collectives):
    return {name: one for name, one in algorithms.items() if one["collective"] in collectives}


def may_refuse(one, ranks, ordered, multicast, counts, reproducible):
    """The share of its calls that an algorithm may refuse, by its flags in `tutti list --json`. `ordered`: the ranks of a node follow each other."""
    never = {"power_of_two": ranks & (ranks - 1), "even_ranks": ranks % 2, "datagrams": not multicast, "nodes_in_order": not ordered, "no_fold": reproducible}
    if any(never.get(flag) for flag in one["needs"]):
        return 1
    # Half of the calls are the v-form's, or are made with an operation that does not commute.
    half = {"commutative": True, "equal_blocks": True, "known_counts": counts != "all"}
    return 1 / 2 if any(half.get(flag) for flag in one["needs"]) else 0


def forced(algorithms, ranks, ordered=True, multicast=False, env=None, also=()):
    """A judge of what matrix_test and bits_test print: each algorithm was run, and refused no more calls than it may. `also`: what stands there besides them."""
    env = env or {}

    def judge(output):
        told = {name: (int(run), int(refused)) for name, run, refused in re.findall(r"^(\S+): (\d+) calls run, (\d+) refused$", output, re.M)}
        if set(told) != {*algorithms, *also}:
            return "not run: " + ", ".join(sorted({*algorithms, *also} - set(told)))
        for name, (run, refused) in told.items():
            share = may_refuse(algorithms[name], ranks, ordered, multicast, env.get("TUTTI_COUNTS"), env.get("TUTTI_REPRODUCIBLE") == "on") if name in algorithms else 0
            if run + refused == 0 or refused > share * (run + refused):
                return f"{name} refused {refused} of {run + refused} calls; if it may, say so in may_refuse()"
        return ""

    return judge


def ok(ranks):
    """What a job prints at its end. It says how many ranks there were: started by another MPI's mpiexec each would be a job of its own, and happy."""
    return f"ok with {ranks} ranks"


def part_build(r, _):
    build(r, "mpich", ["-Dmpi=mpich", "-Dprefix=/usr"], "with MPICH, warnings as errors")


def part_unit(r, _):
    tests = r.work / "mpich/tests"
    for name in UNITS:
        r.run(name, [tests / name], 300, expect="All tests passed")
    r.run("tutti verify: the whole matrix", [r.work / "mpich/tools/tutti", "verify"], 900, show=True, expect="touch the same bytes: proved")
    r.run("tutti info", [r.work / "mpich/tools/tutti", "info"], expect="Settings")
    r.run("tutti list", [r.work / "mpich/tools/tutti", "list"], expect="bruck")
    r.run("tutti list: the schema is JSON", ["sh", "-c", f"{r.work / 'mpich/tools/tutti'} list --schema | python3 -m json.tool"], expect="ranks_per_node")
    r.run("tutti bench --kernels", [r.work / "mpich/tools/tutti", "bench", "--kernels", "--sizes", "64,8k"], 300, expect="geometric mean")
    r.run("tutti(1) and the program have the same options", [sys.executable, ROOT / "tests/man/program_page_test.py", r.work / "mpich/tools/tutti", ROOT / "man/tutti.1.in"], expect="are in the manual page")
    r.run("includes run one way", [sys.executable, ROOT / "tests/includes_test.py", ROOT])
    r.run("a toy algorithm is one file and one entry", [sys.executable, ROOT / "tests/collectives/algorithms/toy_algorithm_test.py", ROOT, r.work / "toy"], 900, compiler_cache(r.work / "toy/source"), expect="listed and proved")
    r.run("the header is C99", ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c", "-isystem", "/usr/include/x86_64-linux-gnu/mpich", "-I", ROOT / "include", ROOT / "include/tutti/tutti.h"])
    r.run("the header is C++", ["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-isystem", "/usr/include/x86_64-linux-gnu/mpich", "-I", ROOT / "include", ROOT / "include/tutti/tutti.h"])


# Algorithms in which ranks hand data on: a rank that gives up stands between the one that failed and those that do not know it yet.
HANDED_ON = {"TUTTI_ALGORITHM": "bcast=chain;allgather=ring;reduce=chain;scatter=recursive-splitting"}


def dead_rank(r, name, ranks, run, seeds, build="mpich", env=None):
    """`run` makes the launcher's command line from a program's and a folder. Survivors leave files in the folder, and these are judged: a launcher that has lost ranks may well stumble over its own end."""
    program = r.work / build / "tests/mpi/dead_rank_test"
    for size, bytes_, seed in seeds:
        folder = r.work / ("dead-" + re.sub(r"\W+", "-", f"{name}-{size}-{seed}"))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

        def judge(_):
            survivors = len(list(folder.glob("survivor-*")))
            return "" if survivors == ranks - 1 else f"{survivors} of {ranks - 1} survivors returned and went on without the dead"

        # PIPE: the launcher may close the pipe in which the shell says that its program was killed.
        shell = f"trap : USR1; trap '' PIPE; {program} {folder} {bytes_} {seed}; true"
        when = f"killed at a moment by seed {seed}" if seed else "killed between two"
        r.run(f"{name}: dead rank, {size} blocks, {when}", run(["mpiexec.mpich", "-disable-auto-cleanup", "-n", ranks, "sh", "-c", shell], folder), 60, {**HANDED_ON, **(env or {})}, status=None,
              judge=judge)


def deaths():
    """Moments that were tried before, and one that never was; its seed stands in the test's name."""
    return [("small", 100, 0), ("small", 100, 1), ("large", 200000, 0), *(("large", 200000, seed) for seed in [1, 2, 4, random.randrange(5, 2**31)])]


def slow_rank(r, name, run, options):
    """Twice a minute without a call, beside the tests that follow: it costs no time where these take longer."""
    seconds = 300 if options.long else 60
    limit = 2 * seconds + 80
    r.beside(f"{name}: a rank computes for {seconds} s, connected and not", run(mpiexec(3, r.work / "mpich/tests/mpi/slow_rank_test", seconds), limit), limit + 20, expect=ok(3))


def part_mpi(r, options):
    jobs = r.work / "mpich/tests/mpi"
    slow_rank(r, "shm", lambda command, limit: command, options)
    for ranks in [1, 2, 3, 4, 5, 8]:
        r.run(f"shm: collectives, {ranks} ranks", mpiexec(ranks, jobs / "collectives_test"), 300, expect=ok(ranks))
    algorithms = forced_algorithms(r)
    rooted = of(algorithms, ["scatter", "gather"])
    all_know = {"TUTTI_COUNTS": "all"}
    for ranks in [*range(1, 10), 16]:
        r.run(f"shm: every algorithm, {ranks} ranks", mpiexec(ranks, jobs / "matrix_test", *algorithms), 600, expect=ok(ranks), judge=forced(algorithms, ranks))
        r.run(f"shm: scatterv and gatherv, counts known to all, {ranks} ranks", mpiexec(ranks, jobs / "matrix_test", *rooted), 300, all_know, expect=ok(ranks), judge=forced(rooted, ranks, env=all_know))
    folds = {"TUTTI_REPRODUCIBLE": "on"}
    r.run("shm: every algorithm in left folds, 5 ranks", mpiexec(5, jobs / "matrix_test", *algorithms), 600, folds, expect=ok(5), judge=forced(algorithms, 5, env=folds))
    reductions = of(algorithms, REDUCTIONS)
    for ranks in [2, 3, 5, 8]:
        for what, env in [("bits of sums", {}), ("bits of sums in left folds", folds)]:
            r.run(f"shm: {what}, {ranks} ranks", mpiexec(ranks, jobs / "bits_test", *REDUCTIONS, *reductions), 300, env, expect=ok(ranks), judge=forced(reductions, ranks, env=env, also=REDUCTIONS))
    r.run("shm: every operation on every type", mpiexec(2, jobs / "reductions_test"), expect=ok(2))
    r.run("shm: settings that differ between ranks are refused", mpiexec(3, "sh", "-c", f"[ $PMI_RANK = 1 ] && export TUTTI_ALGORITHM=allgather=ring; exec {jobs / 'collectives_test'} 2>&1"), 60, status=1, expect="must be the same on all ranks")
    r.run("shm: 3 ranks, double copy", mpiexec(3, jobs / "collectives_test"), 300, {"TUTTI_SHM_COPY": "double"}, expect=ok(3))
    r.run("shm: 4 ranks, one slot each", mpiexec(4, jobs / "collectives_test"), 300, {f"TUTTI_{ring}_SLOTS": "1" for ring in ["LINE", "SMALL", "EAGER", "READY"]}, expect=ok(4))
    r.run("shm: 2 ranks, blocks of 16 MiB", mpiexec(2, jobs / "collectives_test", "--large"), 300, expect=ok(2))
    r.run("shm: 2 ranks, more than 2^31 bytes", mpiexec(2, jobs / "collectives_test", "--huge"), 300, expect=ok(2))
    for ranks in [1, 2, 4]:
        r.run(f"shm: errors, {ranks} ranks", mpiexec(ranks, jobs / "errors_test"), 300, expect=ok(ranks))
        r.run(f"shm: errors where one copy is made, {ranks} ranks", mpiexec(ranks, jobs / "errors_test"), 300, {"TUTTI_SHM_COPY": "single"}, expect=ok(ranks))
        r.run(f"shm: what MPI allows and few programs do, {ranks} ranks", mpiexec(ranks, jobs / "semantics_test", *of(algorithms, ["exscan"])), 300, expect=ok(ranks))
    for copy in ["single", "double"]:
        r.run(f"shm: what a rank that gives up leaves to others, {copy} copy", mpiexec(4, jobs / "given_up_test", 4), 300, {**HANDED_ON, "TUTTI_SHM_COPY": copy}, expect=ok(4))
    for segments in ["bcast=chain(segment=1k);reduce=chain(segment=1k)", "bcast=circulant(segment=1k);scan=linear(segment=1k);exscan=linear(segment=1k)"]:
        r.run(f"shm: errors in segments, {segments}", mpiexec(3, jobs / "errors_test"), 300, {"TUTTI_ALGORITHM": segments}, expect=ok(3))
    dead_rank(r, "shm", 5, lambda command, _: command, deaths())
    dead_rank(r, "shm, single copy", 5, lambda command, _: command, [("long", 1 << 20, seed) for seed in [1, 2, 3, random.randrange(5, 2**31)]], env={"TUTTI_SHM_COPY": "single"})
    for ranks in [2, 3]:
        r.run(f"shm: threads, {ranks} ranks", mpiexec(ranks, jobs / "threads_test"), expect=ok(ranks))
    r.run("shm: pages change behind an address", mpiexec(2, jobs / "remap_test"), expect=ok(2))
    r.run("shm: bench", mpiexec(2, r.work / "mpich/tools/tutti", "bench", "--max", "64k", "--time-limit", "0.05", "--json", r.work / "bench.json", "--svg", r.work / "bench.svg"), 120, show=True, expect="allgather")
    r.join()
    r.check("no segment is left in /dev/shm", " ".join(str(p) for p in pathlib.Path("/dev/shm").glob("tutti-*")))


def part_openmpi(r, _):
    if not build(r, "openmpi", ["-Dmpi=openmpi"], "with Open MPI"):
        return
    jobs = r.work / "openmpi/tests/mpi"
    for ranks in [1, 2, 4]:
        r.run(f"Open MPI: collectives, {ranks} ranks", mpiexec(ranks, jobs / "collectives_test", mpi="openmpi"), 300, expect=ok(ranks))
    r.run("Open MPI: every operation on every type", mpiexec(2, jobs / "reductions_test", mpi="openmpi"), expect=ok(2))
    algorithms = forced_algorithms(r)
    r.run("Open MPI: every algorithm, 4 ranks", mpiexec(4, jobs / "matrix_test", *algorithms, mpi="openmpi"), 600, expect=ok(4), judge=forced(algorithms, 4))
    r.run("Open MPI: errors", mpiexec(2, jobs / "errors_test", mpi="openmpi"), 300, expect=ok(2))
    r.run("Open MPI: what MPI allows and few programs do", mpiexec(3, jobs / "semantics_test", *of(algorithms, ["exscan"]), mpi="openmpi"), 300, expect=ok(3))


def part_sanitize(r, _):
    jobs = [f"tests/mpi/{name}_test" for name in ["collectives", "matrix", "reductions", "errors", "threads", "slow_rank", "remap", "dead_rank", "bits", "semantics", "given_up"]]
    targets = [*(f"tests/{name}" for name in UNITS), "tests/libyield.so", "tools/tutti", *jobs]
    if build(r, "asan", ["-Dmpi=mpich", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1"], "with address and undefined sanitizers", targets):
        tests = r.work / "asan/tests"
        # MPICH and its libraries leak at exit; their leaks are not ours to report.
        env = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        for name in UNITS:
            r.run(f"asan: {name}", [tests / name], 600, {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}, expect="All tests passed")
        for ranks in [2, 4]:
            r.run(f"asan: collectives, {ranks} ranks", mpiexec(ranks, tests / "mpi/collectives_test"), 600, env, expect=ok(ranks))
        algorithms = forced_algorithms(r)
        r.run("asan: every algorithm, 3 ranks", mpiexec(3, tests / "mpi/matrix_test", *algorithms), 600, env, expect=ok(3), judge=forced(algorithms, 3))
        rooted, all_know = of(algorithms, ["scatter", "gather"]), {**env, "TUTTI_COUNTS": "all"}
        r.run("asan: scatterv and gatherv, counts known to all, 5 ranks", mpiexec(5, tests / "mpi/matrix_test", *rooted), 300, all_know, expect=ok(5), judge=forced(rooted, 5, env=all_know))
        # The algorithms' sums are in the matrix; here the choice that is made for left folds.
        r.run("asan: bits of sums in left folds", mpiexec(3, tests / "mpi/bits_test", *REDUCTIONS), 300, {**env, "TUTTI_REPRODUCIBLE": "on"}, expect=ok(3))
        r.run("asan: every operation on every type", mpiexec(2, tests / "mpi/reductions_test"), 300, env, expect=ok(2))
        r.run("asan: errors", mpiexec(2, tests / "mpi/errors_test"), 300, env, expect=ok(2))
        r.run("asan: what a rank that gives up leaves to others", mpiexec(4, tests / "mpi/given_up_test", 1), 300, {**env, **HANDED_ON, "TUTTI_SHM_COPY": "single"}, expect=ok(4))
        r.run("asan: what MPI allows and few programs do", mpiexec(3, tests / "mpi/semantics_test"), 300, env, expect=ok(3))
        r.run("asan: threads", mpiexec(2, tests / "mpi/threads_test"), 300, env, expect=ok(2))
        r.run("asan: a rank computes for 2 s", mpiexec(3, tests / "mpi/slow_rank_test", 2), 120, env, expect=ok(3))
        r.run("asan: pages change behind an address", mpiexec(2, tests / "mpi/remap_test"), 120, env, expect=ok(2))
        dead_rank(r, "asan", 4, lambda command, _: command, [("small", 100, 0), ("large", 200000, 1)], "asan", env)
        tutti = r.work / "asan/tools/tutti"
        # These end without an MPI: leaks are ours.
        own = {"UBSAN_OPTIONS": env["UBSAN_OPTIONS"]}
        r.run("asan: tutti list", [tutti, "list"], 120, own, expect="bruck")
        r.run("asan: tutti info", [tutti, "info"], 120, own, expect="Settings")
        # --quick takes four minutes here; these P have all shapes that the algorithms tell apart.
        r.run("asan: tutti verify", [tutti, "verify", "--ranks", "1,2,3,4,5,8,9"], 300, own, expect="touch the same bytes: proved")
        r.run("asan: tutti bench", mpiexec(2, tutti, "bench", "--sizes", "8,64k", "--time-limit", "0.02"), 300, env, expect="allgather")
    # With Open MPI: MPICH brings UCX's memory hooks, which the thread sanitizer does not survive at the end of a thread.
    if build(r, "tsan", ["-Dmpi=openmpi", "-Db_sanitize=thread", "-Db_lundef=false", "-Doptimization=1"], "with the thread sanitizer", [f"tests/{name}" for name in THREADED]):
        for name in THREADED:
            r.run(f"tsan: {name}", [r.work / "tsan/tests" / name], 600, {"TSAN_OPTIONS": "halt_on_error=1"}, expect="All tests passed")


def part_install(r, _):
    target = r.work / "installed"
    shutil.rmtree(target, ignore_errors=True)  # what an earlier run installed would hide what is missing
    if not r.run("meson install", ["meson", "install", "-C", r.work / "mpich", "--destdir", target]):
        return
    r.run("what is installed", [sys.executable, ROOT / "tests/install_test.py", target, ROOT], expect="things are where they belong")


def part_style(r, _):
    sources = [str(p) for p in ROOT.rglob("*") if p.suffix in {".cpp", ".hpp", ".h", ".c"} and "build" not in p.relative_to(ROOT).parts[0]]
    r.run("clang-format", ["clang-format", "--dry-run", "-Werror", *sources], 120)
    ours = [s for s in sources if s.endswith(".cpp") and pathlib.Path(s).relative_to(ROOT).parts[0] != "tests"]
    r.check("there is something to look at", "" if len(ours) > 50 else f"{len(ours)} sources in {ROOT}")
    r.run("clang-tidy", ["sh", "-c", "printf '%s\\n' \"$@\" | xargs -n 4 -P 2 clang-tidy --quiet -p " + str(r.work / "mpich"), "tidy", *ours], 1500)


def packets_missing(path, collectives):
    """What the bench's file lacks: a row for each collective and packets in each row."""
    try:
        rows = json.loads(path.read_text())["rows"]
    except (OSError, ValueError, KeyError) as error:
        return f"{path.name}: {error!r}"
    still = [f"{row['collective']} of {row['bytes']} bytes" for row in rows if not row["tutti"].get("packets_per_operation", 0) > 0]
    return ", ".join(f"no packets in {one}" for one in still) or ", ".join(f"no row for {one}" for one in sorted(collectives - {row["collective"] for row in rows}))


def part_rdma(r, options):
    jobs = r.work / "mpich/tests/mpi"
    if not r.run("rdma: the guest kernel", [ROOT / "tests/rdma/kernel"], 2400, show=True):
        return
    slow_rank(r, "rdma", lambda command, limit: [HOST, "--timeout", limit, "--core", "none", "--memory", "1G", "--hosts", 3, "--", *command], options)
    host = lambda *words: [HOST, "--timeout", "200", *[str(w) for w in words]]  # noqa: E731
    r.run("rdma: devices", host("--hosts", 2, "--", "sh", "-c", "ibv_devinfo && on-host 1 hostname"), expect="host1")
    r.run("rdma: a command's status is passed on", ["sh", "-c", f"{HOST} -- sh -c 'exit 7'; test $? -eq 7"])
    r.run("rdma: the stock kernel for QEMU", [ROOT / "tests/rdma/stock-kernel"], 600, show=True)
    r.run("rdma: QEMU, 4 ranks on 2 hosts", host("--engine", "qemu", "--hosts", 2, "--", *mpiexec(4, jobs / "collectives_test")), 220, expect=ok(4))
    broken = {"TUTTI_KERNEL_SCRIPT": "/bin/false"}
    r.run("rdma: QEMU where the other kernel does not build", ["sh", "-c", f"{HOST} --timeout 100 -- uname -r 2>&1"], 120, broken, expect="trying QEMU")
    r.run("rdma: neither kernel is an error", ["sh", "-c", f"{HOST} -- true 2>&1"], 60, {**broken, "TUTTI_STOCK_KERNEL_SCRIPT": "/bin/false"}, status=125, expect="no stock kernel for QEMU either")
    for hosts, ranks in [(1, 2), (2, 4), (4, 4), (4, 8)]:
        env = {"TUTTI_TRANSPORT": "verbs"} if hosts == 1 else {}
        r.run(f"rdma: {ranks} ranks on {hosts} host(s)", host("--hosts", hosts, "--", *mpiexec(ranks, jobs / "collectives_test")), 220, env, expect=ok(ranks))
    for arrival in ["tail", "flag", "imm"]:
        for limit in ["1k", "64k"]:
            env = {"TUTTI_ARRIVAL": arrival, "TUTTI_EAGER_LIMIT": limit}
            r.run(f"rdma: arrival {arrival}, eager limit {limit}", host("--hosts", 2, "--", *mpiexec(3, jobs / "collectives_test")), 220, env, expect=ok(3))
    r.run("rdma: 1 % of packets lost", host("--hosts", 4, "--loss", "1%", "--", *mpiexec(4, jobs / "collectives_test")), 220, expect=ok(4))
    # A low limit, so that all protocols have their share. Ranks go round the hosts, or fill one after the other.
    algorithms = forced_algorithms(r)
    rooted = of(algorithms, ["scatter", "gather"])
    low = {"TUTTI_EAGER_LIMIT": "4k"}
    for hosts, ranks, slots in [(2, 4, 1), (2, 4, 2), (4, 4, 1), (2, 8, 4), (4, 8, 1), (4, 8, 2)]:
        r.run(f"rdma: every algorithm, {ranks} ranks on {hosts} hosts, {slots} by {slots}", host("--hosts", hosts, "--slots", slots, "--", *mpiexec(ranks, jobs / "matrix_test", *algorithms)), 220, low, expect=ok(ranks),
              judge=forced(algorithms, ranks, ordered=slots * hosts == ranks, multicast=True))
    all_know = {**low, "TUTTI_COUNTS": "all"}
    r.run("rdma: scatterv and gatherv, counts known to all", host("--hosts", 4, "--", *mpiexec(5, jobs / "matrix_test", *rooted)), 220, all_know, expect=ok(5), judge=forced(rooted, 5, env=all_know))
    folds = {**low, "TUTTI_REPRODUCIBLE": "on"}
    reductions = of(algorithms, REDUCTIONS)
    for what, env in [("bits of sums", low), ("bits of sums in left folds", folds)]:
        r.run(f"rdma: {what}", host("--hosts", 2, "--", *mpiexec(3, jobs / "bits_test", *REDUCTIONS, *reductions)), 220, env, expect=ok(3), judge=forced(reductions, 3, env=env, also=REDUCTIONS))
    r.run("rdma: pages change behind an address", host("--hosts", 2, "--", *mpiexec(2, jobs / "remap_test")), 220, expect=ok(2))
    r.run("rdma: registration cache off", host("--hosts", 2, "--", *mpiexec(2, jobs / "collectives_test")), 220, {"TUTTI_REGISTRATION_CACHE": "off"}, expect=ok(2))
    r.run("rdma: blocks of 16 MiB, 8 ranks", host("--hosts", 4, "--memory", "6G", "--", *mpiexec(8, jobs / "collectives_test", "--large")), 220, expect=ok(8))
    r.run("rdma: errors", host("--hosts", 2, "--", *mpiexec(2, jobs / "errors_test")), 220, {"JOB_HAS_DEVICE": "1"}, expect=ok(2))
    for hosts, arrival in [(4, "imm"), (2, "tail")]:
        r.run(f"rdma: what a rank that gives up leaves to others, {hosts} hosts, arrival {arrival}", host("--hosts", hosts, "--", *mpiexec(4, jobs / "given_up_test", 3)), 220, {**HANDED_ON, "TUTTI_ARRIVAL": arrival}, expect=ok(4))
    r.run("rdma: too little locked memory has a message", host("--hosts", 2, "--memlock", 64, "--", "sh", "-c", "setpriv --bounding-set -ipc_lock " + " ".join(map(str, mpiexec(2, jobs / "collectives_test"))) + " 2>&1 | grep RLIMIT_MEMLOCK"), 220,
          expect="more bytes are needed")
    r.run("rdma: a port that is down has a message", host("--", "sh", "-c", "ip link set eth0 down; " + " ".join(map(str, mpiexec(1, jobs / "collectives_test"))) + " 2>&1"), 220, {"TUTTI_TRANSPORT": "verbs"}, status=1,
          expect="has no usable port")
    r.run("rdma: a peer that does not answer", host("--", *mpiexec(2, jobs / "unreachable_test")), 60, {"TUTTI_TRANSPORT": "verbs", "TUTTI_CONNECT_TIMEOUT": "2000"}, expect="ok with 2 ranks")
    r.run("rdma: threads", host("--hosts", 2, "--", *mpiexec(2, jobs / "threads_test")), 220, expect=ok(2))
    dead_rank(r, "rdma", 6, lambda command, folder: host("--hosts", 4, "--run-dir", folder, "--", *command), deaths())
    multicast = r.work / "mpich/tests/multicast_test"
    for way in ["auto", "manager", "direct", "ipv6", "each"]:
        r.run(f"rdma: multicast, {way}", host("--hosts", 4, "--", *mpiexec(4, multicast, way)), 220, expect="ok with 4 ranks")
    for way in ["auto", "each"]:
        r.run(f"rdma: multicast, {way}, 1 % of all packets lost", host("--hosts", 4, "--loss", "1%", "--", *mpiexec(4, multicast, way)), 220, expect="ok with 4 ranks")
    r.run("rdma: multicast, two ranks a host", host("--hosts", 4, "--", *mpiexec(8, multicast)), 220, expect="ok with 8 ranks")
    r.run("rdma: multicast without librdmacm", host("--hosts", 2, "--", "sh", "-c", "rm /dev/infiniband/rdma_cm; exec " + " ".join(map(str, mpiexec(2, multicast)))), 220, expect="joined by a socket")
    by_multicast = {"bcast=multicast": algorithms["bcast=multicast"]}
    r.run("rdma: bcast=multicast, chosen by hand, with losses", host("--hosts", 4, "--loss", "1%", "--", *mpiexec(6, jobs / "matrix_test", *by_multicast)), 220, expect=ok(6), judge=forced(by_multicast, 6, multicast=True))
    for way in ["manager", "direct", "each"]:
        r.run(f"rdma: bcast=multicast, {way}", host("--hosts", 2, "--", *mpiexec(4, jobs / "matrix_test", *by_multicast)), 220, {"TUTTI_MULTICAST": way}, expect=ok(4), judge=forced(by_multicast, 4, multicast=True))
    r.run("rdma: bcast=multicast without multicast is refused with a reason", host("--hosts", 2, "--", "sh", "-c", " ".join(map(str, mpiexec(2, jobs / "collectives_test"))) + " 2>&1"), 220,
          {"TUTTI_MULTICAST": "off", "TUTTI_ALGORITHM": "bcast=multicast"}, status=1, expect="no multicast group was joined")
    # The devices' own counters say that the ranks really used them.
    counted = r.work / "counters"
    shutil.rmtree(counted, ignore_errors=True)
    counted.mkdir()
    r.run("rdma: counters move", host("--hosts", 4, "--keep", counted, "--", *mpiexec(4, r.work / "mpich/tools/tutti", "bench", "--collective", "all", "--no-mpi", "--sizes", "8,64k", "--time-limit", "0.1", "--json", counted / "bench.json")), 220, show=True,
          judge=lambda _: packets_missing(counted / "bench.json", set(one["collective"] for one in algorithms.values())))
    r.join()


def main():
    parser = argparse.ArgumentParser(prog="tools/test", description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="these parts only, with commas: " + ", ".join(PARTS))
    parser.add_argument("--long", action="store_true", help="a rank that computes computes for five minutes")
    parser.add_argument("--work", help="build here and keep it (default: a temporary folder)")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else PARTS
    for part in chosen:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'; there are: {', '.join(PARTS)}")
    if "build" not in chosen:
        chosen = ["build", *chosen]
    with tempfile.TemporaryDirectory(prefix="tutti-test-") as temporary:
        work = pathlib.Path(options.work or temporary).resolve()
        work.mkdir(parents=True, exist_ok=True)
        r = Runner(work)
        begin = time.monotonic()
        for part in chosen:
            print(f"\n== {part} ({(time.monotonic() - begin) / 60:.1f} min) ==", flush=True)
            try:
                globals()["part_" + part](r, options)
            except Exception:
                r.check(f"the part {part} to its end", traceback.format_exc())
            r.join()
    print(f"\n{(time.monotonic() - begin) / 60:.1f} minutes")
    for name in r.failed:
        print(f"FAILED  {name}")
    print(f"{r.passed} passed, {len(r.failed)} failed", flush=True)
    return 1 if r.failed or not r.passed else 0


if __name__ == "__main__":
    sys.exit(main())
