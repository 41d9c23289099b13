"""Reads a citation back from the line that was printed for it: by a command, or in the text of a tool's result."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citemark.model.text import Lines, Span

_RANGES = r"\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*"
_TAIL = re.compile(
    rf", (?:lines? (?P<lines>{_RANGES})|characters (?P<chars>{_RANGES}))(?:, dated [\d-]+)?"
    r"(?:, revision (?P<revision>\d+))?(?:, dated [\d-]+)?(?:, baseline .+?)?(?:, as of [\dTZ:.+-]+)?"
    r"(?:, (?:past|now|upcoming): [^;]+)?(?:; (?:passage_id )?[\w-]+)?[)\]]*$"
)
_OPENS = re.compile(r"[\[(]|: ")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """One reading of a printed citation; `revision` is None if none was printed, `lines` or `chars` is given."""

    source: str
    document: str
    revision: str | None
    lines: Lines | None
    chars: Span | None


def printed_places(text: str) -> Iterator[CitedPlace]:
    """The readings of the lines of a text, the likeliest first; none if no line ends as a citation does.

    Names may contain what separates them, and a heading or title may follow the document: only who knows the sources
    and their documents can tell the readings apart.
    """
    for line in text.splitlines():
        found = _TAIL.search(line.strip())
        if found is not None:
            head, revision = line.strip()[: found.start()], found["revision"]
            numbers = [int(number) for number in _NUMBER.findall(found["lines"] or found["chars"])]
            lines = Lines(min(numbers), max(numbers)) if found["lines"] else None
            chars = Span(min(numbers), max(numbers)) if found["chars"] else None
            for source, document in _readings(head):
                yield CitedPlace(source, document, revision, lines, chars)


def _readings(head: str) -> Iterator[tuple[str, str]]:
    """Every way to divide the begin of a citation into a source and a document."""
    begins = [0, *(match.end() for match in _OPENS.finditer(head))]
    for colon in re.finditer(": ", head):
        for begin in begins:
            if source := head[begin : colon.start()].strip() if begin <= colon.start() else "":
                yield from ((source, document) for document in _documents(head[colon.end() :]))


def _documents(named: str) -> Iterator[str]:
    """A document's id as printed, without the title behind it, and without the heading behind it."""
    yield named
    untitled = named.partition(' "')[0] if named.endswith('"') else named
    if untitled != named:
        yield untitled
    page, mark, _ = untitled.rpartition("#")
    if mark:
        yield page
    if '"#' in named:  # the title of a page in front of the heading
        yield named.partition(' "')[0]
