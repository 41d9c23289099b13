"""The plain text of a message: paragraphs, and quotations of earlier messages."""

import re
from collections.abc import Iterator

from citemark.extraction.building import Builder
from citemark.model.text import BlockKind

_MARKS = re.compile(r"(?:>[ \t]?)+")
_SIGNATURE = "-- "


def write_plain(builder: Builder, text: str, *, flowed: bool) -> None:
    """Add a text; blank lines part paragraphs, quoted lines are quotations without their marks.

    With `flowed` a line that ends in a blank goes on in the next (RFC 3676).
    """
    for quoted, lines in _runs(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        said = "\n".join(_joined(lines) if flowed else lines)
        builder.paragraph(said, BlockKind.QUOTE if quoted else BlockKind.PARAGRAPH)


def _runs(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Lines that follow each other without a blank one, those quoted, to whatever depth, apart from the others."""
    run: list[str] = []
    depth = 0
    for line in lines:
        marks = _MARKS.match(line)
        words = line[marks.end() :] if marks is not None else line
        now = marks[0].count(">") if marks is not None else 0
        if run and (now != depth or not words.strip()):
            yield depth > 0, run
            run = []
        depth = now
        if words.strip():
            run.append(words)
    if run:
        yield depth > 0, run


def _joined(lines: list[str]) -> list[str]:
    found: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on:
            found[-1] += line
        else:
            found.append(line)
        goes_on = line.endswith(" ") and line != _SIGNATURE
    return found
