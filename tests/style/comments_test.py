#!/usr/bin/env python3
"""Comments lose their words, and nothing else changes, wherever // may stand.

Usage: comments_test.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "tests"))
from harness.comments import without_words  # noqa: E402

# Pairs of texts that are the same to the tool, and pairs that are not.
SAME = [
    ("int a;  // one\n", "int a;  // other\n"),
    ("// one\nint a;\n", "// one\n// and more\nint a;\n"),
    ("  // one\n  int a;\n", "  // other: \"x\n  int a;\n"),
    ("int a = 1'000;  // it's\n", "int a = 1'000;  // its\n"),
    ("char a = '\"';  // one\n", "char a = '\"';  // other\n"),
]
OTHER = [
    ("int a;\n", "int a;  // one\n"),
    ("catch (...) {\n}\n", "catch (...) {\n  // one\n}\n"),
    ("int a;  // one\n", "int b;  // one\n"),
    ("f(a);\n", "f(a);  // NOLINT\n"),
    ("f(a);  // NOLINT(bugprone-a)\n", "f(a);  // NOLINT(bugprone-b)\n"),
    ("f(/*a=*/1);\n", "f(/*b=*/1);\n"),
    ('f("//a");\n', 'f("//b");\n'),
    (r'f("\"//a");' "\n", r'f("\"//b");' "\n"),
    ('f(R"x(")"//a)x");\n', 'f(R"x(")"//b)x");\n'),
    ("/* // */ int a;\n", "/* // */ int b;\n"),
    ("f('\"', '\"'); g(\"//a\");\n", "f('\"', '\"'); g(\"//b\");\n"),
    ("int a = 1'0; char b = '/'; f(\"//a\");\n", "int a = 1'0; char b = '/'; f(\"//b\");\n"),
    ("#include <a//b>\n", "#include <a//c>\n"),
    ("// one\nint a;\n// one\n", "// one\n// one\nint a;\n"),
]


def tokens(text):
    """As the compiler tells them apart: only its comments are left out."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(text)
        file.flush()
        return subprocess.run(["g++", "-fpreprocessed", "-E", "-P", file.name], check=True,
                              capture_output=True, text=True).stdout


for one, other in SAME:
    assert without_words(one) == without_words(other), (one, other)
for one, other in OTHER:
    assert without_words(one) != without_words(other), (one, other)
# All sources at once, so that the compiler is called once for each of the two.
files = [path for path in sorted(root.rglob("*")) if path.suffix in {".cpp", ".hpp", ".h", ".c"}
         and "build" not in path.relative_to(root).parts[0]]
assert len(files) > 50, f"{len(files)} sources in {root}"
texts = [path.read_text() for path in files]
assert tokens("\n".join(texts)) == tokens("\n".join(map(without_words, texts)))
assert sum(map(len, map(without_words, texts))) < sum(map(len, texts))
print(f"comments in {len(files)} sources lose their words, and nothing else does")
