"""Runs tests, prints a line for each, and sums them up: what failed and how to run it again comes
last."""
import contextlib
import dataclasses
import re
import shlex
import threading
import time
import traceback

from harness.command import wait_for

SLOWEST = 10  # tests that the summary names
SHOWN = 60  # lines of a failed test's output


@dataclasses.dataclass
class Result:
    part: str
    name: str
    problem: str  # "": passed
    seconds: float
    lines: list  # the end of the output, if it failed


def literally(name):
    """A regular expression that matches this name alone."""
    return "^" + re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", name) + "$"


class Runner:
    """`here.part` is the part under way in this thread; beside() hands it to another one."""

    def __init__(self, work, match=""):
        self.work = work  # the folder in which builds and what they leave lie
        self.match = match  # a regular expression: tests with other names are not asked for
        self.results = []
        self.minutes = {}  # of each part
        self.lock = threading.Lock()
        self.threads = []
        self.here = threading.local()

    @property
    def failed(self):
        return [result for result in self.results if result.problem]

    def wants(self, name):
        return re.search(self.match, name) is not None

    def ran_what_was_wanted(self):
        """Whether any test matched; builds, which run anyway, count if their names do."""
        return any(self.wants(result.name) for result in self.results)

    @contextlib.contextmanager
    def timed(self, part):
        """A part of the tests, for results and for the table of minutes."""
        self.here.part, begin = part, time.monotonic()
        try:
            yield
        finally:
            self.minutes[part] = (time.monotonic() - begin) / 60

    @contextlib.contextmanager
    def counted_for(self, part):
        """Counts the tests that this thread runs for another part."""
        before, self.here.part = self.here.part, part
        try:
            yield
        finally:
            self.here.part = before

    def run(self, name, command, seconds=120, show=False):
        """One test, a Command. Its output is shown if it fails, or if it is to be shown."""
        begin = time.monotonic()
        problem, output = command.run(seconds, self.work)
        lines = output.splitlines()
        return self.note(name, problem, time.monotonic() - begin,
                         lines[-SHOWN:] if problem else lines if show else [])

    def note(self, name, problem="", took=0.0, lines=()):
        """Counts one test that was run; `problem` is empty if it passed. Returns whether it did."""
        remarks = ", ".join([*([problem] if problem else []), f"{took:.1f} s"])
        text = f"{'FAILED ' if problem else 'ok     '} {name} ({remarks})"
        with self.lock:
            self.results.append(Result(self.here.part, name, problem, took,
                                       list(lines) if problem else []))
            print("\n".join([text, *("    " + line for line in lines)]), flush=True)
        return not problem

    def not_reached(self):
        """Counts the exception that has ended the part of this thread."""
        self.note(f"the part {self.here.part} to its end", "it was not reached",
                  lines=traceback.format_exc().splitlines())

    def beside(self, function, *arguments, **more):
        """Calls a function beside what follows, in a thread that is returned; see join()."""
        part = self.here.part

        def run():
            self.here.part = part
            try:
                function(*arguments, **more)
            except Exception:
                self.not_reached()

        thread = threading.Thread(target=run)
        self.threads.append(thread)
        thread.start()
        return thread

    def join(self):
        while self.threads:
            wait_for(self.threads.pop())

    def in_lanes(self, lanes, function, tests):
        """Calls `function(test, lane)` for all tests, one after another in each lane."""
        tests, part, lock = iter(tests), self.here.part, threading.Lock()

        def work_in(lane):
            self.here.part = part
            while True:
                with lock:
                    test = next(tests, None)
                if test is None:
                    return
                function(test, lane)

        threads = [threading.Thread(target=work_in, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def summary(self):
        """The parts' minutes, the slowest tests, what failed, and the closing line."""
        lines = [f"{'part':<10} {'minutes':>7} {'tests':>6}"]
        for part, minutes in self.minutes.items():
            tests = sum(result.part == part for result in self.results)
            lines.append(f"{part:<10} {minutes:>7.1f} {tests:>6}")
        lines += ["", "slowest"]
        slow = sorted(self.results, key=lambda result: -result.seconds)[:SLOWEST]
        lines += [f"{result.seconds:>6.0f} s  {result.name}" for result in slow]
        for result in self.failed:
            once_more = shlex.join(["tools/test", "--only", result.part, "--match",
                                    literally(result.name)])
            lines += ["", f"FAILED  {result.name}: {result.problem}",
                      *("    " + line for line in result.lines),
                      f"    to run it again: {once_more}"]
        passed = len(self.results) - len(self.failed)
        return "\n".join([*lines, "", f"{sum(self.minutes.values()):.1f} minutes",
                          f"{passed} passed, {len(self.failed)} failed"])
