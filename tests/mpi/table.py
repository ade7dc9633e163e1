#!/usr/bin/env python3
"""The MPI jobs over shared memory that are tests: a table. ../job.py runs one by its name.

Usage: table.py MPI SANITIZER   prints the jobs of such a build, for meson.build. Tabs part a job's
                                name, suite, seconds, `alone` or `beside` (other tests), program,
                                and the library that must be built, too
"""
import collections
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.algorithms import REDUCTIONS  # noqa: E402

# A limit, in seconds, only ends a hang: it must be ten times what a job takes on a quiet machine,
# or more, but for a fixed time that the job waits.
BRIEF, USUAL, LONG = 120, 300, 600

ALL_KNOW = {"TUTTI_COUNTS": "all"}
FOLDS = {"TUTTI_REPRODUCIBLE": "on"}
SINGLE = {"TUTTI_SHM_COPY": "single"}
DOUBLE = {"TUTTI_SHM_COPY": "double"}
MEMFD = {"TUTTI_SHM_MEMORY": "memfd"}
SHM = {"TUTTI_TRANSPORT": "shm"}
CHECK = {"TUTTI_CHECK": "calls"}
THREAD = {"TUTTI_PROGRESS": "thread"}
COMBINED = {"TUTTI_ALGORITHM": "neighbor_allgather=prefer combined;"
                               "neighbor_alltoall=prefer combined"}


@dataclasses.dataclass
class Job:
    name: str
    ranks: int
    program: str  # collectives for collectives_test and so on, or tutti
    arguments: list = dataclasses.field(default_factory=list)  # {build} is the build folder
    force: str = ""  # names algorithms to the program: all, or those of some collectives
    env: dict = dataclasses.field(default_factory=dict)  # in addition to the caller's
    rank_1: str = ""  # a setting that rank 1 alone has, NAME=VALUE
    apart: str = ""  # puts every other rank into a container of such a kind
    small_shm: int = 0  # gives the job a /dev/shm of its own, of so many MiB
    ramfs: bool = False  # gives the job a /dev/shm of its own that is a ramfs
    beside: str = ""  # a library of the tests that is preloaded, or drop_in
    saved: str = ""  # a rank dies; files that each other one leaves in a folder, its argument
    status: int = 0
    expect: str | None = None  # must be printed; None: ok with so many ranks
    needs: str = ""  # a library that must be built, too
    suite: str = "mpi"
    seconds: int = USUAL
    # No other test runs at that time: it measures, or computes for long on all cores. The others
    # begin, wait and end for most of their time.
    alone: bool = False


def slow_rank():
    """A rank computes for a minute while others wait, twice: it may run beside other tests."""
    for suite, seconds in [("waiting", 60), ("long", 300)]:
        yield Job(f"a rank computes for {seconds} s, connected and not", 3, "slow_rank", [seconds],
                  suite=suite, seconds=2 * seconds + 100)


def with_sanitizers():
    """Instrumented code is slow: each program once or twice."""
    for ranks in [2, 4]:
        yield Job(f"collectives, {ranks} ranks", ranks, "collectives", seconds=LONG)
    yield Job("every algorithm, 3 ranks", 3, "matrix", force="all", seconds=LONG, alone=True)
    yield Job("scatterv and gatherv, counts known to all, 5 ranks", 5, "matrix",
              force="scatter,gather", env=ALL_KNOW)
    # The algorithms' sums are in the matrix; here the choice that is made for left folds.
    yield Job("bits of sums in left folds", 3, "bits", REDUCTIONS, env=FOLDS)
    yield Job("every operation on every type", 2, "reductions")
    yield Job("errors", 2, "errors")
    yield Job("requests", 3, "requests")
    yield Job("random collectives in all forms", 3, "mixed", [300, 1])
    yield Job("the same call again", 3, "repeats", seconds=BRIEF)
    yield Job("what a rank that gives up leaves to others", 4, "given_up", [1], env=SINGLE)
    yield Job("what MPI allows and few programs do", 3, "semantics")
    yield Job("derived datatypes", 3, "datatypes", seconds=BRIEF)
    yield Job("neighbours", 4, "neighbours", [4, 3])
    yield Job("64 ranks, each with each", 64, "many", seconds=BRIEF, alone=True)
    yield Job("threads", 2, "threads", [8], alone=True)
    yield Job("a rank computes for 2 s", 3, "slow_rank", [2], seconds=BRIEF)
    yield Job("pages change behind an address", 2, "remap", seconds=BRIEF)
    yield Job("dead rank, small blocks, killed between two", 4, "dead_rank", [100, 0],
              seconds=BRIEF)
    yield Job("dead rank, large blocks, killed at a moment by seed 1", 4, "dead_rank", [200000, 1],
              seconds=BRIEF)
    yield Job("tutti bench", 2, "tutti", ["bench", "--sizes", "8,64k", "--time-limit", "0.02"],
              expect="allgather", suite="program")


def with_open_mpi():
    """Jobs that depend on the MPI."""
    for ranks in [1, 2, 4]:
        yield Job(f"collectives, {ranks} ranks", ranks, "collectives")
    yield Job("every operation on every type", 2, "reductions", seconds=BRIEF)
    yield Job("every algorithm, 4 ranks", 4, "matrix", force="all", seconds=LONG, alone=True)
    yield Job("errors", 2, "errors")
    yield Job("requests", 3, "requests")
    yield Job("random collectives in all forms, 3 ranks", 3, "mixed", [2000, 5])
    yield Job("a rank is late where ranks meet", 3, "late", seconds=BRIEF)
    yield Job("MPI goes on while ranks wait", 2, "pending", seconds=BRIEF)
    yield Job("MPI goes on while ranks wait, drive_mpi always", 2, "pending",
              env={"TUTTI_DRIVE_MPI": "always"}, seconds=BRIEF)
    yield Job("what MPI allows and few programs do", 3, "semantics", force="exscan")
    yield Job("derived datatypes", 3, "datatypes", seconds=BRIEF)
    yield Job("neighbours", 4, "neighbours", [4, 3])


def algorithms():
    """The algorithms that Tutti would choose, and every one by name."""
    for ranks in [1, 2, 3, 4, 5, 8]:
        yield Job(f"collectives, {ranks} ranks", ranks, "collectives")
    # The proofs have every number of ranks; here some of each kind, where ranks outnumber cores.
    for suite, some in [("mpi", [1, 2, 3, 4, 5, 8]), ("long", [6, 7, 9, 16])]:
        for ranks in some:
            yield Job(f"every algorithm, {ranks} ranks", ranks, "matrix", force="all",
                      seconds=LONG, suite=suite, alone=True)
            yield Job(f"scatterv and gatherv, counts known to all, {ranks} ranks", ranks, "matrix",
                      force="scatter,gather", env=ALL_KNOW, suite=suite, alone=True)
    yield Job("every algorithm in left folds, 5 ranks", 5, "matrix", force="all", env=FOLDS,
              seconds=LONG, alone=True)
    for ranks in [2, 3, 5, 8]:
        for what, env in [("bits of sums", {}), ("bits of sums in left folds", FOLDS)]:
            yield Job(f"{what}, {ranks} ranks", ranks, "bits", REDUCTIONS,
                      force=",".join(REDUCTIONS), env=env, suite="mpi" if ranks < 8 else "long",
                      alone=True)
    yield Job("every operation on every type", 2, "reductions", seconds=BRIEF)
    for ranks in [1, 2, 3, 4, 5]:
        yield Job(f"derived datatypes, {ranks} ranks", ranks, "datatypes", seconds=BRIEF)
    for what, env in [("in one copy", SINGLE), ("in pieces", DOUBLE)]:
        yield Job(f"derived datatypes, {what}, 3 ranks", 3, "datatypes", env=env, seconds=BRIEF)


def settings():
    """All collectives where settings are not the defaults, or sizes not the usual ones."""
    # Rank 1 is the last one of two, and in the middle of three.
    for ranks in [2, 3]:
        yield Job(f"settings that differ between {ranks} ranks are refused", ranks, "collectives",
                  rank_1="TUTTI_ALGORITHM=allgather=ring", status=1,
                  expect="must be the same on all ranks", seconds=BRIEF)
    yield Job("rank 0 says which variable names no setting, at any level of the log", 3,
              "collectives", env={"TUTTI_ALGORITM": "bcast=chain", "TUTTI_LOG": "off"},
              expect="tutti[0]: warning: the environment variable TUTTI_ALGORITM names no "
              "setting and is ignored; the nearest is TUTTI_ALGORITHM", seconds=BRIEF)
    for what, env in [("device", {"TUTTI_DEVICE": "no_such0"}), ("port", {"TUTTI_PORT": "200"})]:
        yield Job(f"a {what} that is not there is told though it is not needed", 2, "late", env=env,
                  expect=f"warning: the setting `{what}` ", seconds=BRIEF)
    yield Job("3 ranks, single copy", 3, "collectives", env=SINGLE)
    yield Job("3 ranks, double copy", 3, "collectives", env=DOUBLE)
    yield Job("3 ranks, double copy for the sake of one", 3, "collectives",
              rank_1="TUTTI_SHM_COPY=double")
    slots = ["TUTTI_LINE_SLOTS", "TUTTI_SMALL_SLOTS", "TUTTI_EAGER_SLOTS", "TUTTI_READY_SLOTS"]
    yield Job("4 ranks, one slot each", 4, "collectives", env=dict.fromkeys(slots, "1"))
    yield Job("2 ranks, blocks of 16 MiB", 2, "collectives", ["--large"], alone=True)
    yield Job("2 ranks, more than 2^31 bytes", 2, "collectives", ["--huge"])


def errors():
    """Calls that are wrong on some ranks or on all, and calls that look so."""
    for ranks in [2, 3, 4]:
        yield Job(f"another size on one of {ranks} ranks", ranks, "other_sizes")
    for ranks in [1, 2, 4]:
        for where, env in [("", {}), (" where one copy is made", SINGLE),
                           (" where two copies are made", DOUBLE)]:
            yield Job(f"errors{where}, {ranks} ranks", ranks, "errors", env=env)
        yield Job(f"what MPI allows and few programs do, {ranks} ranks", ranks, "semantics",
                  force="exscan")
    for ranks in [2, 3, 4]:
        yield Job(f"calls are compared before, {ranks} ranks", ranks, "checked", env=CHECK,
                  seconds=BRIEF)
    # Right calls pass, and wrong ones give the same codes as without the check.
    yield Job("what MPI allows and few programs do, calls compared", 3, "semantics",
              force="exscan", env=CHECK)
    yield Job("collectives, calls compared", 3, "collectives", env={"TUTTI_CHECK": "1"})
    yield Job("errors, calls compared", 3, "errors", env=CHECK)
    for segments in ["bcast=chain(segment=1k);reduce=chain(segment=1k)",
                     "bcast=circulant(segment=1k);scan=linear(segment=1k);"
                     "exscan=linear(segment=1k)"]:
        yield Job(f"errors in segments, {segments}", 3, "errors",
                  env={"TUTTI_ALGORITHM": segments})


def deaths():
    """A rank gives up, or is killed, and others go on."""
    for copy, env in [("single", SINGLE), ("double", DOUBLE), ("auto", {})]:
        yield Job(f"what a rank that gives up leaves to others, shm_copy {copy}", 4, "given_up",
                  [4], env=env)
    # Blocks, their length, and the moment at which a rank is killed: a seed, or 0, between two.
    for blocks, size, seeds in [("small", 100, [0, 1]), ("large", 200000, [0, 1, 2, 4, "new"]),
                                ("long", 1048576, [1, 2, 3, "new"])]:
        for seed in seeds:
            when = {0: "between two", "new": "at a moment by a new seed"}
            yield Job(f"dead rank, {blocks} blocks, killed "
                      + when.get(seed, f"at a moment by seed {seed}"), 5, "dead_rank", [size, seed],
                      env=SINGLE if blocks == "long" else {},
                      suite="long" if seed == "new" else "mpi", seconds=BRIEF)


def around_the_job():
    """Surroundings of a job: its MPI, a GPU, a log, threads, changing memory, other libraries."""
    for ranks in [2, 3, 4]:
        yield Job(f"MPI goes on while ranks wait, {ranks} ranks", ranks, "pending", seconds=BRIEF)
    yield Job("memory of a GPU is refused", 2, "gpu", ["{build}/tests/mpi/libgpu_driver.so"],
              needs="gpu_driver", seconds=BRIEF)
    yield Job("the log says why an algorithm was chosen", 2, "tutti",
              ["bench", "--collective", "barrier", "--no-mpi", "--time-limit", "0.01"],
              env={"TUTTI_LOG": "info"}, expect="the least time by the model", seconds=BRIEF)
    yield Job("the log says how calls go on while the program computes", 3, "progress",
              env=THREAD | {"TUTTI_LOG": "info"},
              expect="(3 ranks of this machine, ", seconds=BRIEF)
    yield Job("the log cannot be written", 3, "broken_log", seconds=BRIEF)
    yield Job("drop-in, 5,000 communicators, one after another", 2, "plain_life", [5000],
              beside="drop_in", needs="drop_in")
    # Even a leak of 24 bytes from each would exceed the program's limit.
    yield Job("drop-in, 100,000 communicators, one after another", 2, "plain_life", [100000],
              beside="drop_in", needs="drop_in", suite="long", alone=True)
    yield Job("who waits for long says for whom", 2, "hang", [10],
              env={"TUTTI_REPORT_AFTER": "300"},
              expect="rank 0 of MPI_COMM_WORLD has been in call 2 of communicator `solver` "
                     "(allreduce, 8 bytes) for", seconds=BRIEF)
    yield Job("who waits for long says what the process of the other does", 2, "hang", [10],
              env=SHM | {"TUTTI_REPORT_AFTER": "500", "TUTTI_PROBE_INTERVAL": "50"},
              expect="sleeps or waits for something else", seconds=BRIEF)
    for ranks in [2, 4]:
        yield Job(f"a rank is late where ranks meet, {ranks} ranks", ranks, "late", seconds=BRIEF)
    for ranks in [2, 3]:
        yield Job(f"threads, {ranks} ranks", ranks, "threads", seconds=BRIEF, alone=True)
    for copy, env in [("single", SINGLE), ("double", DOUBLE)]:
        yield Job(f"threads, shm_copy {copy}", 2, "threads", env=env, seconds=BRIEF, alone=True)
    yield Job("pages change behind an address", 2, "remap", seconds=BRIEF)
    yield Job("beside libraries with the same functions", 2, "collectives", beside="meddler",
              needs="meddler", seconds=BRIEF)


def containers():
    """Ranks in containers, and memory that is scarce or has no name."""
    pids = "every other rank in a container with its own PIDs"
    yield Job(f"{pids}, one copy", 4, "collectives", apart="pid", env=SINGLE | SHM, seconds=BRIEF)
    yield Job(f"{pids} that computes for 1 s", 3, "slow_rank", [1], apart="pid", seconds=BRIEF)
    yield Job(f"{pids}, that wants memory without a name", 3, "collectives", apart="pid",
              env=SHM | MEMFD | {"TUTTI_LOG": "info"},
              expect="shared memory within the node: a file", seconds=BRIEF)
    yield Job("32 ranks, each with each, and a small /dev/shm", 32, "many", small_shm=3,
              seconds=BRIEF, alone=True)
    yield Job("a /dev/shm that cannot allocate", 3, "collectives", ramfs=True,
              env={"TUTTI_LOG": "info"}, expect="shared memory within the node: memfd",
              seconds=BRIEF)
    yield Job("collectives, 4 ranks, memory without a name", 4, "collectives", env=MEMFD,
              seconds=BRIEF)
    yield Job("dead rank that leaves a child", 4, "dead_rank", [200000, 0],
              env={"DEAD_RANK_CHILD": "yes"}, seconds=BRIEF)
    yield Job("dead rank, memory without a name", 4, "dead_rank", [200000, 1], env=MEMFD,
              seconds=BRIEF)
    yield Job("every other rank in a container with its own IPC", 3, "collectives", apart="ipc",
              seconds=BRIEF)
    for kind, what, message in [
            ("shm", "a /dev/shm", "does not share this rank's /dev/shm"),
            ("uts", "a host name", "set TUTTI_NODE to one name for both")]:
        yield Job(f"a container with {what} of its own has a message", 2, "collectives", apart=kind,
                  status=1, expect=message, seconds=BRIEF)
    yield Job("a container with a host name of its own, and one name for the node", 3,
              "collectives", apart="uts", env={"TUTTI_NODE": "ours"} | SHM, seconds=BRIEF)


def calls():
    """Calls at odd moments, and calls that fail."""
    yield Job("a child forked and going on", 2, "forked", seconds=BRIEF)
    yield Job("a buffer with a hole", 3, "hole", env=SINGLE, seconds=BRIEF)
    yield Job("the same call again", 3, "repeats", seconds=BRIEF)
    yield Job("memory of 12 communicators", 2, "scratch", env=SINGLE, seconds=BRIEF)
    yield Job("memory of 12 communicators, calls compared", 2, "scratch",
              env=SINGLE | {"TUTTI_CHECK": "calls"}, seconds=BRIEF)
    yield Job("a first call that is rejected", 5, "refused", seconds=BRIEF)
    yield Job("a first call that is rejected, all ranks together", 3, "refused", ["all"],
              seconds=BRIEF)
    yield Job("functions of the program that call Tutti", 2, "called_back", seconds=BRIEF)
    yield Job("functions of the program that call Tutti, threads", 2, "called_back", ["threads"],
              seconds=BRIEF)
    yield Job("an operation that fails on one rank", 4, "failing_operation", seconds=BRIEF)
    lines = ("allreduce=ring;reduce=chain(segment=1k);reduce_scatter=ring;scan=linear;"
             "exscan=linear")
    yield Job("an operation that fails on one rank, in rings and lines", 4, "failing_operation",
              env={"TUTTI_ALGORITHM": lines}, seconds=BRIEF)
    yield Job("MPI_Finalize called too early", 3, "after_mpi", seconds=BRIEF)
    yield Job("a forked child that calls Tutti", 2, "child", seconds=BRIEF)
    yield Job("exit handlers that call Tutti", 3, "at_exit", seconds=BRIEF)
    yield Job("one end of a connection fails", 2, "one_side", seconds=BRIEF)
    for error in ["EPERM", "ENOMEM", "EIO"]:
        yield Job(f"the kernel refuses a copy, {error}", 3, "refused_copy", [error], env=SINGLE,
                  seconds=BRIEF)
    for side, types in [("both", ["vector", "resized", "struct", "indexed", "subarray"]),
                        ("send", ["struct"]), ("receive", ["indexed"])]:
        for name in types:
            yield Job(f"tutti bench --type {name}, {side}", 3, "tutti",
                      ["bench", "--type", name, "--type-side", side, "--sizes", "8,960,60k",
                       "--piece", "24" if side == "send" else "32", "--root", "1",
                       "--time-limit", "0.01"], expect="alltoall", seconds=BRIEF)
    for form in ["equal", "reversed", "unequal"]:
        yield Job(f"tutti bench --v-forms {form}", 3, "tutti",
                  ["bench", "--v-forms", form, "--sizes", "1,64,60k", "--time-limit", "0.01"],
                  expect="alltoall", seconds=BRIEF)
    # MPICH 4.0.2 fails in persistent scatters and gathers of three ranks.
    for form, some, last in [("non-blocking", "all", "exscan"),
                             ("persistent", "barrier,bcast,allreduce,alltoall", "alltoall")]:
        yield Job(f"tutti bench --form {form}", 3, "tutti",
                  ["bench", "--form", form, "--collective", some, "--sizes", "8,60k",
                   "--time-limit", "0.01"], expect=last, seconds=BRIEF)
    yield Job("tutti bench --overlap", 2, "tutti",
              ["bench", "--overlap", "--sizes", "8,60k", "--repetitions", "5"],
              env=THREAD, expect="hidden", seconds=BRIEF)
    for circumstance in [["--cold"], ["--late", "0.5"], ["--cold", "--late", "2"]]:
        yield Job(f"tutti bench {' '.join(circumstance)}", 3, "tutti",
                  ["bench", *circumstance, "--collective", "all", "--sizes", "8,60k",
                   "--repetitions", "5"], expect="exscan", seconds=BRIEF)
    yield Job("tutti bench", 2, "tutti",
              ["bench", "--max", "64k", "--time-limit", "0.05", "--json",
               "{build}/tests/mpi/bench.json", "--svg", "{build}/tests/mpi/bench.svg"],
              expect="allgather", seconds=BRIEF)


FORMS = {"non-blocking": {"JOB_FORM": "nonblocking"}, "persistent": {"JOB_FORM": "persistent"}}


def requests():
    """Calls that are begun and ended by different functions."""
    for ranks in [1, 2, 3, 5]:
        yield Job(f"requests, {ranks} ranks", ranks, "requests")
    slots = ["TUTTI_LINE_SLOTS", "TUTTI_SMALL_SLOTS", "TUTTI_EAGER_SLOTS", "TUTTI_READY_SLOTS"]
    yield Job("requests, one slot each, 4 ranks", 4, "requests", env=dict.fromkeys(slots, "1"))
    for what, env in [("in one copy", SINGLE), ("in two copies", DOUBLE)]:
        yield Job(f"requests, {what}, 3 ranks", 3, "requests", env=env)
    for ranks in [2, 3, 5]:
        yield Job(f"a rank that sits in MPI stops nobody, {ranks} ranks", ranks, "progress",
                  env=THREAD)
    yield Job("requests, with a thread, 3 ranks", 3, "requests", env=THREAD)
    for ranks in [1, 2, 4]:
        yield Job(f"requests of several threads, {ranks} ranks", ranks, "shared_requests",
                  seconds=BRIEF)
    for calls, ranks, what, env in [(3000, 2, "", {}), (2000, 5, "", {}),
                                    (1000, 4, ", one slot each", dict.fromkeys(slots, "1")),
                                    (1000, 3, ", with a thread", THREAD)]:
        yield Job(f"random collectives in all forms{what}, {ranks} ranks", ranks, "mixed",
                  [calls, ranks], env=env)
    yield Job("200,000 random collectives in all forms, 3 ranks", 3, "mixed", [200000, 1],
              suite="long", seconds=7200)
    for ranks in [1, 2, 3, 4, 5]:
        yield Job(f"neighbours, {ranks} ranks", ranks, "neighbours", [12, ranks])
        yield Job(f"neighbours, messages combined, {ranks} ranks", ranks, "neighbours",
                  [12, 10 + ranks], env=COMBINED)
    for form, env in FORMS.items():
        yield Job(f"neighbours, {form}, 4 ranks", 4, "neighbours", [6, 9], env=env)
        yield Job(f"collectives, {form}, 4 ranks", 4, "collectives", env=env)
        yield Job(f"every algorithm, {form}, 3 ranks", 3, "matrix", force="all", env=env,
                  seconds=LONG, alone=True)
        yield Job(f"derived datatypes, {form}, 3 ranks", 3, "datatypes", env=env, seconds=BRIEF)
        yield Job(f"every operation on every type, {form}", 2, "reductions", env=env, seconds=BRIEF)
        yield Job(f"what MPI allows and few programs do, {form}", 3, "semantics", force="exscan",
                  env=env)


def drop_in(*ranks, levels=(3,)):
    """Plain MPI programs under the drop-in. At thread levels below MPI_THREAD_MULTIPLE two threads
    end in UCX under MPICH, without Tutti as well."""
    def under(name, ranks, *words, **more):
        return Job(f"drop-in, {name}, {ranks} ranks", ranks, *words, beside="drop_in",
                   needs="drop_in", seconds=BRIEF, **more)

    for P in ranks:
        yield under("every collective", P, "plain")
        yield under("communicators", P, "plain_life")
        yield under("every non-blocking collective", P, "plain_nonblocking")
        yield under("every collective of neighbours", P, "plain_neighbours")
        if P > 1:  # those of one rank are the MPI's, and MPICH 4.0's gather moves nothing
            yield under("every persistent collective", P, "plain_persistent")
            yield under("persistent requests among others", P, "plain_started")
    yield under("every collective, calls compared", 3, "plain", env=CHECK)
    yield under("errors, calls compared", 3, "plain_errors", env=CHECK)
    yield under("communicators and statistics", 3, "plain_life", env={"TUTTI_STATS": "1"},
                expect="the MPI: its communicator is new")
    yield under("every collective of neighbours from the first call on", 3, "plain_neighbours",
                env={"TUTTI_DROP_IN_FROM": "1"})
    yield under("communicators from their first call on", 3, "plain_life",
                env={"TUTTI_DROP_IN_FROM": "1"})
    yield under("a rank is late", 3, "plain_late",
                env={"TUTTI_DROP_IN_FROM": "1", "TUTTI_REPORT_AFTER": "200"})
    for P in ranks[1:3]:
        yield under("a rank sits elsewhere", P, "plain_progress")
        yield under("many calls in flight", P, "plain_many")
    yield under("every non-blocking collective, without the thread", 3, "plain_nonblocking",
                env={"TUTTI_PROGRESS": "calls"})
    yield under("windows", 2, "plain_windows", alone=True)
    for P in ranks[1:]:
        yield under("errors", P, "plain_errors")
    for level in levels:
        yield under(f"threads at level {level}", 2, "plain_threads", [level])


def jobs(mpi, sanitizer):
    """The jobs of a build with these options, in the order in which they run."""
    parts = [slow_rank]
    if "thread" in sanitizer:
        # No more: MPICH brings UCX's memory hooks, which the thread sanitizer does not survive at
        # the end of a thread.
        pass
    elif sanitizer != "none":
        parts += [with_sanitizers, lambda: drop_in(2, 3)]
    elif mpi == "openmpi":
        parts += [with_open_mpi, lambda: drop_in(1, 2, 4, levels=(1, 3))]
    else:
        parts += [algorithms, settings, errors, deaths, around_the_job, containers, calls,
                  requests, lambda: drop_in(1, 2, 3, 4)]
    found = [one for part in parts for one in part()]
    names = collections.Counter(one.name for one in found)
    if twice := [name for name, count in names.items() if count > 1]:
        raise SystemExit(f"jobs with the same name: {', '.join(twice)}")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for row in jobs(*sys.argv[1:]):
        print(row.name, row.suite, row.seconds, "alone" if row.alone else "beside", row.program,
              row.needs, sep="\t")
