"""A citation as the line that a command or the text of a result prints for it, and read back from that line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citemark.model.accounts import DOC_TYPES
from citemark.model.architecture import ELEMENT, VIEW
from citemark.model.citation import Citation, iso
from citemark.model.text import Lines, Span
from citemark.text.escaping import one_line

_OPAQUE = frozenset({*DOC_TYPES, ELEMENT, VIEW})
_MOST_TITLE = 120
"""The most characters of a title in a citation, so that it stays on one line."""

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


def is_opaque(citation: Citation) -> bool:
    """Whether the id of a document means nothing to a reader."""
    return citation.doc_type in _OPAQUE


def name_of(citation: Citation) -> str:
    """The id of a document, followed by its title where the id means nothing to a reader (models, accounts)."""
    if not is_opaque(citation) or not citation.title:
        return one_line(citation.document_id)
    title = one_line(" ".join(citation.title.split()))
    short = title if len(title) <= _MOST_TITLE else title[: _MOST_TITLE - 1].rstrip() + "…"
    return f'{one_line(citation.document_id)} "{short}"'


def line_of(citation: Citation, *, named: bool = False) -> str:
    """A citation as one line for people, accurate to the second.

    `named` adds the title, for places that do not show it otherwise.
    """
    document = name_of(citation) if named else one_line(citation.document_id)
    if citation.anchor.heading and "#" not in document:
        document += f"#{one_line(citation.anchor.heading)}"
    parts = [f"{one_line(citation.source)}: {document}", _where(citation), f"revision {citation.revision_id}"]
    if citation.dated:
        parts.append(f"dated {citation.day}")
    if citation.baseline_id:
        parts.append(f"baseline {one_line(citation.baseline_id)}")
    parts.append(f"as of {iso(citation.as_of.replace(microsecond=0))}")
    return ", ".join(parts)


def _where(citation: Citation) -> str:
    lines = citation.anchor.lines
    if lines is None:
        return f"characters {citation.span.start}-{citation.span.end}"
    return f"line {lines.start}" if lines.start == lines.end else f"lines {lines.start}-{lines.end}"
