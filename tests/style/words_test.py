#!/usr/bin/env python3
"""Comments and documents are in the field's English, and comments name files that exist.

Usage: words_test.py ROOT            counts by folder, and prints what is above the ceilings below
       words_test.py ROOT FOLDER…    prints all that is counted in these folders

Three things are checked in C, C++ and Python, the first one also in the prose of documents (those
of docs/, README.md, and the manual pages in man/), without their code, headings and tables:
 * sentences of comments that begin without their noun, or have a phrase that only we use (REFUSED);
 * names of files in comments, of which there is none;
 * names that were replaced by others (RENAMED).
Each folder has a ceiling, and may only come down to it: the test also fails where a folder has
fewer, until its ceiling is lowered. Status 1 if it fails.
"""
import collections
import io
import os
import pathlib
import re
import sys
import tokenize

# By folder: refused sentences, and names of files that do not exist. Only downwards.
CEILINGS = {
    "README.md": (0, 0),
    "base": (0, 0),
    "collectives": (0, 0),
    "docs": (0, 0),
    "examples": (0, 0),
    "include": (0, 0),
    "man": (0, 0),
    "models": (0, 0),
    "protocols": (0, 0),
    "registration": (0, 0),
    "src": (0, 0),
    "tests": (0, 0),
    "tools": (0, 0),
    "transport": (0, 0),
}

# Why a sentence is refused; a pattern that begins with ^ holds for its beginning. A question may
# begin with its word, and a comment behind code with one of BEHIND_NAMES: its noun is the name that
# stands there.
BEHIND_NAMES = ("of ", "those ", "that of ", "likewise")
REFUSED = {
    "begins with Of": r"^Of ",
    "begins without its noun": r"^(What|Who|Whom|Whose|Whoever|Whatever)\b(?!.*\?$)",
    "begins with So many": r"^So (many|much)\b",
    "begins without its noun, Those": r"^Those( (of|that|up|who|whose|with|within)\b|[,.:])",
    "begins without its noun, That": r"^That of\b",
    "begins with Likewise": r"^Likewise\b",
    "begins with The same": r"^The same( (again|all|and|are|as|at|between|but|by|for|from|here|if|"
                            r"in|is|of|on|over|there|to|when|where|with)\b|[,.:;]|$)",
    "is none": r"(?<!\bthere )\b(is|are|was|were) none\b(?! of\b)",
    "in vain": r"\bin vain\b",
    "all the same": r"\ball the same\b",
    "by turns": r"\bby turns\b",
    "put off": r"\bputs? off\b",
}

# Names of the review, and what replaces them, by the folder in whose code they may not come back.
# Longer names that contain one of them are other names.
RENAMED = {
    ".": {"OwnPage": "ProcessState", "glance": "poll_one", "relax": "wait_once",
          "welcome": "adopt_links", "fetch_ahead": "prefetch",
          "fetch_to_write": "prefetch_for_write", "give_core_away": "yield_core",
          "look_after_growth": "progress_growth", "say_farewell": "send_disconnect",
          "say_moved": "send_moved", "keep_small": "cancel_growth", "take_a_turn": "run_once",
          "take_on": "progress", "goes_whole": "is_single_slot", "Unborn": "PendingCommunicator",
          "Means": "PlanContext", "must_have_mpi": "require_mpi", "in_a_row": "repeated",
          "look_after": "housekeeping", "distrust": "fail_as_corrupt", "headway": "progress_count",
          "farewell": "disconnect", "send_goodbye": "send_disconnect", "kFarewell": "kConnection",
          "let_go": "release", "let_go_of": "release_in_child", "LetGo": "Release",
          "let_go_": "release_", "site": "context", "site_": "context_", "greet": "send_old_news",
          "Greet": "OnChannel", "greet_": "on_channel_", "take_leave": "send_last_news",
          "waited_in_vain": "note_still_waiting", "drop_what_is_too_much": "trim",
          "has_word": "has_datagram", "has_word_": "has_datagram_",
          "send_words": "request_link_datagrams", "words_to_send_": "link_datagrams_wanted_",
          "speak_for_links": "send_link_datagrams", "speak_for_node": "warn_for_node",
          "InChildren": "ForkHandler", "in_children_": "fork_handler_",
          "DeviceWish": "DeviceSettings", "device_wish": "device_settings", "wish_": "settings_",
          "pass_by": "check_unused", "pass_by_verbs": "check_unused_verbs", "Patience": "WaitState",
          "patience": "wait_state"},
    "transport": {"Stored": "StoreKind", "Stores": "StorePolicy", "Reads": "ReadClock",
                  "took": "record", "Site": "LinkContext", "take_back": "revoke",
                  "taken_back": "is_revoked"},
    "collectives": {"story": "trace", "with_story": "with_trace"},
    "protocols": {"wish": "request", "take_back": "revoke", "taken_back": "is_revoked"},
    "models": {"Waiting": "StepQueue", "Setting": "SimulationOptions"},
    "models/decision": {"Place": "Topology"},
    "src/api": {"Own": "ProcessState"},
    "src/job": {"Site": "TransportContext"},
}

DOCUMENT = re.compile(r"README\.md|docs/[^/]*\.md|man/[^/]*\.in")
# Files of others, one that a test writes, and the end of one whose beginning was just named.
FOREIGN = {"mpi.h", "cuda.h", "example.c", "_ib.hpp"}
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'')
BLOCK = re.compile(r"/\*+(.*?)\*/", re.S)
SENTENCE = re.compile(r"(?<=[.!?])\)? +(?=[A-Z\d(`])")
FILE = re.compile(r"(?<![\w./*<$}{…-])([\w-][\w.-]*\.(?:[ch]pp|[ch]|py|def|md|svg|in|json|build))"
                  r"(?![\w/(]|\.\w)")


def c_lines(text):
    """Number, column, whether code stands before it, and text of each line of comment."""
    for found in BLOCK.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        for number, line in enumerate(found[1].split("\n")):
            yield first + number, 0, False, line.strip().removeprefix("* ")
    for number, line in enumerate(text.split("\n"), 1):
        at = STRING.sub(lambda string: " " * len(string[0]), line).find("//")
        if at >= 0:
            yield number, at, bool(line[:at].strip()), line[at + 2:]


def python_lines(text):
    """Lines of comments and of documentation strings."""
    before = tokenize.ENCODING
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number, at = token.start
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield number, at, bool(token.line[:at].strip()), token.string[1:]
        elif token.type == tokenize.STRING and before in BEFORE_DOCUMENTATION:
            for further, line in enumerate(token.string.strip('"').split("\n")):
                yield number + further, 0, False, line
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type


# Lines of Markdown that begin a paragraph of their own (items, quotations), and its markup.
# Macros of mdoc that end a paragraph, and names of the others.
ITEM = re.compile(r" *(?:[*+-]|\d+\.|>) +")
MARKUP = re.compile(r"\*\*|__|!?\[(?=[^\]]*\]\()|\]\([^)]*\)")
BLOCK_MACRO = re.compile(r"\.(?:Pp|Sh|Ss|It|Bl|El|Bd|Ed|D1|Dl|Dd|Dt|Os|Nd|\\\").*")
MACRO = re.compile(r"(?<!\S)(?:[A-Z][a-z]|No|Ns)(?!\S)")


def markdown_lines(text):
    """Number, 0, False, and text of each line: empty between paragraphs, and for headings, tables
    and code."""
    fenced, prose = False, False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        item = ITEM.match(line)
        code = line.startswith("    ") and not prose and not item
        if fence or fenced or code or not line.strip() or line.lstrip().startswith(("#", "|", "<")):
            prose = prose and not line.strip()  # an item goes on after an empty line, indented
            yield number, 0, False, ""
            continue
        prose = True
        if item:
            yield number, 0, False, ""
        yield number, 0, False, MARKUP.sub("", line[item.end():] if item else line)


def manual_lines(text):
    """Number, 0, whether it describes an item (as a comment does the code before it), and text of
    each line of a page in mdoc: empty for macros that end a paragraph, and for examples."""
    literal = behind = False
    for number, line in enumerate(text.split("\n"), 1):
        if BLOCK_MACRO.match(line) or not line.strip() or literal:
            literal = line.startswith(".Bd") or (literal and not line.startswith(".Ed"))
            behind = line.startswith(".It")
            yield number, 0, False, ""
        else:
            yield number, 0, behind, MACRO.sub("", line[1:]) if line[0] == "." else line
            behind = False


BEFORE_DOCUMENTATION = (tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


LINES = {".py": python_lines, ".md": markdown_lines, ".in": manual_lines}


def is_document(path):
    """Whether it has prose, and no comments."""
    return path.endswith((".md", ".in"))


def comments(path, text):
    """First line, whether code stands before it, and text of each comment, which are all lines
    that follow each other in one column, up to an empty one; of a document, each paragraph."""
    first, behind_code, parts, last = 0, False, [], None
    for number, at, behind, part in LINES.get(os.path.splitext(path)[1], c_lines)(text):
        goes_on = parts and not behind and (number - 1, at) == last
        if parts and not (goes_on and part.strip()):
            yield first, behind_code, " ".join(parts)
            parts = []
        if part.strip():
            if not parts:
                first, behind_code = number, behind
            parts.append(part.strip())
        last = (number, at)
    if parts:
        yield first, behind_code, " ".join(parts)


def refused(path, text):
    """Complaints of the words of a file."""
    for number, behind_code, comment in comments(path, text):
        for place, sentence in enumerate(SENTENCE.split(comment)):
            beginning = re.sub(r"^\(?(\w)", lambda first: first[1].upper(), sentence)
            for why, pattern in REFUSED.items():
                if (re.search(pattern, beginning) or re.search(pattern, sentence)) and not (
                        behind_code and not place and sentence.startswith(BEHIND_NAMES)):
                    yield f"{path}:{number}: {why}: {sentence}"
                    break


def missing(path, text, names):
    """Complaints of the files that comments of a file name."""
    for number, _, comment in comments(path, text):
        for name in FILE.findall(comment):
            if name not in names and name not in FOREIGN:
                yield f"{path}:{number}: there is no {name}"


def identifiers(path, text):
    """The names in the code of a file, each with the first line where it is."""
    found = {}
    if not path.endswith(".py") and not is_document(path):
        text = BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
        for number, line in enumerate(text.split("\n"), 1):
            if not line.lstrip().startswith("#"):
                for name in re.findall(r"[A-Za-z_]\w*", STRING.sub("", line).split("//")[0]):
                    found.setdefault(name, number)
    return found


def renamed(texts):
    """Complaints of names that are back."""
    where = {}
    for path, text in texts.items():
        for name, number in identifiers(path, text).items():
            where.setdefault(name, []).append((path, number))
    for folder, names in RENAMED.items():
        for name, new in names.items():
            places = [f"{path}:{number}" for path, number in where.get(name, ())
                      if folder == "." or path.startswith(folder + "/")]
            if places:
                yield f"{places[0]}: {name} is called {new}"


def by_folder(texts, names):
    """Complaints of words and of files, by the first part of the path."""
    found = collections.defaultdict(lambda: ([], []))
    for path, text in texts.items():
        words, files = found[path.split("/")[0]]
        words += refused(path, text)
        if not is_document(path):
            files += missing(path, text, names)
    return found


def compare(found, ceilings):
    """Complaints of folders that are not at their ceilings."""
    for folder in sorted(found.keys() | ceilings.keys()):
        for kind, complaints, ceiling in zip(("sentences", "files"), found[folder],
                                             ceilings.get(folder, (0, 0))):
            if len(complaints) > ceiling:
                yield from complaints
                yield (f"{folder}: {len(complaints)} {kind} above are refused, and {ceiling} were:"
                       " write the new ones in other words")
            elif len(complaints) < ceiling:
                yield (f"{folder}: {len(complaints)} {kind} are refused, and {ceiling} may be:"
                       " lower the ceiling in words_test.py")


def check_myself():
    """The test can fail."""
    text = ("// Of blocks\n// the mean. Who asks?\n//\n// what is \"it\". The same here. "
            "(So many)\n"
            "int a;  // of b\n// The same call, or none.\nint c;  // what\n        // d is. It is "
            "none\n"
            "f(\"// what\");  /* in vain,\n * see none.hpp, mpi.h and a/b.hpp */\n")
    found = list(refused("a/a.cpp", text))
    assert [line.split(":")[1] for line in found] == list("9144477"), found
    assert list(missing("a/a.cpp", text, {"a.cpp"})) == ["a/a.cpp:9: there is no none.hpp"]
    assert not list(missing("a/a.cpp", text, {"none.hpp"}))
    python = '"""What\n\nWho."""\n\n\ndef f():\n    """Of it"""\n    g("What")  # who\n'
    assert [line.split(":")[1] for line in refused("a/a.py", python)] == list("1378")
    markdown = ("# What it is\n\nIt is\nfine. **Of** it.\n\n* a: b\n* what [c](d.md).\n\n"
                "| Of | x |\n|---|---|\n\n    Of code\n\n```\nOf code\n```\n\nWho asks?\n")
    assert [line.split(":")[1] for line in refused("docs/a.md", markdown)] == list("37")
    manual = (".Sh WHAT\nIt is\n.Ar so .\nWhat is\n.It Fl a\nof b\n.It Fl b\nWhat\n.Pp\n"
              ".Bd -literal\nOf code\n.Ed\nSo many\n.Ar ranks .\n")
    assert [line.split(":")[1] for line in refused("man/a.1.in", manual)] == ["2", "8", "13"]
    assert not identifiers("docs/a.md", "glance") and not identifiers("man/a.1.in", "glance")
    assert not by_folder({"docs/a.md": "See none.hpp.\n"}, set())["docs"][1]
    counts = by_folder({"a/a.cpp": text}, {"a.cpp"})
    assert not list(compare(counts, {"a": (7, 1)}))
    assert len(list(compare(counts, {"a": (8, 1)}))) == 1
    assert len(list(compare(counts, {"a": (7, 0)}))) == 2
    assert len(list(compare(counts, {"a": (7, 1), "b": (1, 0)}))) == 1
    assert not list(renamed({"a/a.cpp": "// glance\nglances(\"relax\"); struct Site;"}))
    assert len(list(renamed({"a/a.cpp": "void glance();"}))) == 1
    assert len(list(renamed({"src/job/a.cpp": "struct Site;"}))) == 1
    assert not list(renamed({"src/api/a.cpp": "struct Site;"}))


def read(root):
    """The text of each source by its path, and the names of all files."""
    texts, names = {}, set()
    for folder, folders, files in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = [f for f in folders if not f.startswith(".") and f != "__pycache__"
                      and not (here / f / "meson-info").exists()]
        names.update(files)
        for name in files:
            path = (here / name).relative_to(root).as_posix()
            if name.endswith((".cpp", ".hpp", ".c", ".h", ".py")) or DOCUMENT.fullmatch(path):
                texts[path] = (here / name).read_text()
    return texts, names


def main():
    root, *folders = sys.argv[1:]
    check_myself()
    texts, names = read(pathlib.Path(root))
    found = by_folder(texts, names)
    if folders:
        print("\n".join(line for folder in folders for lines in found[folder] for line in lines))
        return 0
    complaints = [*compare(found, CEILINGS), *renamed(texts)]
    left = sum(len(words) for words, _ in found.values())
    print("\n".join(complaints) if complaints else
          f"comments and prose of {len(texts)} files: {left} sentences are still to be rewritten")
    return 1 if complaints or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
