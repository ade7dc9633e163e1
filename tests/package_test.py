#!/usr/bin/env python3
"""The Debian packages: builds them, lets lintian read them, and tries them in a clean root.

Usage: package_test.py ROOT WORK     WORK: a folder for source, packages and the clean root; emptied

Then it builds them once more as a later version with another soname: it takes the place of the
programs and stands beside the libraries, and a purge of all leaves nothing.

This takes root, what `tools/setup --long` installs, and the archive that this machine's apt uses.
"""
import os
import pathlib
import re
import shutil
import sys

from harness import checks
from harness.builds import compilers
from harness.checks import check, run
from harness.installed import PLAIN, PLAIN_RAN, README_PRINTS, cmake_project, readme_program
from harness.source import copy_source

MPIS = ["mpich", "openmpi"]
# Names for pkg-config and CMake that programs are built with, and the MPI of each.
NAMES = {"tutti-mpich": "mpich", "tutti-openmpi": "openmpi", "tutti": "openmpi"}
TOOLS = ["gcc", "make", "cmake", "pkg-config", "mpich", "libmpich-dev", "openmpi-bin",
         "libopenmpi-dev"]

# A later version, and what becomes other words for it.
LATER = {"meson.build": [("version: '0.1.0'", "version: '0.2.0'"),
                         ("soversion = '0'", "soversion = '1'")],
         "debian/changelog": [("(0.1.0-1)", "(0.2.0-1)")],
         "debian/control": [(f"libtutti-{mpi}0", f"libtutti-{mpi}1") for mpi in MPIS]}

# Loads and unloads a library 1000 times. It may take no more room after the first ten times; a page
# each would be 990.
LOADS = """#include <dlfcn.h>
#include <stdio.h>
static long pages(void) {
  long size = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &size) != 1) return 0;
  fclose(file);
  return size;
}
int main(int c, char** v) {
  long before = 0;
  for (int i = 1; c == 2 && i <= 1000; ++i) {
    void* const library = dlopen(v[1], RTLD_NOW | RTLD_LOCAL);
    if (!library || dlclose(library)) return puts(dlerror()), 1;
    if (i == 10) before = pages();
  }
  printf("%ld pages, then %ld\\n", before, pages());
  return before == 0 || pages() - before > 100;
}
"""

# Mounts in a root what its commands need of the host, and ends with the command.
ENTER = """mount --rbind /dev "$0/dev"
mount -t tmpfs tmpfs "$0/dev/shm"
mount --rbind /sys "$0/sys"
mount -t proc proc "$0/proc"
cd /
exec chroot "$0" "$@"
"""
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
               "OMPI_MCA_mpi_yield_when_idle": "1"}


class Root:
    """A clean Debian, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.here = folder / "srv"  # the files of this test, as seen from outside
        options = folder.with_suffix(".conf")
        options.write_text("".join(
            f"{line}\n" for line in run("apt-config", "dump").splitlines()
            if re.match(r"Acquire::(Check|https?|Retries)", line)))
        targets = run("apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) "
                      "$(COMPONENT)", "Created-By: Packages", "Origin: Debian")
        check(targets, "apt knows no archive of Debian: apt-get update?")
        system = pathlib.Path("/etc/os-release").read_text()
        # Its mounts must not outlive it: the folder will be removed.
        run("unshare", "--mount", "mmdebstrap", "--mode=root", "--variant=apt",
            f"--aptopt={options}", re.search("VERSION_CODENAME=(.*)", system)[1], folder,
            *sorted(set(targets.splitlines())), together=True)
        for name in "resolv.conf", "hosts":
            shutil.copy(f"/etc/{name}", folder / "etc")
        self.run("apt-get", "update", "-qq")

    def run(self, *command):
        """With an environment of its own, but for proxies; in /srv if it is a shell's."""
        environment = {name: value for name, value in os.environ.items()
                       if name.lower().endswith("_proxy")} | ENVIRONMENT
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER,
                   self.folder, *command, together=True, env=environment)

    def shell(self, words):
        return self.run("sh", "-ec", f"cd /srv\n{words}")

    def install(self, *packages):
        """From the archive by name; from /srv by path."""
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)

    def packages(self):
        """The packages of Tutti that are there."""
        return set(self.run("dpkg-query", "-W", "-f", "${Package}\n", "*tutti*").split())


def build(source, version):
    """The packages of the source, in a folder beside it."""
    folder = source.parent
    run("tar", "-C", folder, "--exclude=source/debian", "-czf",
        folder / f"tutti_{version}.orig.tar.gz", source.name)
    run("dpkg-buildpackage", "-us", "-uc", "--post-clean", cwd=source, together=True,
        env=os.environ | compilers(folder) | {
            "DEB_BUILD_OPTIONS": f"noautodbgsym parallel={len(os.sched_getaffinity(0))}",
            "DEB_CFLAGS_STRIP": "-g", "DEB_CXXFLAGS_STRIP": "-g"})
    changes = next(folder.glob(f"tutti_{version}-1_*.changes"))
    print(run("lintian", "--fail-on", "error", changes, together=True))
    packages = folder / version
    packages.mkdir()
    for package in folder.glob(f"*_{version}-1_*.deb"):
        package.rename(packages / package.name)
    return packages


def make_later(source):
    for path, changes in LATER.items():
        text = (source / path).read_text()
        for old, new in changes:
            check(old in text, f"{path} has no {old}")
            text = text.replace(old, new)
        (source / path).write_text(text)
    for mpi in MPIS:
        file = source / f"debian/libtutti-{mpi}0.install"
        file.rename(file.with_name(f"libtutti-{mpi}1.install"))


def soname_of(root, program):
    """The soname of the libtutti that a program loads."""
    return re.search(r"libtutti\S*", root.run("ldd", program))[0]


def try_without_mpi(root):
    """The program, and drop-ins in programs that never call MPI, need only the MPI's libraries.
    `cat` shows what it has loaded."""
    for program in "tutti", "tutti.mpich", "tutti.openmpi":
        check("bruck" in root.run(program, "list"), f"{program} list does not name algorithms")
    for mpi in MPIS:
        library = f"libtutti-mpi-{mpi}.so"
        said = root.run("env", f"LD_PRELOAD={library}", "cat", "/proc/self/maps")
        check(library in said and "ERROR" not in said and "libtutti-behind" not in said,
              f"cat with {library} preloaded prints {said}")


def try_documents(root):
    """The links of each document lead to files."""
    documents = root.folder / "usr/share/doc/tutti"
    for document in documents.rglob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)[)#]", document.read_text()):
            check((document.parent / link).exists(), f"{document} has a link to {link}")
    check((documents / "README.md").exists(), "README.md is not installed")


def try_programs(root, tag, soname):
    """Builds the README's program in each way, runs it, and returns what was built."""
    built = []
    for name, mpi in NAMES.items():
        folder = f"{name}-{tag}"
        (root.here / folder).mkdir()
        (root.here / folder / "example.c").write_text(readme_program(root.here / "source"))
        (root.here / folder / "CMakeLists.txt").write_text(cmake_project(name))
        root.shell(f"""cd {folder}
mpicc.{mpi} -std=c99 example.c -o by-pkg-config $(pkg-config --cflags --libs {name})
cmake -S . -B build -DCMAKE_C_COMPILER=mpicc.{mpi}
cmake --build build""")
        for program in f"/srv/{folder}/by-pkg-config", f"/srv/{folder}/build/example":
            built.append((mpi, program, f"libtutti-{mpi}.so.{soname}"))
    run_programs(root, built)
    return built


def run_programs(root, built):
    for mpi, program, library in built:
        loaded = soname_of(root, program)
        check(loaded == library, f"{program} loads {loaded}, not {library}")
        said = root.run(f"mpiexec.{mpi}", "-n", "3", program)
        check(README_PRINTS in said, f"{program} prints {said!r}")


def try_drop_in(root):
    (root.here / "plain.c").write_text(PLAIN)
    for mpi in MPIS:
        root.shell(f"mpicc.{mpi} plain.c -o plain.{mpi}")
        for program in "tutti.mpich", "tutti.openmpi":
            said = root.run(program, "run", "--stats", "-n", "2", "--", f"/srv/plain.{mpi}")
            check(PLAIN_RAN.search(said), f"{program} run of plain.{mpi} prints {said!r}")


def try_loading(root):
    """The drop-in in a program without MPI; libtutti where MPI stays when it goes."""
    (root.here / "loads.c").write_text(LOADS)
    root.shell("gcc loads.c -o loads.none")
    for mpi in MPIS:
        root.shell(f"mpicc.{mpi} -Wl,--no-as-needed loads.c -o loads.{mpi}")
        root.shell(f"./loads.none libtutti-mpi-{mpi}.so")
        root.shell(f"./loads.{mpi} libtutti-{mpi}.so.0")


def main():
    source_of, work = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    check(os.getuid() == 0, "only root can make a clean root")
    for tool in "dpkg-buildpackage", "dh", "lintian", "mmdebstrap":
        check(shutil.which(tool), f"there is no {tool}: tools/setup --long installs it")
    shutil.rmtree(work, ignore_errors=True)
    source = work / "source"
    copy_source(source_of, source)

    root = Root(work / "root")
    shutil.copytree(source, root.here / "source")
    shutil.copytree(build(source, "0.1.0"), root.here / "0.1.0")
    root.install("/srv/0.1.0/tutti_0.1.0-1_amd64.deb")
    try_without_mpi(root)
    root.shell("apt-get install -y -qq --no-install-recommends /srv/0.1.0/*.deb")
    try_documents(root)
    root.install(*TOOLS)
    built = try_programs(root, "0.1.0", 0)
    try_drop_in(root)
    try_loading(root)
    first = root.packages()

    make_later(source)
    shutil.copytree(build(source, "0.2.0"), root.here / "0.2.0")
    root.shell("apt-get install -y -qq --no-install-recommends /srv/0.2.0/*.deb")
    check(root.packages() == first | {f"libtutti-{mpi}1" for mpi in MPIS},
          f"after the upgrade there are {root.packages()}")
    run_programs(root, built)
    try_programs(root, "0.2.0", 1)
    try_drop_in(root)

    root.run("apt-get", "purge", "-y", "-qq", *root.packages())
    left = [path for path in root.folder.rglob("*tutti*") if not path.is_relative_to(root.here)]
    check(not left, f"a purge leaves {left}")
    shutil.rmtree(work)
    print(f"{checks.made} things are as a package should have them")


if __name__ == "__main__":
    main()
