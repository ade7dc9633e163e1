#!/usr/bin/env python3
"""Jobs in which something goes wrong, by seeds (faults_test.cpp): every rank must end with right
results or with an error, in bounded time, and leave nothing behind. A seed that failed is named;
the same seed does the same again, but for the machine's timing."""
import argparse
import collections
import json
import os
import pathlib
import random
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.builds import Build  # noqa: E402
from harness.command import Command  # noqa: E402
from harness.jobs import with_small_shm  # noqa: E402
from harness.segments import left_behind, segments  # noqa: E402

FAULTS = {
    "none": "nothing goes wrong",
    "stop": "a rank is stopped and goes on, five times",
    "kill": "a rank is killed",
    "child": "a rank is killed that has forked a child, which lives on",
    "refuse": "one call to the system or to verbs fails",
    "exhaust": "the same, and all later calls of that function",
    "full": "on one host: /dev/shm, the job's own, is full from a moment on",
    "link": "in the virtual RDMA host: a host's link goes away for up to half a second",
    "cut": "the same, for good",
}
# Kinds of calls to refuse. A seed draws one of those that are asked for.
KINDS = {
    "memory": "malloc, new", "maps": "mmap, mprotect, shm_open, ftruncate, fallocate",
    "threads": "pthread_create, eventfd", "copies": "process_vm_readv, process_vm_writev",
    "sockets": "socket, bind, sendto", "devices": "listing and opening them, protection domains",
    "registrations": "memory regions",
    "completions": "completion queues, their channels, shared receive queues",
    "pairs": "queue pairs, address handles",
}
EVERYWHERE = [fault for fault in FAULTS if fault not in ("link", "cut")]
OUTCOMES = ["right results on all ranks", "an error on all", "results on some, errors on others"]
MUST_SUCCEED = {"none", "stop"}
FORMS = ["blocking", "nonblocking", "persistent"]


class Link:
    """Takes the link of a host away at a moment by the seed, and gives it back."""

    def __init__(self, fault, seed, folder):
        self.fault, self.folder, self.random = fault, folder, random.Random(seed)
        self.host = self.random.randrange(1, max(2, len(list(pathlib.Path("/run/uts").glob("*")))))
        self.back = threading.Event()
        self.thread = threading.Thread(target=self.take_away)

    def set(self, state):
        """The far end of the cable, in the machine's own namespace."""
        subprocess.run(["nsenter", "-t", "1", "-n", "ip", "link", "set", f"veth{self.host}", state],
                       check=True)

    def take_away(self):
        while not (self.folder / "begun").exists() and not self.back.wait(0.01):
            pass
        time.sleep(self.random.random())
        self.set("down")
        self.back.wait(self.random.random() / 2 if self.fault == "link" else None)
        self.set("up")

    def __enter__(self):
        if self.fault in ("link", "cut"):
            self.thread.start()
        return self

    def is_there(self):
        """A closed port of the host says so."""
        try:
            socket.create_connection((f"host{self.host}", 9), timeout=1).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return True

    def __exit__(self, *_):
        self.back.set()
        if self.thread.ident is None:
            return
        self.thread.join()
        # The kernel takes a moment until it sends packets there, and the next job needs the host.
        for _ in range(300):
            if self.is_there():
                return
            time.sleep(0.1)
        raise SystemExit(f"host{self.host} does not come back")


def finish(command, folder, ranks, limit):
    """Runs a job to its end, or until all ranks have reported: a launcher that has lost a host may
    wait for ever. Returns what is wrong, and the output."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = command.start(output=output, start_new_session=True)
        problem, reported, begin = "", None, time.monotonic()
        while process.poll() is None and not problem:
            time.sleep(0.02)
            now = time.monotonic()
            if reported is None and len(list(folder.glob("rank-*"))) == ranks:
                reported = now
            if reported is not None and now - reported > 2:
                break
            if now - begin > limit:
                problem = f"no end after {limit} s"
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return problem, output.read()


def run_one(options, build, fault, form, ranks, seed):
    """Runs one job. Returns its outcome, or what is wrong, and what the ranks reported."""
    before = segments()
    with tempfile.TemporaryDirectory(prefix="tutti-faults-") as folder:
        program = build.folder / "tests/faults/faults_test"
        words = shlex.join([str(program), folder, str(seed), str(options.calls),
                            fault.replace(" ", ":")])
        shell = f"trap : USR1; trap '' PIPE; {words}; true"
        unclean = ["-disable-auto-cleanup"] if build.mpi == "mpich" else []
        words = [build.launcher, *unclean, "-n", ranks, "sh", "-c", shell]
        command = Command(words, build.job_environment(), status=None)
        if form != "blocking":
            command.env["JOB_FORM"] = form
        if fault == "full":
            command = with_small_shm(command, 16)
            command.env["TUTTI_SHM_MEMORY"] = "file"
        here = pathlib.Path(folder)
        with Link(fault, seed, here):
            problem, output = finish(command, here, ranks, options.limit)
        reports = {int(path.name.removeprefix("rank-")): path.read_text().strip()
                   for path in here.glob("rank-*")}
    told = [f"rank {rank}: {line}" for rank, line in sorted(reports.items())]
    if "WRONG DATA" in output:
        problem = "wrong data"
    elif not problem and len(reports) < ranks:
        problem = f"{ranks - len(reports)} ranks reported nothing"
    elif not problem and (left := left_behind(build.folder, before)):
        problem = f"left behind: {', '.join(left)}"
    lines = list(reports.values())
    good = sum(line.startswith("ok") for line in lines)
    bad = sum(line.startswith("error") for line in lines)
    if not problem and bad and fault in MUST_SUCCEED and not options.lossy:
        problem = "an error, though nothing went wrong"
    if problem:
        return problem, told + output.splitlines()[-30:]
    return OUTCOMES[0 if bad == 0 else 1 if good == 0 else 2], told


def parse():
    parser = argparse.ArgumentParser(
        prog="faults.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="faults:\n" + "\n".join(f"  {name:<8} {what}" for name, what in FAULTS.items())
        + "\n\nkinds of calls:\n"
        + "\n".join(f"  {name:<14} {what}" for name, what in KINDS.items()))
    parser.add_argument("--build", default=".", help="the build folder (default: the current one)")
    parser.add_argument("--ranks", default="4", metavar="N[:M]",
                        help="ranks of a job: so many, or from N to M by the seed (default: 4)")
    parser.add_argument("--kinds", default="", metavar="KIND,…",
                        help="kinds of calls that are refused; all for all of them (default: any "
                             "call, which is most often one for memory)")
    parser.add_argument("--faults", default=",".join(EVERYWHERE), metavar="FAULT,…",
                        help="which (default: those that need no virtual RDMA host)")
    parser.add_argument("--seeds", default="1:5", metavar="FROM:TO", help="both included")
    parser.add_argument("--new", type=int, default=0, metavar="N", help="N more seeds, never tried")
    parser.add_argument("--forms", default="blocking", metavar="FORM,…",
                        help=f"forms of the collectives, in turn by the seeds: {', '.join(FORMS)} "
                             "(default: blocking)")
    parser.add_argument("--calls", type=int, default=60, help="collectives in each job")
    parser.add_argument("--limit", type=int, default=60, help="seconds that a job may take")
    parser.add_argument("--lossy", action="store_true",
                        help="packets get lost: an error is right, whatever the fault")
    parser.add_argument("--json", metavar="FILE", help="write what happened, by fault and outcome")
    parser.add_argument("--verbose", action="store_true", help="print each rank's report")
    options = parser.parse_args()
    options.faults = options.faults.split(",")
    for fault in options.faults:
        if fault not in FAULTS:
            parser.error(f"there is no fault '{fault}'; there are: {', '.join(FAULTS)}")
    options.forms = options.forms.split(",")
    for form in options.forms:
        if form not in FORMS:
            parser.error(f"there is no form '{form}'; there are: {', '.join(FORMS)}")
    options.kinds = list(KINDS) if options.kinds == "all" else [
        kind for kind in options.kinds.split(",") if kind]
    for kind in options.kinds:
        if kind not in KINDS:
            parser.error(f"there is no kind of calls '{kind}'; there are: {', '.join(KINDS)}")
    fewest, _, most = options.ranks.partition(":")
    options.ranks = range(int(fewest), int(most or fewest) + 1)
    first, last = map(int, options.seeds.split(":"))
    options.seeds = [*range(first, last + 1),
                     *(random.randrange(10**6, 2**31) for _ in range(options.new))]
    return options


def main():
    options = parse()
    build = Build(options.build)
    counts = collections.defaultdict(collections.Counter)
    problems, begin = [], time.monotonic()
    jobs = [(fault, seed) for seed in options.seeds for fault in options.faults]
    for done, (fault, seed) in enumerate(jobs, 1):
        started = time.monotonic()
        draw = random.Random(seed)
        ranks = draw.choice(options.ranks)
        form = options.forms[seed % len(options.forms)]
        if options.kinds and fault in ("refuse", "exhaust"):
            fault = f"{fault} {draw.choice(options.kinds)}"
        outcome, told = run_one(options, build, fault, form, ranks, seed)
        words = f"{fault}, {form}, {ranks} ranks, seed {seed}: {outcome}"
        counts[fault][outcome] += 1
        failed = outcome not in OUTCOMES
        if failed:
            problems.append(words)
        if failed or options.verbose:
            print(f"{words} ({time.monotonic() - started:.1f} s)")
            print("\n".join("    " + line for line in told))
        if os.isatty(2) and os.isatty(1):
            print(f"\r{done} of {len(jobs)} jobs", end="", file=sys.stderr, flush=True)
    print(f"{'':<22}" + "".join(f"{outcome:>36}" for outcome in OUTCOMES) + f"{'wrong':>8}")
    for fault, count in sorted(counts.items()):
        wrong = sum(n for outcome, n in count.items() if outcome not in OUTCOMES)
        print(f"{fault:<22}" + "".join(f"{count[outcome]:>36}" for outcome in OUTCOMES)
              + f"{wrong:>8}")
    for problem in problems:
        print(f"FAILED  {problem}")
    ranks = "–".join(map(str, sorted({options.ranks[0], options.ranks[-1]})))
    print(f"{len(jobs)} jobs of {ranks} ranks, {len(problems)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(counts, indent=1) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
