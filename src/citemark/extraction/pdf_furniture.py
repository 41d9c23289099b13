"""Headers, footers and page numbers: what stands at the edge of most pages and is nobody's text."""

import re
from collections import Counter
from collections.abc import Sequence

from citemark.extraction.pdf_lines import Line

_EDGE_LINES = 3
_EDGE = 0.13
_LEAST_PAGES = 3
_SHARE = 0.4
_LARGE = 1.15
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_COUNTS = re.compile(r"\W*#(?:\W{1,3}#)?\W*")
_OUTER_NUMBER = re.compile(r"^\W{0,3}(\d{1,5})\b|\b(\d{1,5})\W{0,3}$")


def without_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float], size: float) -> list[list[Line]]:
    """The pages without the lines that at least two fifths of them (and three) repeat near their top or bottom.

    Numbers count as equal, so that page numbers go; a line of numbers only must look like one. The outermost line goes
    whatever it says where it begins or ends with a number that counts the pages. Lines set larger than the text are
    titles, however often they come.

    Args:
        pages: The lines of each page.
        heights: The height of each page, in points.
        size: The size of the running text.
    """
    at_edges = [
        _edges(number, lines, height, size) for number, (lines, height) in enumerate(zip(pages, heights, strict=True))
    ]
    seen = Counter(key for found in at_edges for key in {key for keys in found.values() for key in keys})
    least = max(_LEAST_PAGES, _SHARE * sum(bool(lines) for lines in pages))
    return [
        [line for number, line in enumerate(lines) if all(seen[key] < least for key in found.get(number, ()))]
        for lines, found in zip(pages, at_edges, strict=True)
    ]


def _edges(page: int, lines: Sequence[Line], height: float, size: float) -> dict[int, set[str]]:
    """The lines that may be furniture: their place among the lines, and by which marks other pages repeat them."""
    by_height = sorted(range(len(lines)), key=lambda number: -lines[number].whole.top)
    found: dict[int, set[str]] = {}
    for edge, numbers in (("top", by_height[:_EDGE_LINES]), ("bottom", by_height[: -_EDGE_LINES - 1 : -1])):
        for place, number in enumerate(numbers):
            line = lines[number].whole
            outside = line.bottom > height * (1 - _EDGE) if edge == "top" else line.top < height * _EDGE
            if not outside or line.size > _LARGE * size:
                continue
            marks = found.setdefault(number, set())
            text = _NUMBER.sub("#", " ".join(line.text.casefold().split()))
            text = "#" if _ROMAN.fullmatch(text) else text
            if _COUNTS.fullmatch(text) or any(map(str.isalpha, text)):
                marks.add(f"{edge} {text}")
            if place == 0:
                pairs = _OUTER_NUMBER.findall(line.text)
                marks.update(f"counts from {int(one or other) - page}" for one, other in pairs)
    return found
