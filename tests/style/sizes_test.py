#!/usr/bin/env python3
"""Files and functions of the library and the tools fit in a head: no file has more than 400 lines,
and no function more than 60, from its first line to its closing brace. Tables are as long as what
they list; a function that is a table stands here with its name.

Usage: sizes_test.py ROOT

Prints each file and each function that is longer, and each exception that is no longer needed.
Status 1 if there is one.
"""
import bisect
import pathlib
import re
import sys

FOLDERS = ("base", "transport", "registration", "protocols", "collectives", "models", "src",
           "tools")
MOST_OF_FILE, MOST_OF_FUNCTION = 400, 60
# By file and function, and why it is longer. A file's name stays when the file moves.
LONG_FUNCTIONS = {
    "command.cpp: add_tune": "the table of the command's options",
}

# Not code: comments, strings, characters, and lines of the preprocessor.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"'
                      r"|'(?:\\.|[^'\\\n])'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
# The head of a namespace, a class, or a function.
NAMESPACE = re.compile(r"\b(?:namespace|extern)\b")
CLASS = re.compile(r"^(?:template *<[^{}]*> *)?(?:typedef )?(?:struct|class|union|enum)\b[^()]*"
                   r"(?:alignas *\([^()]*\))?[^()]*$")
NAME = re.compile(r"(operator *[^\w ]+|[\w~]+) *\(")


def code_only(text):
    """The same text, with as many lines, without what is no code."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def end_of_block(code, begin):
    """Behind the brace that closes the one at `begin`."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(code, begin):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return found.end()
    return len(code)


def functions(text):
    """Name, first line, and number of lines of each function that is defined in a file.
    clang-format has a space before a function's brace, and none before that of an initial value."""
    code = code_only(text)
    lines = [match.start() for match in re.finditer("\n", code)]
    at = begin = 0
    while at < len(code):
        if code[at] == "{":
            head = code[begin:at]
            stripped = " ".join(head.split())
            is_value = stripped.endswith("=") or at > 0 and code[at - 1] not in " \n"
            if not is_value and (NAMESPACE.search(stripped) or CLASS.match(stripped)):
                begin = at + 1
            else:
                end = end_of_block(code, at)
                if not is_value and (name := NAME.search(stripped)):
                    first = bisect.bisect(lines, begin + len(head) - len(head.lstrip())) + 1
                    yield name[1], first, bisect.bisect(lines, end - 1) + 1 - first + 1
                    begin = end
                at = end - 1
        elif code[at] in ";}":
            begin = at + 1
        elif re.compile(r"(?:public|private|protected):").match(code, at):
            at = begin = code.index(":", at) + 1
            continue
        at += 1


def problems(texts, long_functions):
    functions_left = set(long_functions)
    for path, text in texts.items():
        file, length = path.split("/")[-1], text.count("\n")
        if length > MOST_OF_FILE:
            yield f"{path}: {length} lines, and a file may have {MOST_OF_FILE}"
        for name, first, length in functions(text):
            if length > MOST_OF_FUNCTION:
                if f"{file}: {name}" not in long_functions:
                    yield (f"{path}:{first}: {name} has {length} lines, and a function may have "
                           f"{MOST_OF_FUNCTION}")
                functions_left.discard(f"{file}: {name}")
    for name in sorted(functions_left):
        yield f"{name} is short enough now: remove it from the list in sizes_test.py"


def check_myself():
    """The test can fail."""
    body = "  f();  // {\n" * (MOST_OF_FUNCTION - 2)
    text = ("#define X {\nnamespace a {\nconst Row kRows[] = {\n    {1, [] { return 2; }},\n};\n"
            "struct alignas(64) S : T<int> {\n public:\n  S(int x)\n      : x_{x}, y_(x) {\n"
            "    f(\"{\");\n  }\n  bool operator==(const S&) const { return true; }\n  int x_{0};\n"
            "};\n\ntemplate <class T>\nvoid short_one(T) {\n" + body[:-12] + "}\n"
            "std::vector<int> S::long_one(\n    int x) const {\n" + body + "}\n}  // namespace a\n")
    found = {name: length for name, _, length in functions(text)}
    most = MOST_OF_FUNCTION
    assert found == {"S": 4, "operator==": 1, "short_one": most, "long_one": most + 1}, found
    assert [first for name, first, _ in functions(text) if name == "S"] == [8]
    complaint, = problems({"a/a.cpp": text}, {})
    assert "long_one" in complaint
    assert not list(problems({"a/a.cpp": text}, {"a.cpp: long_one": ""}))
    assert len(list(problems({"a/a.cpp": ""}, {"a.cpp: f": ""}))) == 1
    assert not list(problems({"a/a.cpp": "\n" * MOST_OF_FILE}, {}))
    assert len(list(problems({"a/a.cpp": "\n" * (MOST_OF_FILE + 1)}, {}))) == 1


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    texts = {path.relative_to(root).as_posix(): path.read_text() for folder in FOLDERS
             for path in sorted((root / folder).rglob("*"))
             if path.suffix in {".hpp", ".cpp", ".h", ".c"}}
    found = list(problems(texts, LONG_FUNCTIONS))
    known = sum(len(list(functions(text))) for text in texts.values())
    print("\n".join(found) if found else f"{known} functions in {len(texts)} files are short")
    return 1 if found or not known else 0


if __name__ == "__main__":
    sys.exit(main())
