"""Builds, and the suites of Meson tests in them."""
import json
import os
import re
import subprocess

from harness.builds import compilers
from harness.command import Command, under_way

# A line that Meson prints when a test has ended: its name, how it ended, and after how long.
ENDED = re.compile(r"^\s*\d+/\d+ (?:\S+ / )?(.*?) +(OK|[A-Z]{4,}) +([\d.]+)s")

# Function names in traces come without debug information, which would take three tenths of the
# compiler's time; who wants line numbers builds with `-Ddebug=true`.
NO_DEBUG = ["-Ddebug=false"]


class Suites:
    """A build folder: configured, built and tested with Meson. `label` stands before the names of
    its tests; without one the suite does. `compiler`: C's and C++'s."""

    def __init__(self, runner, root, folder, options, title, label="", compiler=("gcc", "g++")):
        self.runner, self.root, self.folder = runner, root, runner.work / folder
        self.options, self.title, self.label = options, title, label
        self.env = compilers(runner.work, *compiler)

    def build(self, *suites, everything=False, how=lambda command: command):
        """Configures, and builds what the tests of these suites need; or all targets, too. `how`
        may change the commands: where other things run beside it, it takes as long as they let it.
        """
        configure = ["meson", "setup", self.folder, self.root, *NO_DEBUG, *self.options]
        if (self.folder / "meson-info").exists():  # from an earlier run, perhaps with others
            configure.insert(2, "--reconfigure")
        if not self.runner.run(f"configure {self.title}", how(Command(configure, self.env)), 3600):
            return False
        needed = {target for test in self.tests(suites) for target in test["depends"]}
        targets = sorted(output for target in self.introspect("--targets")
                         if target["id"] in needed for output in target["filename"])
        command = ["ninja", "-C", self.folder,
                   *(os.path.relpath(target, self.folder) for target in targets)]
        if everything:
            command.append("all")
        return self.runner.run(f"build {self.title}", how(Command(command, self.env)), 3600)

    def test(self, *suites, log="testlog"):
        """Runs the tests of these suites. A test that is skipped, or is not run, has failed."""
        tests = self.tests(suites)
        if not tests:
            self.runner.note(f"{self.title}: {', '.join(suites)}", "there are no tests")
        shown = {test["name"]: f"{self.label or test['suite'][0].split(':')[1]}: {test['name']}"
                 for test in tests}
        names = [name for name in shown if self.runner.wants(shown[name])]
        if not names:
            return
        logged = self.folder / f"meson-logs/{log}.json"
        logged.unlink(missing_ok=True)
        # Time limits in the tests are for a machine that has nothing else to do.
        patience = 10 if any("b_sanitize" in option for option in self.options) else 5
        command = ["meson", "test", "-C", self.folder, "--no-rebuild", "--logbase", log,
                   "--timeout-multiplier", patience]
        for suite in suites:
            command += ["--suite", suite]
        process = Command(command + (names if self.runner.match else []), self.env).start()
        passed, said = set(), []
        with under_way(process):
            for line in process.stdout:
                said.append(line.rstrip())
                ended = ENDED.match(line)
                if ended and ended[2] == "OK" and ended[1] in names:
                    passed.add(ended[1])
                    self.runner.note(shown[ended[1]], took=float(ended[3]))
            process.wait()
        results = {}
        if logged.exists():
            results = {result["name"].split(" / ", 1)[-1]: result
                       for result in map(json.loads, logged.read_text().splitlines())}
        for name in names:
            if name not in results:
                self.runner.note(shown[name], "was not run", lines=said[-10:])
                said = []
            elif name not in passed:
                self.judge(shown[name], results[name])

    def judge(self, name, result):
        problem = "" if result["result"] == "OK" else result["result"]
        output = result["stdout"] + result.get("stderr", "")
        self.runner.note(name, problem, result["duration"], output.splitlines()[-60:])

    def tests(self, suites):
        def wanted(test):
            return not suites or any(suite.split(":")[-1] in suites for suite in test["suite"])

        return list(filter(wanted, self.introspect("--tests")))

    def introspect(self, what):
        return json.loads(subprocess.run(["meson", "introspect", self.folder, what], check=True,
                                         capture_output=True).stdout)
