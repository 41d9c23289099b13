"""Reads boards of notes: the texts of a canvas (JSON Canvas 1.0) and of an Excalidraw drawing, as Markdown."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.noise import placeholders
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted
from citemark.model.unread_parts import UnreadPart, added_up

_BROKEN = "The {what} is broken, or is another kind of file than its name says. Save it again, or get it again."
_LONGEST_LABEL = 80
"""Characters of a card's text that name it at the end of an arrow."""


def extract_canvas(body: str, *, fallback_title: str) -> Extracted:
    """The cards of a canvas from top to bottom and left to right, then the labels of its arrows.

    Groups are headings, files are links to notes, and web pages are links.

    Raises:
        SkippableSourceError: the file is not a canvas.
    """
    board = _board(body, "canvas")
    nodes = sorted(_entries(board, "nodes"), key=lambda node: (_number(node, "y"), _number(node, "x")))
    parts = [part for node in nodes if (part := _card(node))]
    names = {str(node.get("id")): _name(node) for node in nodes}
    parts += [part for edge in _entries(board, "edges") if (part := _arrow(edge, names))]
    return _written(parts, fallback_title)


def extract_drawing(body: str, *, fallback_title: str) -> Extracted:
    """The texts of a drawing from top to bottom and left to right, with the links of its shapes.

    Raises:
        SkippableSourceError: the file is not a drawing.
    """
    elements = [each for each in _entries(_board(body, "drawing"), "elements") if each.get("isDeleted") is not True]
    elements.sort(key=lambda each: (_number(each, "y"), _number(each, "x")))
    parts: list[str] = []
    for element in elements:
        text = _text(element, "originalText") or _text(element, "text")
        name = _text(element, "name") if element.get("type") == "frame" else ""
        parts += [part for part in (f"## {name}" if name else "", text, _linked(_text(element, "link"))) if part]
    pictures = sum(element.get("type") == "image" for element in elements)
    return replace(_written(parts, fallback_title), left_out=added_up([UnreadPart("image without text", pictures)]))


def _board(body: str, what: str) -> dict[str, Any]:
    try:
        board: Any = json.loads(body or "{}")
    except (ValueError, RecursionError):
        raise SkippableSourceError(_BROKEN.format(what=what)) from None
    if not isinstance(board, dict):
        raise SkippableSourceError(_BROKEN.format(what=what))
    return cast("dict[str, Any]", board)


def _entries(board: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = board.get(key)
    entries = cast("Sequence[Any]", found) if isinstance(found, list) else ()
    return [cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict)]


def _card(node: dict[str, Any]) -> str:
    match node.get("type"):
        case "text":
            return _text(node, "text")
        case "file":
            return f"[[{_text(node, 'file')}{_text(node, 'subpath')}]]" if _text(node, "file") else ""
        case "link":
            return f"<{_text(node, 'url')}>" if _text(node, "url") else ""
        case "group":
            return f"## {_text(node, 'label')}" if _text(node, "label") else ""
        case _:  # a kind of a later version, or of a plugin
            return "\n\n".join(filter(None, (_text(node, key) for key in ("label", "text"))))


def _arrow(edge: dict[str, Any], names: dict[str, str]) -> str:
    label = _text(edge, "label")
    begin, end = names.get(str(edge.get("fromNode")), ""), names.get(str(edge.get("toNode")), "")
    return f"- {begin} → {end}: {label}" if label else ""


def _name(node: dict[str, Any]) -> str:
    first = next((_text(node, key) for key in ("text", "label", "file", "url") if _text(node, key)), "")
    return first.splitlines()[0].lstrip("# ")[:_LONGEST_LABEL] if first else ""


def _linked(link: str) -> str:
    if not link or link.startswith("[["):
        return link
    return f"<{link}>" if "://" in link else ""


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def _number(entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _written(parts: Sequence[str], title: str) -> Extracted:
    found = extract_markdown("\n\n".join(_lines(parts)), fallback_title=title)
    return replace(found, title=title, properties={})


def _lines(parts: Sequence[str]) -> Iterator[str]:
    """The parts; one that begins like the head of a page is text all the same."""
    for number, part in enumerate(parts):
        quiet = placeholders(part)
        yield f"\n{quiet}" if number == 0 and quiet.startswith(("---", "+++", "{")) else quiet
