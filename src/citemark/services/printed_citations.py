"""A durable citation as one text that stands for it: given out as an id, kept anywhere, and resolved again later."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from citemark.model.citation import Citation
from citemark.model.errors import InvalidArgument
from citemark.services.requests import Caller, CitationRef
from citemark.text.citation_line import CitedPlace, line_of, printed_places

if TYPE_CHECKING:
    from citemark.services.reopening import ReopenService

_UNREADABLE = "The id is none of this server; give an id from a result of search, unchanged."


def id_of(citation: Citation) -> str:
    """The line that is printed for a citation or, where its names could be read in another way, its JSON."""
    line = line_of(replace(citation, anchor=replace(citation.anchor, heading=None)))
    first = None if "\n" in line else next(printed_places(line), None)
    if first is not None and _means(first, citation):
        return line
    span = {"start": citation.span.start, "end": citation.span.end}
    fields = {
        "source": citation.source,
        "document_id": citation.document_id,
        "revision_id": citation.revision_id,
        "span": span,
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _means(place: CitedPlace, citation: Citation) -> bool:
    return (place.source, place.document, place.revision) == (
        citation.source,
        citation.document_id,
        citation.revision_id,
    )


def refs_in(text: str) -> Iterator[CitationRef]:
    """What the printed citations in a text may refer to, the likeliest reading first."""
    for place in printed_places(text):
        chars = place.chars
        yield CitationRef(
            place.source,
            place.document,
            place.revision,
            chars.start if chars else None,
            chars.end if chars else None,
            lines=place.lines,
        )


async def ref_of(reopening: "ReopenService", caller: Caller, given: str) -> CitationRef:
    """What an id refers to; it need not exist, and the caller may not be allowed to read it.

    Raises:
        InvalidArgument: the text is no citation at all.
    """
    fields = _object(given)
    refs = list(refs_in(given)) if fields is None else [_ref(fields)]
    if not refs:
        raise InvalidArgument(_UNREADABLE)
    for ref in refs:
        if await reopening.known(caller, ref) is not None:
            return ref
    return refs[0]


def _object(given: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(given)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _ref(fields: dict[str, Any]) -> CitationRef:
    match fields:
        case {
            "source": str(source),
            "document_id": str(document),
            "revision_id": str(revision),
            "span": {"start": int(start), "end": int(end)},
        }:
            return CitationRef(source, document, revision, start, end)
        case _:
            raise InvalidArgument(_UNREADABLE)
