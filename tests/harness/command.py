"""A test is a command that must end with a status, print a text, and satisfy a judge."""
import contextlib
import dataclasses
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

# The process that each thread of this program waits for.
UNDER_WAY = {}
# Set when this program was told to end: no command begins any more.
INTERRUPTED = threading.Event()


@dataclasses.dataclass
class Command:
    words: list
    env: dict = dataclasses.field(default_factory=dict)  # in addition to the caller's
    status: int | None = 0  # None: the judge alone decides
    expect: str = ""  # a part of the output, of stdout and stderr together
    judge: Callable[[str], str] | None = None  # says what is wrong with the output; "": nothing

    def start(self, output=subprocess.PIPE, **options):
        if INTERRUPTED.is_set():
            raise OSError("interrupted")
        return subprocess.Popen(
            [str(word) for word in self.words], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env=os.environ | {k: str(v) for k, v in self.env.items()},
            text=True, errors="replace", **options)

    def wrong(self, status, output):
        """The complaint about a run that ended like this; "": it passed."""
        if self.status is not None and status != self.status:
            return f"status {status}, not {self.status}"
        if self.expect not in output:
            return f"did not print '{self.expect}'"
        return self.judge(output) if self.judge else ""

    def run(self, seconds, cwd):
        """Runs it, for so many seconds at most. Returns what is wrong, and the output."""
        try:
            process = self.start(cwd=cwd, start_new_session=True)
        except OSError as error:
            return str(error), ""
        try:
            with under_way(process):
                output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"no end after {seconds} s", process.communicate()[0]
        return self.wrong(process.returncode, output), output

    def follow(self):
        """Runs it as a program of its own that a caller watches: prints the command, its output as
        it comes, and what is wrong. Returns the exit status. The caller sets the time limit, and
        ends the whole process group."""
        settings = [f"{name}={value}" for name, value in self.env.items()]
        print(shlex.join([*settings, *map(str, self.words)]), flush=True)
        process = self.start()
        lines = []
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
        problem = self.wrong(process.wait(), "".join(lines))
        if problem:
            print(f"{os.path.basename(sys.argv[0])}: {problem}", flush=True)
        return 1 if problem else 0


@contextlib.contextmanager
def under_way(process):
    """While this thread waits for the process, others may have it raised; see wait_for()."""
    UNDER_WAY[threading.current_thread()] = process.pid
    try:
        yield
    finally:
        del UNDER_WAY[threading.current_thread()]


def end_with_commands(number, _):
    """For signal.signal(): ends the commands of all threads, which a terminal's interrupt does not
    reach, as each has a session of its own, and then this program."""
    INTERRUPTED.set()
    for how in [*[signal.SIGTERM] * 30, signal.SIGKILL]:  # for 3 s they may end their own
        left = [pid for pid in list(UNDER_WAY.values()) if runs(pid)]
        for pid in left:
            with contextlib.suppress(OSError):
                (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, how)
        if not left:
            break
        time.sleep(0.1)
    raise SystemExit(128 + number)


def runs(pid):
    """Whether this child has not ended."""
    with contextlib.suppress(ChildProcessError):  # another thread has waited for it
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    return False


def wait_for(thread):
    """Waits until the thread has ended. As it is waited for, its commands are in the background no
    more: beside a busy process on each core a build would take an hour there. Only root may raise a
    priority; for others nothing changes."""
    while thread.is_alive():
        if (pid := UNDER_WAY.get(thread)) is not None:
            raise_priority(pid)
        thread.join(1)


def raise_priority(pid):
    """A process and those that come from it get the usual priority."""
    with contextlib.suppress(OSError):  # it has ended, or the system does not allow it
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            for child in path.read_text().split():
                raise_priority(int(child))
        if os.getpriority(os.PRIO_PROCESS, pid) > 0:
            os.setpriority(os.PRIO_PROCESS, pid, 0)
            pathlib.Path(f"/proc/{pid}/autogroup").write_text("0")


def lower_priority():
    """Leaves this process, which leads a session, and its children what the cores have left. The
    session's priority (its autogroup) counts before that of its processes."""
    os.nice(19)
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/autogroup").write_text("19")


def in_background(command):
    """The same command, started like that."""
    folder = str(pathlib.Path(__file__).resolve().parent.parent)
    start = f"import os, sys; sys.path.insert(0, {folder!r}); " \
            "from harness.command import lower_priority; lower_priority(); " \
            "os.execvp(sys.argv[1], sys.argv[1:])"
    return dataclasses.replace(command, words=[sys.executable, "-c", start, *command.words])
