"""A copy of the source that builds lie beside."""
import filecmp
import shutil
import subprocess


def files_of(root):
    """Files of the source, relative to it: tracked, or new and not ignored."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout
        names = {root / name for name in listed.split("\0") if name}
    else:
        builds = [path.parent for path in root.glob("*/meson-info")]
        names = {path for path in root.rglob("*") if not any(map(path.is_relative_to, builds))
                 and "__pycache__" not in path.parts}
    return {path.relative_to(root) for path in names if path.is_file()}


def copy_source(root, target, without=None):
    """Makes `target` a copy, without the files below one folder. Builds beside it
    find what was compiled in the compiler's cache, wherever the source lies, and the source may
    change while tests run. Times are kept, and what is the same is left alone: an earlier build
    there goes on. Files that the source has no longer are removed, so a folder that holds something
    else is refused."""
    mark = target / ".copied-by-tests"
    target.mkdir(parents=True, exist_ok=True)
    if not mark.exists() and any(target.iterdir()):
        raise SystemExit(f"{target} is no copy of the source: move it, or work elsewhere (--work)")
    mark.touch()
    files = {name for name in files_of(root)
             if not without or not (root / name).is_relative_to(without)}
    for name in files:
        place = target / name
        if place.is_file() and filecmp.cmp(root / name, place):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, place)
    for path in target.rglob("*"):
        if path.is_file() and path != mark and path.relative_to(target) not in files \
                and "__pycache__" not in path.parts:
            path.unlink()
