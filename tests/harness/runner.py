"""Runs tests one after another, prints a line for each, and counts them."""
import re
import threading
import time


class Runner:
    def __init__(self, work, match=""):
        self.work = work  # the folder in which builds and what they leave lie
        self.match = match  # a regular expression: tests with other names are not asked for
        self.passed = 0
        self.failed = []
        self.lock = threading.Lock()
        self.threads = []

    def wants(self, name):
        return re.search(self.match, name) is not None

    def run(self, name, command, seconds=120, show=False):
        """One test, a Command. Its output is shown if it fails, or if it is to be shown."""
        begin = time.monotonic()
        problem, output = command.run(seconds, self.work)
        lines = output.splitlines()
        return self.note(name, problem, time.monotonic() - begin,
                         lines[-60:] if problem else lines if show else [])

    def note(self, name, problem="", took=None, lines=()):
        """Counts one test that was run; `problem` is empty if it passed. Returns whether it did."""
        remarks = [problem] if problem else []
        if took is not None:
            remarks.append(f"{took:.1f} s")
        text = f"{'FAILED ' if problem else 'ok     '} {name}"
        if remarks:
            text += f" ({', '.join(remarks)})"
        with self.lock:
            if problem:
                self.failed.append(name)
            else:
                self.passed += 1
            print("\n".join([text, *("    " + line for line in lines)]), flush=True)
        return not problem

    def beside(self, function, *arguments, **more):
        """Calls a function that takes long and leaves the cores to others, beside what follows; see
        join()."""
        thread = threading.Thread(target=function, args=arguments, kwargs=more)
        self.threads.append(thread)
        thread.start()

    def join(self):
        while self.threads:
            self.threads.pop().join()
