"""Pictures that the program writes: where their texts and lines are, and that no texts meet."""
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"


def boxes(root):
    """About where each text is: left, top, right, bottom, text."""
    for text in root.iter(SVG + "text"):
        if "transform" in text.attrib:
            continue
        size = float(text.get("font-size", 13))
        width = 0.55 * size * len(text.text)
        x, y = float(text.get("x")), float(text.get("y"))
        left = x - {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        yield left, y - 0.75 * size, left + width, y, text.text


def checked(written, what=""):
    """The picture and its texts. Each text stands on the sheet, and beside the others."""
    root = xml.fromstring(written)
    assert root.tag == SVG + "svg"
    width, height = size_of(root)
    found = sorted(boxes(root))
    for i, (left, top, right, bottom, text) in enumerate(found):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, (what, text)
        for other in found[i + 1:]:
            if other[0] >= right:
                break
            assert other[1] >= bottom or other[3] <= top, (what, text, other[4])
    return root, {box[4] for box in found}


def size_of(root):
    return float(root.get("width")), float(root.get("height"))


def lines(root):
    """x1, y1, x2, y2 of each line."""
    for line in root.iter(SVG + "line"):
        yield tuple(float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
