#!/usr/bin/env python3
"""The picture of the rooms, docs/rooms.svg, shows the folders as they are: which there are, which
includes which, and which see mpi.h. Their texts are those of the table in docs/design.md.

Usage: rooms_test.py ROOT            compares the picture with the folders
       rooms_test.py --update ROOT   draws it anew

Status 1 if the picture differs, or a folder has no row in the table.
"""
import itertools
import pathlib
import re
import sys
import textwrap
from xml.sax.saxutils import escape

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from includes_test import includes, sees_mpi  # noqa: E402

TOP = ("tools", "src", "models", "collectives", "protocols", "registration", "transport", "base")
PICTURE, TABLE = "docs/rooms.svg", "docs/design.md"
# Within them the folders of the commands are no rooms: the program shows its commands instead.
COMMANDS = "tools/commands.hpp"
WIDTH, LEFT, RIGHT, PAD, GAP = 900, 50, 790, 14, 12
LETTER = 6.4  # how wide a letter of a note is on average

STYLE = """
    text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif;
           fill: #1f2933; }
    .folder { font-size: 16px; font-weight: bold; }
    .room { font-size: 14px; font-weight: bold; }
    .note { font-size: 12px; fill: #52606d; }
    .layer { fill: #f5f7fa; stroke: #9aa5b1; }
    .box { fill: #dbe7f3; stroke: #7b9ebd; }
    .pure { fill: #dff0e0; stroke: #85b08a; }
    .outside { fill: none; stroke: #9aa5b1; stroke-dasharray: 5 3; }
    .mpi { fill: #f7c77d; stroke: #c98f2c; }
    .tag { font-size: 10px; font-weight: bold; }
    .down { stroke: #52606d; stroke-width: 2; fill: none; }
    .up { stroke: #b4452c; stroke-width: 2.5; fill: none; }
    .uptext { font-size: 13px; font-weight: bold; fill: #b4452c; }
"""


class Tree:
    """The sources by path, and what follows from them about their folders."""

    def __init__(self, texts, design):
        self.texts = texts
        self.folders = {path.rsplit("/", 1)[0] for path in texts}
        self.folders |= {"/".join(f.split("/")[:2]) for f in self.folders}
        self.design = design
        self.rows = dict(re.findall(r"^\| `([\w/-]+)/` \| (.*?) \|", design, re.M))

    def rooms(self, top):
        """The folders right below one that are drawn as boxes."""
        return [] if top == COMMANDS.split("/")[0] else sorted(
            f for f in self.folders if f.count("/") == 1 and f.startswith(top + "/"))

    def files(self, folder):
        return [path for path in self.texts if path.startswith(folder + "/")]

    def includes(self, folder, others):
        """The ones among the other folders of which a file of this one includes a file."""
        targets = {target for path in self.files(folder)
                   for _, target in includes(self.texts[path])}
        return {other for other in others if other != folder
                and any(target.startswith(other + "/") for target in targets)}

    def levels(self, folders):
        """Rows of folders: each includes only folders of the rows below."""
        below = {folder: self.includes(folder, folders) for folder in folders}
        rows = []
        while below:
            row = sorted(folder for folder in below if not below[folder] & below.keys())
            if not row:
                raise SystemExit(f"includes run in a circle between {', '.join(sorted(below))}")
            rows.insert(0, row)
            for folder in row:
                del below[folder]
        return rows

    def reaches(self, path, prefix, seen):
        """Whether a file includes one below `prefix`, directly or through others."""
        seen.add(path)
        return any(target.startswith(prefix) or target in self.texts and target not in seen
                   and self.reaches(target, prefix, seen)
                   for _, target in includes(self.texts[path]))

    def pure(self, folder):
        return not folder.startswith("transport") and not any(
            self.reaches(path, "transport/", set()) for path in self.files(folder))

    def sees_mpi(self, folder):
        """Files right in the folder: rooms below it say so for themselves."""
        return any(sees_mpi(path, self.texts, set()) for path in self.files(folder)
                   if path.count("/") == folder.count("/") + 1 or not self.rooms(folder))

    def text(self, folder):
        names = sorted(f.split("/")[2] for f in self.folders
                       if f.count("/") == 2 and f.rpartition("/")[0] == folder)
        text = self.rows[folder].replace("`", "")
        if folder == COMMANDS.split("/")[0]:
            commands = re.findall(r"void add_(\w+)\(", self.texts[COMMANDS])
            text += ": " + ", ".join(commands)
        return text + (": " + ", ".join(names) if names else "")

    def missing(self):
        for folder in itertools.chain(TOP, *map(self.rooms, TOP)):
            if folder not in self.rows:
                yield f"{TABLE}: the table of rooms has no row for {folder}/"


def element(name, css, x, y, text=None, **more):
    attributes = "".join(f' {key}="{value}"' for key, value in more.items())
    start = f'  <{name} class="{css}" x="{x}" y="{y}"{attributes}'
    return start + ("/>" if text is None else f">{escape(text)}</{name}>")


def mpi_tag(x, y):
    return [element("rect", "mpi", x, y, width=34, height=16, rx=3),
            element("text", "tag", x + 6, y + 12, "MPI")]


def box(tree, folder, x, y, width, lines):
    """A room: its name, and its text in so many lines."""
    css = "pure" if tree.pure(folder) else "box"
    yield element("rect", css, x, y, width=width, height=26 + 16 * lines, rx=4)
    yield element("text", "room", x + 12, y + 19, folder.split("/")[1])
    for number, line in enumerate(wrapped(tree, folder, width - 20)):
        yield element("text", "note", x + 12, y + 36 + 16 * number, line)
    if tree.sees_mpi(folder):
        yield from mpi_tag(x + width - 38, y + 4)


def wrapped(tree, folder, width):
    return textwrap.wrap(tree.text(folder), int(width / LETTER))


def layer(tree, top, y):
    """A folder at the top and its rooms, and where it ends."""
    drawn, start = [], y
    lines = wrapped(tree, top, RIGHT - LEFT - 190)
    for number, line in enumerate(lines):
        drawn.append(element("text", "note", LEFT + 144, y + 23 + 16 * number, line))
    drawn.append(element("text", "folder", LEFT + PAD, y + 24, top + "/"))
    if tree.sees_mpi(top):
        drawn += mpi_tag(RIGHT - 38, y + 4)
    y += 18 + 16 * len(lines)
    for row in tree.levels(tree.rooms(top)):
        width = (RIGHT - LEFT - 2 * PAD - GAP * (len(row) - 1)) // len(row)
        height = max(len(wrapped(tree, folder, width - 20)) for folder in row)
        for place, folder in enumerate(row):
            drawn += box(tree, folder, LEFT + PAD + place * (width + GAP), y, width, height)
        y += 26 + 16 * height + 10
    css = "layer" if tree.rooms(top) or not tree.pure(top) else "pure"
    return [element("rect", css, LEFT, start, width=RIGHT - LEFT, height=y - start, rx=6),
            *drawn], y


def listener(tree):
    """The top folders between which news goes up: who declares the listener, and who is one."""
    declared = [path for path, text in tree.texts.items() if re.search(r"^class Listener \{", text,
                                                                        re.M)]
    heard = [path for path, text in tree.texts.items() if "public protocols::Listener" in text]
    return declared[0].split("/")[0], heard[0].split("/")[0]


def alternative(tops):
    return f"Rooms: {', '.join(tops)}"


def picture(tree):
    tops = [top for row in tree.levels(TOP) for top in row]
    y = 20
    body = [element("rect", "outside", LEFT, y, width=RIGHT - LEFT, height=30, rx=6),
            element("text", "room", LEFT + PAD, y + 20, "a program"),
            element("text", "note", LEFT + 144, y + 20,
                    "sees include/tutti/tutti.h only, or MPI only (drop-in)")]
    y += 30 + GAP
    places = {}
    for top in tops:
        drawn, end = layer(tree, top, y)
        places[top] = (y + end) // 2
        body += drawn
        y = end + GAP
    low, high = (places[folder] for folder in listener(tree))
    x = RIGHT + 16
    body += [f'  <path class="down" d="M24,30 V{y - 30}" marker-end="url(#head)"/>',
             f'  <text class="note" transform="translate(14,{y // 2}) rotate(-90)">'
             "includes run down</text>",
             f'  <path class="up" d="M{RIGHT},{low} H{x + 10} V{high} H{RIGHT + 4}"'
             ' marker-end="url(#news)"/>',
             f'  <text class="uptext" transform="translate({x + 28},{(low + high) // 2 + 70})'
             ' rotate(-90)">news: protocols::Listener</text>',
             element("rect", "pure", x, y - 76, width=16, height=12, rx=2),
             element("text", "note", x + 22, y - 66, "no include"),
             element("text", "note", x + 22, y - 52, "leads to a"),
             element("text", "note", x + 22, y - 38, "transport"),
             element("rect", "mpi", x, y - 30, width=16, height=12, rx=2),
             element("text", "note", x + 22, y - 20, "sees mpi.h")]
    arrows = "".join(f'    <marker id="{name}" markerWidth="9" markerHeight="9" refX="7" refY="4.5"'
                     f' orient="auto">\n      <path d="M0,0 L9,4.5 L0,9 z" fill="{colour}"/>\n'
                     "    </marker>\n"
                     for name, colour in (("head", "#52606d"), ("news", "#b4452c")))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}"'
            f' height="{y}"\n     role="img" aria-label="{alternative(tops)}">\n'
            f"  <!-- by tests/style/rooms_test.py, from the folders and the table in {TABLE} -->\n"
            f"  <style>{STYLE}  </style>\n  <defs>\n{arrows}  </defs>\n"
            f'  <rect width="{WIDTH}" height="{y}" fill="#ffffff"/>\n'
            + "\n".join(body) + "\n</svg>\n", alternative(tops))


def problems(tree, drawn):
    yield from (missing := list(tree.missing()))
    if missing:
        return
    now, alt = picture(tree)
    if now != drawn:
        yield f"{PICTURE} does not show the folders; tests/style/rooms_test.py --update draws it"
    if f"![{alt}](" not in tree.design:
        yield f"{TABLE}: beside the picture must stand: {alt}"


def check_myself():
    """The test can fail."""
    texts = {f"{top}/a.hpp": f'#include "{below}/a.hpp"\n'
             for top, below in zip(TOP, (*TOP[1:], "system"))}
    texts |= {"src/api/a.cpp": '#include "src/job/a.hpp"\n#include <mpi.h>\n',
              "src/job/a.hpp": "class D final : public protocols::Listener {",
              "protocols/news.hpp": "class Listener {", COMMANDS: "void add_list(X);"}
    design = "".join(f"| `{name}/` | its <text> | |\n" for name in (*TOP, "src/api", "src/job"))
    tree = Tree(texts, design + "![" + alternative(TOP) + "](rooms.svg)")
    assert tree.levels(tree.rooms("src")) == [["src/api"], ["src/job"]]
    assert tree.pure("base") and not tree.pure("models") and not tree.pure("transport")
    assert tree.sees_mpi("src/api") and not tree.sees_mpi("src")
    drawn, _ = picture(tree)
    assert "its &lt;text&gt;: list" in drawn and not list(problems(tree, drawn))
    assert len(list(problems(tree, drawn + " "))) == 1
    assert len(list(problems(Tree(texts, design), drawn))) == 1
    assert len(list(problems(Tree(texts | {"src/new/a.cpp": ""}, tree.design), drawn))) == 1
    assert len(list(problems(Tree(texts, tree.design.replace("its", "other")), drawn))) == 1
    assert not Tree(texts | {"base/a.hpp": '#include "transport/a.hpp"'}, design).pure("base")


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    root = pathlib.Path(arguments[update])
    check_myself()
    texts = {path.relative_to(root).as_posix(): path.read_text() for folder in (*TOP, "include")
             for path in sorted((root / folder).rglob("*"))
             if path.suffix in {".hpp", ".cpp", ".h", ".c"}}
    tree = Tree(texts, (root / TABLE).read_text())
    if update and not list(tree.missing()):
        (root / PICTURE).write_text(picture(tree)[0])
    found = list(problems(tree, (root / PICTURE).read_text()))
    print("\n".join(found) if found else f"{PICTURE} shows the folders as they are")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
