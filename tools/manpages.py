#!/usr/bin/env python3
"""Makes the manual pages of the C API from the comments of include/tutti/tutti.h: the header is the
manual.

Usage: manpages.py HEADER DIRECTORY NAME…   writes DIRECTORY/NAME.3 for each function NAME; a page
                                            that is missing, or lacks a section, is an error. One
                                            comment may be the page of several functions
       manpages.py HEADER --list            the functions that are declared
"""
import pathlib
import re
import sys

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN", "ERRORS", "THREADS", "SEE ALSO"]
OPTIONAL = {"ERRORS"}


def names_of(sections):
    return " ".join(sections["NAME"]).split(" - ")[0].split(", ")


def pages(header):
    """name -> {section: [line, …]}; a line keeps the indentation that it has within its section."""
    found = {}
    for comment in re.findall(r"/\*\n \* NAME\n.*?\*/", header, re.S):
        lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.splitlines()[1:-1]]
        sections = {}
        for line in lines:
            if line in SECTIONS:
                current = sections[line] = []
            else:
                current.append(line.removeprefix("  "))
        found |= dict.fromkeys(names_of(sections), sections)
    return found


def check(name, sections):
    """A formatter that fills lines must not eat a section's heading."""
    wanted = [s for s in SECTIONS if s in sections or s not in OPTIONAL]
    if list(sections) != wanted:
        sys.exit(f"the page of {name} has the sections {list(sections)}, and not {wanted}")
    for line in sum(sections.values(), []):
        if any(re.search(rf"\b{section}\b", line) for section in SECTIONS):
            sys.exit(f"the page of {name} has a heading within a line: {line}")


def escaped(text):
    text = text.strip().replace("\\", "\\\\").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraphs(lines):
    """A sentence a line, as mdoc wants it."""
    out = []
    for paragraph in "\n".join(lines).split("\n\n"):
        sentences = re.split(r"(?<=[\w)`]\.) ", paragraph.replace("\n", " "))
        out += [".Pp"] * bool(out) + [escaped(sentence) for sentence in sentences]
    return out


def errors(lines):
    out, rest = [".Bl -tag -width Ds"], []
    for line in lines:
        if match := re.match(r"(TUTTI_\w+)\s+(.*)", line):
            out += [f".It {match.group(1)}", escaped(match.group(2))]
        else:
            (out if line.startswith(" ") else rest).append(escaped(line))
    return out + [".El", *rest]


def links(lines):
    found = [re.match(r"(\w+)\((\d)\)", word.strip()) for word in " ".join(lines).split(",")]
    found = [m.groups() for m in sorted(found, key=lambda m: (m.group(2), m.group(1)))]
    return [f".Xr {page} {section}" + (" ," if (page, section) != found[-1] else "")
            for page, section in found]


def page(name, sections):
    first, *others = names_of(sections)
    if name != first:
        return f".so man3/{first}.3\n"
    summary = " ".join(sections["NAME"]).split(" - ", 1)[1]
    named = [f".Nm {other} ," for other in [first, *others][:-1]] + [f".Nm {[first, *others][-1]}"]
    out = [".Dd November 21, 2026", f".Dt {name.upper()} 3", ".Os Tutti",
           ".Sh NAME", *named, f".Nd {escaped(summary)}",
           ".Sh SYNOPSIS", ".In tutti/tutti.h", ".Bd -literal",
           *(line.replace("\\", "\\\\") for line in sections["SYNOPSIS"]), ".Ed",
           ".Sh DESCRIPTION", *paragraphs(sections["DESCRIPTION"]),
           ".Sh RETURN VALUES", *paragraphs(sections["RETURN"])]
    if "ERRORS" in sections:
        out += [".Sh ERRORS", *errors(sections["ERRORS"])]
    out += [".Sh THREADS", *paragraphs(sections["THREADS"]),
            ".Sh SEE ALSO", *links(sections["SEE ALSO"])]
    return "\n".join(out) + "\n"


def main():
    header, directory, *names = sys.argv[1:]
    text = pathlib.Path(header).read_text()
    if directory == "--list":
        return print(*dict.fromkeys(re.findall(r"TUTTI_API [^;]*?\b(tutti_\w+)\(", text)))
    found = pages(text)
    for name in names:
        if name not in found:
            sys.exit(f"{header}: {name} has no comment that begins with NAME")
        check(name, found[name])
        pathlib.Path(directory, f"{name}.3").write_text(page(name, found[name]))


if __name__ == "__main__":
    main()
