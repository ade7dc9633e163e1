#!/usr/bin/env python3
"""The pictures of tutti bench and tutti tune: no texts meet, a legend stands in columns beside what
it is of, and no sheet is half empty.

Usage: pictures_test.py PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.svg import SVG, boxes, checked, size_of  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
PARAMETERS = {"model": "loggp", "parameters": {"L": 3, "o": 0.5, "g": 1, "G": 0.001}}


def picture(folder, *words):
    subprocess.run([PROGRAM, *map(str, words), "--svg", "x.svg"], cwd=folder, check=True,
                   capture_output=True)
    return checked((folder / "x.svg").read_text(), words)[0]


def check_maps(folder):
    """Methods are listed right of the maps, in columns, and from their top on."""
    (folder / "model.json").write_text(json.dumps(PARAMETERS))
    for collectives in ("allreduce", "allreduce,bcast,barrier"):
        root = picture(folder, "tune", "--method", "predicted", "--params", "model.json",
                       "--collective", collectives, "-P", "2,4,16", "--ppn", 4, "-m", "8,64k")
        places = {"62": [], "24": []}  # cells and entries by their widths
        for rect in root.iter(SVG + "rect"):
            if (width := rect.get("width").removesuffix(".00")) in places:
                places[width].append((float(rect.get("x")), float(rect.get("y"))))
        cells, entries = places["62"], sorted(places["24"])
        assert cells and entries and entries[0][0] >= max(x for x, _ in cells) + 62, entries
        for (x, y), (next_x, next_y) in zip(entries, entries[1:]):
            # In a column one follows the other, or the list of another collective begins.
            assert next_x > x or next_y - y == 18 or next_y - y > 40, (entries, cells)
        assert min(y for _, y in entries) - min(y for _, y in cells) < 10, (entries, cells)
        texts = list(boxes(root))
        assert max(right for _, _, right, _, _ in texts) > 0.7 * size_of(root)[0], texts
    # Titles that are longer than their maps are wide.
    picture(folder, "tune", "--method", "predicted", "--params", "boba,hardware", "--collective",
            "bcast", "-m", "8,64k", "-P", "8,64")


def check_panels(folder):
    """The last line of panels is as full as can be."""
    for collectives, columns, lines in (("bcast", 1, 1), ("bcast,reduce", 2, 1),
                                        ("barrier,bcast,reduce", 3, 1),
                                        ("barrier,bcast,reduce,scan", 2, 2)):
        root = picture(folder, "bench", "--collective", collectives, "--sizes", "8,64,576,1k",
                       "--time-limit", 0.001, "--no-mpi")
        places = {(left, bottom) for left, _, _, bottom, text in boxes(root)
                  if text in collectives.split(",")}
        assert len({x for x, _ in places}) == columns, (collectives, places)
        assert len({y for _, y in places}) == lines, (collectives, places)


def check_first(folder):
    """The first calls have marks of their own, empty ones."""
    root = picture(folder, "bench", "--collective", "barrier,bcast", "--sizes", "8,1k",
                   "--first", 3, "--time-limit", 0.001)
    texts = [text for *_, text in boxes(root)]
    for who in ("Tutti at first", "MPI at first"):
        assert texts.count(who) == 2, texts  # in the legend, and under the barrier's
    empty = [one for one in root.iter() if one.get("fill") == "white" and one.get("stroke")
             and one.tag in (SVG + "circle", SVG + "rect")]
    assert len(empty) >= 2 + 2 * 3, len(empty)
    assert texts.count("no bytes") == 1, texts  # of the barrier


def main():
    with tempfile.TemporaryDirectory(prefix="tutti-pictures-") as name:
        check_maps(pathlib.Path(name))
        check_panels(pathlib.Path(name))
        check_first(pathlib.Path(name))
    print("pictures are full, and their texts beside each other")


main()
