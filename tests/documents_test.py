#!/usr/bin/env python3
"""The documents say what is so: links and paths lead to files, lists agree with the program, the
README's program compiles, each page can be found, the tuning constants have the values that are
given, and lines end at 100 columns.

Usage: documents_test.py ROOT PROGRAM COMPILER…   PROGRAM: tutti; the compiler's command has all
                                                  options that a program for Tutti needs
       documents_test.py --update ROOT PROGRAM    writes the lists anew
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import types

WIDTH = 100
# The algorithm that CONTRIBUTING.md and its test add.
NOT_YET = {"collectives/algorithms/toy.cpp"}
# Pages that fit on two screens, and the ones that have what does not.
SHORT = {"docs/measured.md": (110, "docs/history.md")}
# The page whose second table says what tests the files that have no test of the same name.
TESTS = "tests/README.md"
TESTED = ("base", "collectives", "models", "protocols", "registration", "src", "transport")
# The file that prints what `tutti run --stats` says.
STATISTICS = "src/drop-in/statistics.cpp"
# The page with the section of tuning constants.
TUNING = "docs/design.md"


def texts_of(root):
    """The text of each file that belongs to the project, by its path."""
    found = {}
    for folder, folders, names in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = [f for f in folders if not f.startswith(".") and f != "__pycache__"
                      and not f.startswith("demo-") and not (here / f / "meson-info").exists()]
        for name in names:
            if not name.startswith("."):
                found[(here / name).relative_to(root).as_posix()] = (here / name).read_text()
    return found


def braces(path):
    """a/{b,c}.hpp -> a/b.hpp, a/c.hpp"""
    if match := re.search(r"{([^}]*)}", path):
        for part in match.group(1).split(","):
            yield from braces(path[:match.start()] + part + path[match.end():])
    else:
        yield path


class Files:
    def __init__(self, root):
        self.texts = texts_of(root)
        self.all = set(self.texts)
        for path in self.texts:
            self.all.update(parent.as_posix() for parent in pathlib.PurePath(path).parents)
        folders = {path.split("/")[0] for path in self.texts if "/" in path}
        self.path = re.compile(r"(?<![\w/.$}-])(?:%s)/[\w./{},*-]*[\w}*]" % "|".join(folders))

    def exists(self, path, above=""):
        """Also a pattern, or a name without what is behind its dot. `above`: what may stand before
        it."""
        def matches(one):
            pattern = re.compile(above + re.escape(one.rstrip("/")).replace(r"\*", "[^/]*")
                                 + r"(\.([hc]pp|[hc]|py))?")
            return any(pattern.fullmatch(file) for file in self.all)
        return path in NOT_YET or all(matches(one) for one in braces(path))

    def named_in(self, text):
        """Paths from the root, and documents, as comments and documents name them."""
        yield from self.path.findall(text)
        yield from re.findall(r"(?<![\w/.-])[A-Z]{3,}\.md\b", text)

    def quoted_in(self, markdown):
        """Quoted texts there that look like paths of the project."""
        for text in re.findall(r"`([^`]+)`", markdown):
            if re.fullmatch(r"(?!build)\w[\w.-]*/[\w./{},*-]*", text):
                yield text


def places(files):
    for path, text in files.texts.items():
        folder = os.path.dirname(path)
        for number, line in enumerate(text.splitlines(), 1):
            for name in files.named_in(line) if not path.endswith(".py") else ():
                if not files.exists(name, f"({folder}/)?"):
                    yield f"{path}:{number}: there is no {name}"
            if path.endswith(".md"):
                for name in files.quoted_in(line):
                    if not files.exists(name, "(.*/)?"):
                        yield f"{path}:{number}: there is no {name}"
                for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", line):
                    at = os.path.normpath(os.path.join(folder, target))
                    if at not in files.all:
                        yield f"{path}:{number}: a link to {target}, which does not exist"
            if path.endswith((".md", ".in")) and len(line) > WIDTH:
                yield f"{path}:{number}: {len(line)} columns"


def pages(files):
    """Each page is found from README.md, and those for a glance are short."""
    found, left = set(), ["README.md"]
    while left:
        page = left.pop()
        found.add(page)
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", files.texts.get(page, "")):
            at = os.path.normpath(os.path.join(os.path.dirname(page), target))
            left += [at] if at not in found else []
    for path in files.texts:
        if re.fullmatch(r"docs/[^/]+\.md", path) and path not in found:
            yield f"{path}: no link leads there from README.md"
    for path, (most, rest) in SHORT.items():
        if (lines := files.texts.get(path, "").count("\n")) > most:
            yield f"{path} has {lines} lines, and may have {most}: the rest belongs in {rest}"


def constants(files):
    """The tuning constants have the values that design.md gives, in the files that it names."""
    text = files.texts[TUNING].split("## Tuning constants\n")[1].split("\n## ")[0]
    for item in re.findall(r"^\* .*(?:\n  .*)*", text, re.M):
        item, named = re.sub(r"\s+", " ", item), 0
        # Constants, and then their file in parentheses; an item may have several of these.
        for values, path in re.findall(r"((?:`k[^`]*`, )*`k[^`]*`) \(`([^`]+)`\)", item):
            source = re.sub(r"\s+", " ", files.texts.get(path, ""))
            for value in re.findall(r"`([^`]+)`", values):
                named += 1
                if not re.search(r"\b" + re.escape(value) + r"(?![\w.])", source):
                    yield f"{TUNING}: {path} has no {value}"
        if named != len(re.findall(r"`k[A-Z]", item)) or not named:
            yield f"{TUNING}: no constant with its value and its file: {item[:60]}…"


def statistics(files):
    """The tables of `tutti run --stats` have the columns that the program prints."""
    row = re.search(r'"(tutti: {[^"]*})\\n"', files.texts[STATISTICS]).group(1)
    cells = re.compile(r" {4}tutti: (collectives of rank 0|\w+) +(\w+) +(\w+) +"
                       r"(seconds|\d+\.\d{4}) +(.*)")
    for path, text in files.texts.items():
        if not path.endswith(".md"):
            continue
        for table in re.findall(r"(?:^    tutti: (?:collectives of|MPI_).*\n)+", text, re.M):
            found = [match.groups() for match in map(cells.fullmatch, table.splitlines()) if match]
            wide = [max(map(len, column)) for column in zip(*found)]
            lines = ["    " + row.format(*sum(zip(one[:4], wide), ()), one[4]) for one in found]
            if lines != table.splitlines():
                yield f"{path}: {STATISTICS} prints no such table:\n{table}"


def tests(files):
    """Each source of the library, and each header without a source, has a test at the same place,
    or a row of the table; a row is about files that are there and have none, and names tests."""
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", files.texts[TESTS].split("| its test |\n")[1],
                      re.M)
    listed = {one: row for row, _ in rows for one in braces(row)}
    for path in sorted(files.texts):
        stem, ending = os.path.splitext(path)
        alone = ending == ".hpp" and not {stem + ".cpp", stem + ".c"} & files.all
        if not path.startswith(tuple(f"{folder}/" for folder in TESTED)) or not (
                ending in (".cpp", ".c") or alone):
            continue
        found = {one for one in listed if re.fullmatch(
            re.escape(one).replace(r"\*", "[^/]*"), stem)}
        has_test = any(f"tests/{stem}_test{kind}" in files.all for kind in (".cpp", ".c"))
        if not has_test and not found:
            yield f"{path}: there is no tests/{stem}_test.cpp, and no row in {TESTS}"
        for one in found if has_test and "*" not in "".join(found) else ():
            yield f"{TESTS}: {one} has a test of its own, and needs no row"
    for one in listed:
        if not files.exists(one) or not one.startswith(TESTED):
            yield f"{TESTS}: there is no source {one}"
    for row, named in rows:
        names = re.findall(r"`([^`]+)`", named)
        if not names or not all(files.exists(name, "tests/(.*/)?") for name in names):
            yield f"{TESTS}: {row}: which of these tests is there? {named}"


def program(tutti, *command):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
    return json.loads(subprocess.run([tutti, *command, "--json"], check=True, text=True,
                                     stdout=subprocess.PIPE, env=env).stdout)


def item(text):
    return textwrap.fill("* " + text, WIDTH, subsequent_indent="  ", break_on_hyphens=False,
                         break_long_words=False)


def settings(tutti, _):
    for s in program(tutti, "info")["settings_documentation"]:
        default = f'default `{s["default"]}`' if s["default"] else "empty by default"
        yield item(f'**`{s["name"]}`** (`{s["environment"]}`; `{s["type"]}`; {default}). '
                   + s["documentation"])


def references(tutti, _):
    for r in program(tutti, "list", "--references"):
        yield item(f'**{r["name"]}**: {r["work"]}. *Taken from it:* {r["taken"]}')


def algorithms(tutti, files):
    declared = re.findall(r"TUTTI_API int (tutti_\w+)", files.texts["include/tutti/tutti.h"])
    found = {}
    for a in program(tutti, "list"):
        found.setdefault(a["collective"], []).append(a["algorithm"] + ("(k)" if a["k"] else ""))
    for collective, names in found.items():
        functions = [f"`{f}`" for f in declared
                     if re.fullmatch(rf"tutti_{collective}(v|w|_block)?", f)]
        yield item(f'**{collective}** ({", ".join(functions)}): {", ".join(names)}')


LISTS = {"docs/settings.md": settings, "docs/references.md": references,
         "docs/collectives.md": algorithms}


def with_list(text, make, *facts):
    name = make.__name__
    mark = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.S)
    assert len(mark.findall(text)) == 1, f"one place for the list of {name}"
    new = "".join(line + "\n" for line in make(*facts))
    return mark.sub(lambda _: "\n" + new + "\n", text)


def lists(tutti, files):
    for path, make in LISTS.items():
        if files.texts[path] != with_list(files.texts[path], make, tutti, files):
            yield f"{path} differs from the program; documents_test.py --update writes it anew"


def papers(tutti):
    """Unknown papers in the catalogue's column, which says whose an algorithm or its tree is."""
    known = "|".join(re.escape(r["name"]) for r in program(tutti, "list", "--references"))
    one = re.compile(rf"ours|(\w+: )?({known})( [\d.]+)?( \[\d+\])?( \(({known}|[a-z -]+)\))?")
    for a in program(tutti, "list"):
        for paper in a["paper"].split("; "):
            if not one.fullmatch(paper):
                yield f'{a["collective"]} {a["algorithm"]}: what is "{paper}"?'


def readme(tutti, compiler, files):
    text = files.texts["README.md"]
    said, there = re.search(r"in (\d+)\s+algorithms", text).group(1), len(program(tutti, "list"))
    if int(said) != there:
        yield f"README.md has {said} algorithms, and the program {there}"
    code = re.search(r"^```c\n(.*?)^```$", text, re.S | re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "readme.c")
        source.write_text(code)
        done = subprocess.run([*compiler, "-std=c99", "-Wall", "-Wextra", "-Werror",
                               "-fsyntax-only", source], text=True, stderr=subprocess.PIPE)
        if done.returncode:
            yield f"the README's program does not compile:\n{done.stderr}"


def check_myself(files):
    """The test can fail."""
    assert files.exists("tests/rdma/{host,compare}") and not files.exists("tests/rdma/{host,hots}")
    assert files.exists("transport/link") and not files.exists("transport/lin")
    assert list(files.named_in("see docs/none.md, DESIGN.md")) == ["docs/none.md", "DESIGN.md"]
    assert not list(files.named_in("build/tools/tutti, /usr/include/tutti, $OUT/docs/a.md"))
    few = {"README.md": "[a](docs/a.md#x)", "docs/a.md": "[b](b.md)", "docs/b.md": ""}
    assert not list(pages(types.SimpleNamespace(texts=few)))
    few["docs/a.md"] = "[b](https://b.md)"
    few["docs/measured.md"] = "\n" * 200
    assert len(list(pages(types.SimpleNamespace(texts=few)))) == 3
    few["base/a.hpp"] = "constexpr int kOne = 1,\n    kTwo = 2;  Time kThree{3};"
    for line, wrong in {"`kOne = 1`, `kTwo = 2` (`base/a.hpp`), `kThree{3}`\n  (`base/a.hpp`)": 0,
                        "`kOne = 10` (`base/a.hpp`)": 1, "`kOne = 1` (`base/b.hpp`)": 1,
                        "`kOne = 1`, `kTwo = 2`, of `base/a.hpp`": 1, "one": 1}.items():
        few[TUNING] = f"## Tuning constants\n\n* {line}: why.\n\n## Next\n* none\n"
        assert len(list(constants(types.SimpleNamespace(texts=few)))) == wrong, line
    few[STATISTICS] = r'fmt::format("tutti: {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}\n", name'
    head = "tutti: collectives of rank 0  calls  bytes  seconds  run by\n"
    for line, wrong in {"MPI_Bcast                  1     80   0.0001  Tutti: chain": 0,
                        "MPI_Bcast  1  80   0.0001  Tutti: chain": 1, "MPI_Bcast": 1}.items():
        few["docs/a.md"] = f"run\n\n    {head}    tutti: {line}\n"
        assert len(list(statistics(types.SimpleNamespace(texts=few)))) == wrong, line
    for row, wrong in {"`base/{a,b}` | `base/c_test`": 0, "`base/*` | `c_test`, often": 0,
                       "`base/a` | `base/c_test`": 1, "`base/{a,b,c}` | `base/c_test`": 1,
                       "`base/{a,b,d}` | `base/c_test`": 1, "`base/{a,b}` | a job": 1,
                       "`base/{a,b}` | `d_test`": 1}.items():
        texts = dict.fromkeys(("base/a.cpp", "base/b.c", "base/c.cpp", "tests/base/c_test.cpp"), "")
        few = Files.__new__(Files)
        few.texts = texts | {TESTS: f"| file | its test |\n|---|---|\n| {row} |\n"}
        few.all = set(few.texts)
        assert len(list(tests(few))) == wrong, row
    few.texts = dict.fromkeys(("base/a.hpp", "base/a.cpp", "tests/base/a_test.cpp", "base/b.hpp"),
                              "") | {TESTS: "| file | its test |\n|---|---|\n"}
    few.all = set(few.texts)
    assert [line.split(":")[0] for line in tests(few)] == ["base/b.hpp"]


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    root, tutti, *compiler = arguments[update:]
    files = Files(pathlib.Path(root))
    if update:
        for path, make in LISTS.items():
            pathlib.Path(root, path).write_text(with_list(files.texts[path], make, tutti, files))
        return 0
    check_myself(files)
    found = [*places(files), *pages(files), *constants(files), *statistics(files), *tests(files),
             *lists(tutti, files), *papers(tutti), *readme(tutti, compiler, files)]
    print("\n".join(found) if found else f"{len(files.texts)} files name what exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
