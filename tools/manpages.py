#!/usr/bin/env python3
"""Makes the manual pages of the C API from the comments of include/tutti/tutti.h: the header is the manual.

Usage: manpages.py HEADER DIRECTORY NAME…     writes DIRECTORY/NAME.3 for each function NAME; an undocumented one is an error
       manpages.py HEADER --list              the functions that are declared
"""
import pathlib
import re
import sys


def pages(header):
    """name -> [(section, [line, …]), …]"""
    found = {}
    for comment in re.findall(r"/\*\n(.*?)\*/", header, re.S):
        lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.splitlines()]
        lines = [line for line in lines if line != " *"]
        if not lines or lines[0] != "NAME":
            continue
        sections = []
        for line in lines:
            if re.fullmatch(r"[A-Z][A-Z ]+", line):
                sections.append((line, []))
            elif line.strip():
                sections[-1][1].append(line[2:] if line.startswith("  ") else line)
        found[sections[0][1][0].split(" - ")[0].strip()] = sections
    return found


def escaped(text):
    text = text.replace("\\", "\\\\").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def page(name, sections):
    out = ['.Dd November 20, 2026', f".Dt {name.upper()} 3", ".Os Tutti"]
    for section, lines in sections:
        if section == "NAME":
            out += [".Sh NAME", f".Nm {name}", f".Nd {escaped(lines[0].split(' - ', 1)[1])}"]
        elif section == "SYNOPSIS":
            out += [".Sh SYNOPSIS", ".In tutti/tutti.h", ".Bd \\-literal".replace("\\-", "-")] + [escaped(line) for line in lines] + [".Ed"]
        elif section == "ERRORS":
            out += [".Sh ERRORS", ".Bl -tag -width Ds"]
            rest = []
            for line in lines:
                match = re.match(r"(TUTTI_\w+)\s+(.*)", line)
                if match:
                    out += [f".It {match.group(1)}", escaped(match.group(2))]
                else:
                    rest.append(escaped(line.strip()))
            out += [".El", *rest]
        elif section == "RETURN":
            out += [".Sh RETURN VALUES"] + [escaped(line) for line in lines]
        elif section == "SEE ALSO":
            out.append(".Sh SEE ALSO")
            links = [re.match(r"(\w+)\((\d)\)", word.strip()) for word in " ".join(lines).split(",")]
            links = sorted(links, key=lambda m: (m.group(2), m.group(1)))
            out += [f".Xr {m.group(1)} {m.group(2)}" + (" ," if m is not links[-1] else "") for m in links]
        else:
            out += [f".Sh {section}"] + [escaped(line) for line in lines]
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
        pathlib.Path(directory, f"{name}.3").write_text(page(name, found[name]))


if __name__ == "__main__":
    main()
