#!/usr/bin/env python3
"""No class has more than 20 public functions of its own, beside constructors, the destructor and
operators: who uses one that has more has to know too much. The C API is no class.

Usage: classes_test.py ROOT

Prints each class that has more. Status 1 if there is one.
"""
import pathlib
import re
import sys

FOLDERS = ("base", "transport", "registration", "protocols", "collectives", "models", "src",
           "tools", "tests")
MOST = 20

# clang-format leaves namespaces unindented, so a class begins its line, what it declares is
# indented by two spaces, and the rest of a declaration by more.
CLASS = re.compile(r"^(class|struct) (?:alignas\([^)]*\) )?(\w+)(?=[^;(]*$)")
ACCESS = re.compile(r"^ (public|protected|private):")
NO_FUNCTION = re.compile(r"(?:using|friend|static_assert|enum|struct|class|union|template)\b")
FUNCTION = re.compile(r"(~?\w+|operator[^(]*(?:\(\))?)\(")


def name_of(declaration):
    """The function that a line of a class declares, by name; None if it declares no function."""
    if NO_FUNCTION.match(declaration):
        return None
    line = re.sub(r"^\[\[[^\]]*\]\] |^alignas\([^)]*\) ", "", declaration)
    while (shorter := re.sub(r"<[^<>]*>", "", line)) != line:  # std::function<void()> x
        line = shorter
    found = FUNCTION.search(re.split(r"[={;]", line)[0] if "operator" not in line else line)
    return found[1] if found else None


def public_functions(text):
    """The classes of a file, and the names of their public functions."""
    name, public, functions = None, False, []
    for line in text.splitlines():
        if name is None:
            if found := CLASS.match(line):
                name, public, functions = found[2], found[1] == "struct", []
        elif line.startswith("};"):
            yield name, functions
            name = None
        elif access := ACCESS.match(line):
            public = access[1] == "public"
        elif public and re.match(r"  [\w~\[]", line):
            function = name_of(line[2:])
            if function and function.lstrip("~") != name and not function.startswith("operator"):
                functions.append(function)


def problems(texts):
    for path, text in texts.items():
        for name, functions in public_functions(text):
            if len(functions) > MOST:
                yield (f"{path}: {name} has {len(functions)} public functions, and may have "
                       f"{MOST}: {' '.join(functions)}")


def check_myself():
    """The test can fail."""
    text = ("class alignas(64) X final : public Y {\n public:\n  explicit X(int);\n  ~X();\n"
            "  std::function<void(int)> member = nullptr;\n  int number_ = f(2);\n"
            "  bool operator()(int) const;\n  friend void g();\n  [[nodiscard]] int one() {\n"
            "    two();\n  }\n  template <class T>\n  void three(T x,\n             int y);\n"
            "  static std::map<int, int> four();\n private:\n  void five();\n};\nclass Z;\n")
    assert list(public_functions(text)) == [("X", ["one", "three", "four"])]
    assert not list(problems({"a.hpp": text}))
    many = "struct X {\n" + "".join(f"  void f{i}();\n" for i in range(MOST + 1)) + "};\n"
    assert len(list(problems({"a.hpp": many}))) == 1


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    texts = {path.relative_to(root).as_posix(): path.read_text() for folder in FOLDERS
             for path in sorted((root / folder).rglob("*")) if path.suffix in {".hpp", ".cpp"}}
    found = list(problems(texts))
    known = sum(len(list(public_functions(text))) for text in texts.values())
    print("\n".join(found) if found else f"{known} classes have few public functions")
    return 1 if found or not known else 0


if __name__ == "__main__":
    sys.exit(main())
