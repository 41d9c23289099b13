"""Texts beside the pages of office files (comments, text boxes, footers), with the looks of their runs."""

from citemark.extraction.builder import inline
from citemark.extraction.office import Node, attribute, child, name_of
from citemark.extraction.text_runs import PLAIN, Look, TextRun

_TEXTS = frozenset({"t", "text"})

_PLACES = {"superscript": 1, "subscript": -1}


def drawn_look(properties: Node | None) -> Look:
    """The look that the properties of a run in a drawing or on a slide give it."""
    baseline = attribute(properties, "baseline").removesuffix("%")
    struck = attribute(properties, "strike") not in {"", "noStrike"}
    if baseline.strip("-0.") == "":
        return Look(struck=True) if struck else PLAIN
    return Look(-1 if baseline.startswith("-") else 1, struck)


def words_in(*nodes: Node) -> str:
    """All words below some nodes on one line; phonetic hints are no part of them."""
    runs: list[TextRun] = []
    for part in (part for node in nodes for part in node.iter()):
        run = part.getparent()
        if name_of(part) == "p":
            runs.append(TextRun(" "))
        elif name_of(part) in _TEXTS and (run is None or name_of(run) != "rPh"):
            runs.append(TextRun(str(part.text or ""), "", _look_of(child(run, "rPr"))))
    return " ".join(inline(runs).text.split())


def _look_of(properties: Node | None) -> Look:
    """The look of a run in any of the office formats: in cells, it is said by elements instead of attributes."""
    place = _PLACES.get(attribute(child(properties, "vertAlign"), "val"), 0)
    return drawn_look(properties).with_(place=place, struck=child(properties, "strike") is not None)
