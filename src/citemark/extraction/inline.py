"""Runs of text to one clean text and the links inside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citemark.model.text import Link, Span

NO_TEXT = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\ufeff\ufffe\uffff\ud800-\udfff]")
_LONGEST_TEXT = 200
_LONGEST_TARGET = 2048


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text as a format stores it; `target` is where it links to, "" for plain text."""

    text: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Inline:
    """Clean text; the spans of the links refer to it."""

    text: str
    links: tuple[Link, ...] = ()


def inline(said: str | Sequence[Piece], *, breaks: bool = False, in_cell: bool = False) -> Inline:
    """Join runs: white space collapsed, characters that no text has left out, neighbours with one target one link.

    Args:
        said: A text, or its runs in order.
        breaks: Keep line breaks (as a single newline) instead of turning them into blanks.
        in_cell: Escape the bars that would end a table's cell.
    """
    parts: list[str] = []
    links: list[Link] = []
    length, gap, open_target = 0, "", ""
    for piece in [Piece(said)] if isinstance(said, str) else said:
        raw = NO_TEXT.sub("", piece.text)
        core = _collapsed(raw, breaks)
        if in_cell:
            core = core.replace("|", "\\|")
        before, after = _edges(raw, breaks)
        gap = "\n" if "\n" in gap + before else gap or before
        if not core:
            gap = "\n" if "\n" in gap + after else gap or after
            continue
        if parts and gap:
            parts.append(gap)
            length += 1
        start = length
        parts.append(core)
        length += len(core)
        gap = after
        target = piece.target.strip()[:_LONGEST_TARGET]
        if target and target == open_target:
            start = links.pop().span.start
        if target:
            links.append(Link(Span(start, length), "", target))
        open_target = target
    text = "".join(parts)
    return Inline(text, tuple(Link(link.span, _said(text, link.span), link.target) for link in links))


def _collapsed(raw: str, breaks: bool) -> str:
    if not breaks:
        return " ".join(raw.split())
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.splitlines())))


def _edges(raw: str, breaks: bool) -> tuple[str, str]:
    """The white space around a run, each as "", a newline or a blank."""
    return _edge(raw[: len(raw) - len(raw.lstrip())], breaks), _edge(raw[len(raw.rstrip()) :], breaks)


def _edge(space: str, breaks: bool) -> str:
    if not space:
        return ""
    return "\n" if breaks and space.splitlines() != [space] else " "


def _said(text: str, span: Span) -> str:
    return " ".join(span.of(text)[:_LONGEST_TEXT].split())
