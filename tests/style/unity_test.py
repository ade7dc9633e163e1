#!/usr/bin/env python3
"""Files that a unity build joins do not define the same name twice: in an unnamed namespace, as
`static`, or by `using` in a namespace. Which files of a library are joined changes with their
number, so this holds for all files of a library.

Two functions may share a name if their parameters differ; two `using` may, if they mean the same.

Usage: unity_test.py ROOT

Prints each name that two files of a library define, and each file that belongs to no library.
Status 1 if there is one.
"""
import bisect
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sizes_test import CLASS, NAMESPACE, code_only, end_of_block  # noqa: E402

# The libraries and test programs, by the beginnings of their files' paths; with a "-" before it,
# what does not belong. A file may be in several. Others consist of one file each.
LIBRARIES = {
    "internal": ("base/", "collectives/", "-collectives/analysis/", "protocols/", "registration/",
                 "transport/", "-transport/bootstrap_mpi", "models/decision/", "models/platform/",
                 "src/calibration/", "src/job/", "src/news/", "src/setup/"),
    "beside_mpi": ("src/api/", "src/data/", "transport/bootstrap_mpi"),
    "analysis": ("collectives/analysis/",),
    "models": ("models/",),
    "drop-in": ("src/drop-in/",),
    "tools": ("tools/",),
    "test_schedules": ("tests/base/", "tests/collectives/", "-tests/collectives/execution/"),
    "test_execution": ("tests/collectives/execution/", "-tests/collectives/execution/hostile"),
    "test_protocols": ("tests/protocols/", "-tests/protocols/hostile"),
    "hostile": ("tests/protocols/hostile", "tests/collectives/execution/hostile_run.cpp"),
    "test_transport": ("tests/transport/",),
    "test_registration": ("tests/registration/",),
    "test_src": ("tests/src/", "-tests/src/data/", "-tests/src/api/"),
    "test_models": ("tests/models/",),
    "test_data": ("tests/src/data/", "-tests/src/data/type_runs"),
    "test_api": ("tests/src/api/",),
    "test_tools": ("tests/tools/",),
    "datatypes_test": ("tests/mpi/datatypes",),
    "plain_nonblocking_test": ("tests/drop-in/plain_nonblocking", "tests/drop-in/nonblocking"),
    "errors_test": ("tests/mpi/errors",),
    "mixed_test": ("tests/mpi/mixed",),
    "matrix_test": ("tests/mpi/matrix",),
    "requests_test": ("tests/mpi/requests",),
    "faults_test": ("tests/faults/", "-tests/faults/soak_test"),
    "soak_test": ("tests/faults/soak_test", "tests/faults/stream"),
}
# Programs of one file.
ALONE = ("tests/algorithms", "tests/catch_main", "tests/collectives/execution/hostile_runs",
         "tests/delays", "tests/drop-in/", "tests/fuzz/", "tests/meddler",
         "tests/models/simulator_benchmark", "tests/mpi/", "tests/no_hwloc", "tests/old_hwloc",
         "tests/programs/", "tests/rdma/", "tests/src/data/type_runs")

FUNCTION = re.compile(r"(operator *[^\w ]+|[\w~]+) *\(")
VARIABLE = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])*$")
ALIAS = re.compile(r"^(?:using|namespace) (\w+) *= *(.*)$")
DECLARED = re.compile(r"^using ((?:\w+::)+)(\w+)$")
# Words that may stand behind a parameter's type and are no name of it.
TYPES = {"int", "bool", "char", "double", "float", "long", "short", "unsigned", "auto", "void",
         "const", "noexcept"}


def belongs(path, parts):
    return any(path.startswith(part) for part in parts if not part.startswith("-")) and not any(
        path.startswith(part[1:]) for part in parts if part.startswith("-"))


def closing(text, begin):
    """Behind the parenthesis that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at + 1
    return len(text)


def split_list(text):
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def types_of(parameters):
    """The types of a function's parameters, without names and default values."""
    types = []
    for parameter in split_list(parameters):
        parameter = re.sub(r"=.*", "", parameter).strip()
        name = re.search(r"(?<=[\w&*> ])\b(\w+)$", parameter)
        if name and name[1] not in TYPES and name.start() > 0 and parameter[:name.start()].strip(
        ) not in ("const", "struct", "enum"):
            parameter = parameter[:name.start()]
        types.append(re.sub(r"\s+", "", parameter))
    return ", ".join(types)


def meaning(head):
    """Name of what a statement in a namespace defines, and how: ("using", target),
    ("function", types) or ("", ""). None: nothing that can be defined twice."""
    head = " ".join(re.sub(r"\[\[.*?\]\]", "", head).split())
    head = re.sub(r"^template *<.*?> (?=[\w(])", "", head)
    if found := ALIAS.match(head):
        return found[1], ("using", found[2].replace(" ", ""))
    if found := DECLARED.match(head):
        return found[2], ("using", found[1] + found[2])
    if not head or re.match(r"(using namespace|static_assert|extern|friend|typedef|catch)\b", head):
        return None
    if CLASS.match(head):
        found = re.match(r"(?:(?:struct|class|union|enum) )+(?:alignas *\([^)]*\) )?([\w:]+)", head)
        return (found[1], ("", "")) if found and "::" not in found[1] else None
    before = re.split(r"(?<![=!<>+*/-])=(?!=)", head)[0].strip()
    found = FUNCTION.search(re.sub(r"^(?:static |inline )*decltype\(", "decltype", before))
    if found and not re.search(r"=\s*$", head):
        if "::" in before[:before.find(found[1])].split(" ")[-1]:
            return None  # a member, or of another namespace
        begin = before.find("(", before.find(found[1]))
        return found[1], ("function", types_of(before[begin + 1:closing(before, begin) - 1]))
    found = VARIABLE.search(before)
    return (found[1], ("", "")) if found and " " in before else None


def definitions(text, is_c=False):
    """Namespace, name, meaning, and line of what a file hides from other files. `is_c`: a file of
    C, which knows no `using`."""
    code = code_only(text)
    lines = [match.start() for match in re.finditer("\n", code)]
    scopes, at, begin = [], 0, 0

    def taken(head):
        stripped = head.strip()
        hidden = "" in scopes or stripped.startswith("static ") or (
            re.match(r"using |namespace \w+ *=", stripped) and not is_c)
        if hidden and (found := meaning(stripped)):
            first = begin + len(head) - len(head.lstrip())
            line = bisect.bisect(lines, first) + 1
            yield "::".join(filter(None, scopes)), found[0], found[1], line

    while at < len(code):
        letter = code[at]
        if letter == "{":
            head = code[begin:at]
            stripped = " ".join(head.split())
            if NAMESPACE.match(stripped):
                name = re.match(r"(?:inline )?namespace ?([\w:]*)$", stripped)
                scopes.append(name[1] if name else "extern C")
                begin = at + 1
            else:
                is_value = stripped.endswith("=") or (code[at - 1] not in " \n" and at > 0)
                end = end_of_block(code, at)
                if not is_value and not CLASS.match(stripped):
                    yield from taken(head)
                    begin = end
                else:
                    # Declarators, or the rest of an initial value, may follow.
                    stop = code.find(";", end)
                    yield from taken(head)
                    begin = end = stop + 1 if stop >= 0 else len(code)
                at = end - 1
        elif letter == "}":
            if scopes:
                scopes.pop()
            begin = at + 1
        elif letter == ";":
            yield from taken(code[begin:at])
            begin = at + 1
        at += 1


def clash(one, other):
    """Whether two of these meanings of a name exclude each other."""
    if one[0] == other[0] == "using":
        return not any(a == b or a.endswith("::" + b) for a, b in
                       ((one[1], other[1]), (other[1], one[1])))
    if one[0] == other[0] == "function":
        return one[1] == other[1]
    return True


def problems(texts):
    known = {path: {(scope, name, kind): line for scope, name, kind, line in
                    definitions(text, path.endswith(".c"))}
             for path, text in texts.items()}
    for library, parts in LIBRARIES.items():
        seen = {}
        for path in texts:
            if not belongs(path, parts):
                continue
            for (scope, name, kind), line in known[path].items():
                for first, kind_there in seen.get((scope, name), ()):
                    if not first.startswith(path + ":") and clash(kind, kind_there):
                        yield (f"{path}:{line}: {name} is also in {first}, and a unity build of"
                               f" {library} may join the two")
                        break
                seen.setdefault((scope, name), []).append((f"{path}:{line}", kind))
    for path in texts:
        if not path.startswith(ALONE) and not any(
                belongs(path, parts) for parts in LIBRARIES.values()):
            yield f"{path}: belongs to no library in unity_test.py"


def check_myself():
    """The test can fail."""
    hidden = ("namespace tutti {\nnamespace {\nstruct A : B {\n  int f();\n};\n"
              "constexpr int kC = 3;\n"
              "template <class T>\nint d(const T& t, int i = 3) noexcept {\n  return {};\n}\n"
              "int e[2] = {1, 2}, other;\nusing F = std::vector<int>;\nenum class G { x };\n"
              "std::map<int, int> h{{1, 2}};\nvoid X::member() {}\n}  // namespace\nint open() {}\n"
              "}\nusing tutti::H;\nstatic void s(int, int b);\n")
    names = [(scope, name) for scope, name, _, _ in definitions(hidden)]
    assert names == [("tutti", name) for name in ("A", "kC", "d", "e", "F", "G", "h")] + [
        ("", "H"), ("", "s")], names
    assert [line for *_, line in definitions(hidden)][:4] == [3, 6, 7, 11]
    kinds = {name: kind for _, name, kind, _ in definitions(hidden)}
    assert kinds["d"] == ("function", "constT&, int") and kinds["H"] == ("using", "tutti::H")
    assert kinds["s"] == ("function", "int, int")

    def found(one, other, first="tests/base/", second="tests/base/"):
        return len(list(problems({first + "a.cpp": one, second + "b.cpp": other})))

    unnamed = "namespace {{\n{}\n}}\n".format
    assert found(unnamed("int a = 1;"), unnamed("struct a {};")) == 1
    assert found(unnamed("int a = 1;"), unnamed("int b = 1;")) == 0
    assert found(unnamed("void f(int a) {}"), unnamed("void f(int b) {}")) == 1
    assert found(unnamed("void f(int a) {}"), unnamed("void f(long b) {}")) == 0
    assert found(unnamed("void f(int a);\nvoid f(int a) {}"), "") == 0
    assert found(unnamed("struct A {};"), "using tutti::A;") == 1
    assert found("using tutti::A;", "using tutti::A;") == 0
    assert found("using tutti::A;", "using models::A;") == 1
    assert found("using transport::A;", "using tutti::transport::A;") == 0
    assert found("using A = int;", "using A = long;") == 1
    assert found("namespace a = b::c;", "namespace a = b::c;") == 0
    assert found("namespace a = b::c;", "namespace a = b::d;") == 1
    assert found("static int a;", unnamed("int a;"), "base/", "src/job/") == 1
    assert found(unnamed("int a;"), "namespace x {\nnamespace {\nint a;\n}\n}\n") == 0
    assert found(unnamed("int a;"), unnamed("int a;"), "base/", "tools/") == 0
    assert list(problems({"new/a.cpp": ""})) and not list(problems({"tests/mpi/a.c": ""}))


def main():
    root = pathlib.Path(sys.argv[1])
    check_myself()
    folders = sorted({part.lstrip("-").split("/")[0]
                      for parts in (*LIBRARIES.values(), ALONE) for part in parts})
    texts = {path.relative_to(root).as_posix(): path.read_text() for folder in folders
             for path in sorted((root / folder).rglob("*")) if path.suffix in {".cpp", ".c"}}
    found = list(problems(texts))
    print("\n".join(found) if found else f"{len(texts)} files can be joined by unity builds")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
