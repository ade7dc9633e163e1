#!/usr/bin/env python3
"""Each class has one definition: of two with one name in one namespace the linker keeps the
functions of either, and no compiler says so. Names in unnamed namespaces are unique in a library,
too: unity builds compile several files at once, and which ones together changes with their number.

Usage: definitions_test.py ROOT

Prints each name that is defined twice. Status 1 if there is one.
"""
import pathlib
import re
import sys

# By library.
FOLDERS = {"base": 0, "transport": 0, "registration": 0, "protocols": 0, "collectives": 0, "src": 0,
           "models": 1, "tools": 2}
# clang-format leaves namespaces unindented, so what a namespace defines begins its line.
SCOPE = re.compile(r"^namespace ([\w:]+) \{|^namespace \{|^\} *// namespace")
CLASS = re.compile(r"^(?:struct|class|union|enum(?: class)?) (?:alignas\([^)]*\) )?([\w:]+)"
                   r"(?=[^;(]*(?:\{|$))")
CONSTANT = re.compile(r"^constexpr [\w:<>*, ]+?\b(k\w+)\b(?= *[=\[{])")


def definitions(text, hidden=False):
    """The classes and enumerations that other files could define, too, with their namespaces; or
    those that the file hides from others, and its constants."""
    scopes = []
    for line in text.splitlines():
        if scope := SCOPE.match(line):
            if line.startswith("}"):
                scopes.pop()
            else:
                scopes.append(scope[1] or "")
        elif hidden == ("" in scopes) and (
                found := CLASS.match(line) or hidden and CONSTANT.match(line)):
            yield "::".join([*filter(None, scopes), found[1]])


def problems(texts):
    where = {}
    for path, text in texts.items():
        for name in definitions(text):
            where.setdefault(name, []).append(path)
        library = FOLDERS.get(path.split("/")[0], -1)
        for name in definitions(text, hidden=True):
            where.setdefault(f"{name}, of library {library}", []).append(path)
    for name, paths in where.items():
        if len(paths) > 1:
            yield f"{name}: defined in {' and in '.join(paths)}"


def check_myself():
    """The test can fail."""
    one = ("namespace tutti::a {\nstruct alignas(64) X : Y {\n};\nstruct Z;\n"
           "}  // namespace tutti::a\n")
    assert list(definitions(one)) == ["tutti::a::X"]
    hidden = one.replace("struct", "namespace {\nenum class", 1)
    hidden = hidden.replace("};", "};\nconstexpr int kMost = 3, kLeast = 1;\n}  // namespace")
    assert not list(definitions(hidden))
    assert list(definitions(hidden, True)) == ["tutti::a::X", "tutti::a::kMost"]
    assert len(list(problems({"src/a.cpp": hidden, "base/b.cpp": hidden}))) == 2
    assert not list(problems({"src/a.cpp": hidden, "models/b.cpp": hidden}))
    assert len(list(problems({"a.hpp": one, "b.hpp": one}))) == 1
    assert not list(problems({"a.hpp": one, "b.cpp": hidden, "c.hpp": one.replace("::a", "::c")}))


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    texts = {path.relative_to(root).as_posix(): path.read_text() for folder in FOLDERS
             for path in sorted((root / folder).rglob("*")) if path.suffix in {".hpp", ".cpp"}}
    found = list(problems(texts))
    known = sum(len(list(definitions(text))) for text in texts.values())
    print("\n".join(found) if found else f"{known} classes have one definition each")
    return 1 if found or not known else 0


if __name__ == "__main__":
    sys.exit(main())
