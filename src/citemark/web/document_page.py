"""The page that reads a document at its cited span, and what can be done with the citation there."""

import asyncio
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from citemark.evidence.changed_places import PlaceSide, changed_places
from citemark.model.errors import InvalidArgument
from citemark.model.text import Span
from citemark.services.reopening import KeptRevision, ReadDocument
from citemark.services.requests import CitationRef
from citemark.services.responses import Verification
from citemark.text.citation_line import line_of
from citemark.web.asked import Asked
from citemark.web.document_html import document_html
from citemark.web.page_addresses import address_of_changes, address_of_citation, address_of_document, parts_of
from citemark.web.rendering import Page

_PART = 60_000
"""Characters of a document that are shown at a time: a browser lays out ten thousand words in a tenth of a second."""

_BEFORE = _PART // 4
"""Of a long document, this much is shown before what was cited."""

_MOST_QUOTED = 2_000
"""A longer span is no quotation; it is cited without its words."""


async def document(asked: Asked) -> Page:
    """A document as it was at the cited revision."""
    services = await asked.index.services()
    opened = await services.reopening.document(asked.caller, _ref(asked))
    files = await services.catalog.local_files(asked.caller)
    citation, body = opened.citation, opened.body
    cited = citation.span if opened.is_part else None
    part = part_shown(body, cited, asked.whole("from"))
    file = files.of(citation)
    quote = cited.of(body) if cited is not None and cited.end - cited.start <= _MOST_QUOTED else ""
    links = _Links(citation.source, opened.page_id)
    shown = await asyncio.to_thread(document_html, part.of(body), opened.page_id, _within(cited, part), links.to)
    return Page(
        "document",
        {
            "title": citation.title,
            "source": citation.source,
            "document": citation.document_id,
            "path": opened.page_id,
            "revision": citation.revision_id,
            "superseded": opened.superseded,
            "newest": address_of_document(citation.source, citation.document_id),
            "quote": quote,
            "citation": citation.as_dict(),
            "cited": line_of(citation),
            "dated": citation.day,
            "file": None if file is None else str(file.path),
            "url": citation.url,
            "verify": f"/verify?{parts_of(citation, quote=quote)}" if quote else "",
            "text": part.of(body),
            "starts": part.start,
            "of": len(body),
            "earlier": f"/document?{parts_of(citation, onward=max(0, part.start - _PART))}" if part.start else "",
            "later": f"/document?{parts_of(citation, onward=part.end)}" if part.end < len(body) else "",
            "revisions": _revisions(opened),
            "outline": [{"level": each.level, "title": each.title, "anchor": each.anchor} for each in shown.outline],
        },
        looks={"html": shown.html, "titled": bool(shown.outline) and shown.outline[0].title == citation.title},
    )


async def changes(asked: Asked) -> Page:
    """The places where two revisions of a document differ."""
    services = await asked.index.services()
    ref = _ref(asked)
    before, after = [
        await services.reopening.document(asked.caller, replace(ref, revision_id=asked.text(name) or None))
        for name in ("before", "after")
    ]
    places, more = await asyncio.to_thread(changed_places, before.body, after.body)
    return Page(
        "changes",
        {
            "title": after.citation.title,
            "source": after.citation.source,
            "path": after.page_id,
            "before": {"revision": before.citation.revision_id, "open": address_of_citation(before.citation)},
            "after": {"revision": after.citation.revision_id, "open": address_of_citation(after.citation)},
            "places": [{"before": place_side(each.before), "after": place_side(each.after)} for each in places],
            "more": more,
        },
    )


def place_side(side: PlaceSide | None) -> dict[str, Any] | None:
    """Words of one side of a place that differs, with their lines; None if the side has none."""
    return None if side is None else {"lines": [side.lines.start, side.lines.end], "text": side.text}


def _revisions(opened: ReadDocument) -> list[dict[str, Any]]:
    """The revisions of a document, newest first, each with what it changed."""
    source, kept = opened.citation.source, opened.revisions
    with_older: list[tuple[KeptRevision, KeptRevision | None]] = list(zip(kept, (*kept[1:], None), strict=True))
    return [
        {
            "revision": each.revision_id,
            "recorded_at": each.recorded_at,
            "shown": each.revision_id == opened.citation.revision_id,
            "open": address_of_document(source, opened.page_id, revision=each.revision_id),
            "changes": ""
            if older is None
            else address_of_changes(source, opened.page_id, before=older.revision_id, after=each.revision_id),
        }
        for each, older in with_older
    ]


async def verify(asked: Asked) -> Page:
    """Whether quoted words still stand where they were cited, in a sentence."""
    services = await asked.index.services()
    ref, quote = _ref(asked), asked.values.get("quote", "")
    if not quote.strip():
        raise InvalidArgument("There are no words to check.")
    found = await services.quotes.verify(asked.caller, ref, quote)
    citation = found.found_at
    return Page(
        "verify",
        {
            "holds": found.holds,
            "cited_revision": found.cited_revision,
            "sentence": sentence(found),
            "difference": found.difference or "",
            "notes": list(found.meta.notes),
            "quote": quote,
            "found_at": None if citation is None else citation.as_dict(),
            "open": "" if citation is None else address_of_citation(citation),
            "cited": "" if citation is None else line_of(citation),
        },
    )


def sentence(found: Verification) -> str:
    """The verdict about a quotation as a person would say it."""
    match found.holds:
        case "exact":
            return "These words still stand in the document, exactly where they were cited."
        case "moved":
            return "These words still stand in the document, at another place than they were cited."
        case "changed" if found.by_ocr:
            return "These are the words that OCR read in a picture, which are not verified as what the document says."
        case "changed":
            return "The document says something similar now, and not these words."
        case _ if found.reason == "document_gone":
            return "The document is gone."
        case _:
            return "The document is still there, and these words are gone from it."


def _ref(asked: Asked) -> CitationRef:
    source, document_id = asked.text("source"), asked.values.get("document", "")
    if not source or not document_id:
        raise InvalidArgument("A document is opened by its source and its id: open one from a search.")
    start, end = asked.whole("start"), asked.whole("end")
    return CitationRef(source, document_id, asked.text("revision") or None, start, end)


def part_shown(body: str, cited: Span | None, start: int | None) -> Span:
    """The part of a text that is shown: whole lines around what was cited, or from `start` on."""
    if len(body) <= _PART + _BEFORE:
        return Span(0, len(body))
    wanted = max(0, (cited.start if cited else 0) - _BEFORE) if start is None else min(start, len(body))
    begin = body.rfind("\n", 0, wanted) + 1
    begin = begin if wanted - begin < _BEFORE else wanted  # a line without an end
    stop = min(len(body), max(begin + _PART, begin if cited is None or start is not None else cited.end))
    end = body.find("\n", stop)
    return Span(begin, stop if end < 0 or end - stop > _BEFORE else end + 1)


def _within(cited: Span | None, part: Span) -> Span | None:
    """What was cited, in characters of the part that is shown; None if it is not in it."""
    if cited is None or cited.end <= part.start or cited.start >= part.end:
        return None
    return Span(max(cited.start, part.start) - part.start, min(cited.end, part.end) - part.start)


class _Links:
    """Where the relative links of a page lead: to other documents of its source."""

    def __init__(self, source: str, page_id: str) -> None:
        self._source = source
        self._folder = PurePosixPath(page_id).parent

    def to(self, link: str) -> str | None:
        """Our address of the document that a relative link names; None for anything else."""
        path = unquote(link.partition("#")[0].partition("?")[0])
        if not path or ":" in path or path.startswith(("/", "\\")):
            return None
        parts: list[str] = []
        for part in (self._folder / path).parts:
            if part == ".." and not parts:
                return None
            parts = parts[:-1] if part == ".." else [*parts, part]
        return address_of_document(self._source, "/".join(parts))
