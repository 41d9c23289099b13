"""Equations of office programs as runs of text on one line: exponents raised, indexes lowered, fractions with a bar."""

from collections.abc import Iterator

from citemark.extraction.office import Node, attribute, child, children, name_of
from citemark.extraction.text_runs import PLAIN, Look, TextRun

_DEEPEST = 40
"""Most nested parts of an equation that are walked; anything deeper is read as its plain text."""


def math_runs(node: Node, look: Look = PLAIN, depth: int = 0) -> Iterator[TextRun]:
    """The text of an equation (`oMath`) or a part of one, in the order in which it is said."""
    if depth > _DEEPEST:
        yield TextRun("".join(str(text.text or "") for text in node.iter() if name_of(text) == "t"), "", look)
        return
    for part in children(node):
        yield from _part(part, look, depth + 1)


def _part(part: Node, look: Look, depth: int) -> Iterator[TextRun]:
    match name_of(part):
        case "t":
            yield TextRun(str(part.text or ""), "", look)
        case "f":
            yield from _grouped(child(part, "num"), look, depth)
            yield TextRun("/", "", look)
            yield from _grouped(child(part, "den"), look, depth)
        case "rad":
            yield from _inner(child(part, "deg"), look.with_(place=1), depth)
            yield TextRun("\u221a", "", look)
            yield from _grouped(child(part, "e"), look, depth)
        case "sup":
            yield from math_runs(part, look.with_(place=1), depth)
        case "sub":
            yield from math_runs(part, look.with_(place=-1), depth)
        case "nary":
            sign = attribute(child(part, "naryPr", "chr"), "val") or "\u222b"
            yield TextRun(sign, "", look)
            yield from math_runs(part, look, depth)
        case "d":
            settings = child(part, "dPr")
            yield TextRun(attribute(child(settings, "begChr"), "val") or "(", "", look)
            yield from math_runs(part, look, depth)
            yield TextRun(attribute(child(settings, "endChr"), "val") or ")", "", look)
        case _:
            yield from math_runs(part, look, depth)


def _inner(node: Node | None, look: Look, depth: int) -> Iterator[TextRun]:
    if node is not None:
        yield from math_runs(node, look, depth)


def _grouped(node: Node | None, look: Look, depth: int) -> Iterator[TextRun]:
    """A part of a fraction or root, in brackets unless it is one word or number."""
    runs = list(_inner(node, look, depth))
    alone = "".join(run.text for run in runs).isalnum()
    yield from runs if alone else [TextRun("(", "", look), *runs, TextRun(")", "", look)]
