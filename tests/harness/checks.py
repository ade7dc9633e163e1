"""For tests that are scripts: the first check that fails ends them."""
import pathlib
import shlex
import subprocess
import sys

made = 0  # checks so far


def check(truth, message):
    global made
    made += 1
    if not truth:
        sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {message}")


def run(*command, together=False, **more):
    """The output of a command that must succeed. `together`: stderr, too."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, errors="replace",
                          stderr=subprocess.STDOUT if together else subprocess.PIPE, **more)
    check(done.returncode == 0, f"{shlex.join(words)}: status {done.returncode}\n"
                                f"{(done.stdout + (done.stderr or ''))[-4000:]}")
    return done.stdout
