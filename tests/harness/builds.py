"""A build folder as tests see it: its programs, its algorithms, and how its MPI starts jobs."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

# The cache of what is costly to make; tests/rdma/kernel uses the same.
CACHE = pathlib.Path(
    os.environ.get("TUTTI_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tutti")


def compilers(folder, c="gcc", cpp="g++"):
    """Settings that name the compilers, and with which builds of one source in different folders
    share most of what was compiled. `folder` holds source and builds."""
    if not shutil.which("ccache"):
        return {"CC": c, "CXX": cpp}
    return {"CC": f"ccache {c}", "CXX": f"ccache {cpp}", "CCACHE_DIR": str(CACHE / "ccache"),
            "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}


class Build:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        options = json.loads((self.folder / "meson-info/intro-buildoptions.json").read_text())
        values = {option["name"]: option["value"] for option in options}
        self.own_folder = None
        self.mpi, self.sanitizer = values["mpi"], values.get("b_sanitize", "none")
        if self.mpi in ("mpich", "openmpi"):  # as Debian calls them; else a compiler
            self.launcher = f"mpiexec.{self.mpi}"
        else:
            beside = pathlib.Path(shutil.which(self.mpi) or self.mpi).with_name("mpiexec")
            self.launcher = str(beside) if beside.exists() else "mpiexec"

    def program(self, name):
        """`tutti`, a program of tests/mpi, tests/drop-in, tests/rdma or tests/faults, or any other
        by its path."""
        if name == "tutti":
            return self.folder / "tools/tutti"
        if "/" in name:
            return self.folder / name
        folders = {"rdma": ["devices", "grows", "in_flight", "landed", "multicast", "rails",
                            "traffic", "unlucky"],
                   "faults": ["soak"],
                   "drop-in": ["plain", "plain_errors", "plain_late", "plain_life", "plain_many",
                               "plain_neighbours", "plain_nonblocking", "plain_persistent",
                               "plain_progress", "plain_started", "plain_threads", "plain_windows"]}
        folder = next((folder for folder, names in folders.items() if name in names), "mpi")
        return self.folder / f"tests/{folder}/{name}_test"

    def drop_in(self):
        """The library to preload."""
        return next(self.folder.glob("libtutti-mpi-*.so"))

    def algorithms(self):
        """The output of `tutti list --json`, which the build keeps in a file."""
        return json.loads((self.folder / "tests/algorithms.json").read_text())

    def mpiexec(self, ranks, *command):
        """MPICH never gives a core away while it waits; where ranks outnumber cores a test would
        take ten times as long. Sanitizers must be loaded first."""
        if self.mpi == "openmpi":
            return [self.launcher, "--allow-run-as-root", "--oversubscribe",
                    "--mca", "orte_tmpdir_base", self.sessions(),
                    "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1",
                    "-n", ranks, *command]
        if self.mpi != "mpich":
            return [self.launcher, "-n", ranks, *command]
        preload = [str(self.folder / "tests/libyield.so")]
        if "address" in self.sanitizer:
            preload.insert(0, subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True,
                                             capture_output=True, text=True).stdout.strip())
        return [self.launcher, "-genv", "LD_PRELOAD", ":".join(preload), "-n", ranks, *command]

    def sessions(self):
        """Where Open MPI's jobs leave files while they run; removed with this process. A job that
        ends removes the folder that is all jobs' by default, if it finds that empty, though another
        one is about to make its own in it: that job fails."""
        self.own_folder = self.own_folder or tempfile.TemporaryDirectory(prefix="tutti-jobs-")
        return self.own_folder.name

    def job_environment(self):
        """MPICH and its libraries leak at exit; their leaks are not ours to report."""
        if "address" not in self.sanitizer:
            return {}
        return {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
                "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
