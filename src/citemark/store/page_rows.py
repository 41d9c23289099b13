"""The rows that make up pages: what one transaction passes to its statements, column by column."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, TypeAlias

from psycopg.types.json import Jsonb

from citemark.model.documents import StatedRelationship
from citemark.model.graph import CONTAINS, SUCCEEDS, entity_of_address
from citemark.model.pages import Page, PageChunk
from citemark.model.readers import readers_text
from citemark.model.stated_dates import DayRange
from citemark.store.database import bool_array, bytea_array, int_array, text_array
from citemark.text.languages import configuration_for

_PATH_SEPARATOR = "\x1f"
_STATED: Mapping[str, Callable[[Iterable[Any]], str]] = {
    "from_ids": int_array,
    "types": text_array,
    "to_native_ids": text_array,
    "to_urls": text_array,
    "to_kinds": text_array,
    "to_names": text_array,
    "to_nodes": text_array,
    "starts": int_array,
    "ends": int_array,
    "native_ids": text_array,
    "metadatas": text_array,
}
_NO_METADATA = "{}"
_Target: TypeAlias = tuple[str | None, str | None, str | None, str | None, str | None]
StatedRow: TypeAlias = tuple[int | None, str, *_Target, int, int, str | None, str]


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """A page with the ids of its rows: its document, its revision, and the documents of its sections by slug."""

    page: Page
    page_id: int
    revision_id: int
    ids: Mapping[str, int]


def stated_rows(placed: PlacedPage) -> list[StatedRow]:
    """The relationships that a page states, and those that say what contains its sections."""
    page, ids, page_id = placed.page, placed.ids, placed.page_id
    stated: list[StatedRow] = [
        (
            ids.get(r.from_section or "", page_id),
            r.type,
            *_target(r, page),
            r.span.start,
            r.span.end,
            r.native_id,
            json.dumps(dict(r.metadata)) if r.metadata else _NO_METADATA,
        )
        for r in page.relationships
    ]
    for entry in page.sections:
        native_id = f"{page.key.native_id}#{entry.section.slug}"
        target = (native_id, None, page.section_type, None, native_id)
        start = entry.section.span.start
        stated.append(
            (ids.get(entry.section.parent or "", page_id), CONTAINS, *target, start, start, None, _NO_METADATA)
        )
    return stated


def succession_row(document_id: int, old_native_id: str) -> StatedRow:
    """The relationship of a document to the one with another name that it replaces."""
    return (document_id, SUCCEEDS, old_native_id, None, None, None, None, 0, 0, None, _NO_METADATA)


def stated_params(rows: Sequence[StatedRow]) -> Mapping[str, Any]:
    """The parameters of the statements that write relationships."""
    columns = zip(*rows, strict=True) if rows else [()] * len(_STATED)
    return {name: to_array(column) for (name, to_array), column in zip(_STATED.items(), columns, strict=True)}


def relationship_params(page_id: int, revision_id: int, rows: Sequence[StatedRow]) -> Mapping[str, Any]:
    """The parameters of the statement that writes relationships of one page."""
    return {
        "page_ids": int_array([page_id] * len(rows)),
        "revision_ids": int_array([revision_id] * len(rows)),
        **stated_params(rows),
    }


def relationships_of(pages: Sequence[PlacedPage]) -> Mapping[str, Any] | None:
    """The parameters of the statement that writes all relationships of pages; None if they have none."""
    stated = [(placed, stated_rows(placed)) for placed in pages]
    rows = [row for _, each in stated for row in each]
    if not rows:
        return None
    return {
        "page_ids": int_array(placed.page_id for placed, each in stated for _ in each),
        "revision_ids": int_array(placed.revision_id for placed, each in stated for _ in each),
        **stated_params(rows),
    }


def _target(stated: StatedRelationship, page: Page) -> _Target:
    """The target of a relationship: native id, address, and the kind, shared name and name of its graph node.

    A link to an anchor in another page leads to that page: the section with the anchor may change without the link.
    """
    if stated.to_entity is not None:
        kind, name = stated.to_entity
        return None, stated.to_url, kind, name, name
    if stated.to_native_id is None:
        kind, name = entity_of_address(stated.to_url or "")
        return None, stated.to_url, kind, None, name
    native_id = stated.to_native_id
    page_native_id, anchor, _ = native_id.partition("#")
    if anchor and page_native_id == page.key.native_id:
        return native_id, stated.to_url, page.section_type, None, native_id
    return native_id, stated.to_url, stated.metadata.get("doc_type", page.key.doc_type), None, page_native_id


def opening_params(pages: Sequence[PlacedPage]) -> Mapping[str, Any]:
    """The parameters of the statement that opens pages of one language, each with its first revision."""
    each = [placed.page for placed in pages]
    return {
        "language": each[0].language,
        "page_ids": int_array(placed.page_id for placed in pages),
        "revision_ids": int_array(placed.revision_id for placed in pages),
        "names": text_array(page.key.native_id for page in each),
        "content_hashes": bytea_array(page.content_hash for page in each),
        "versions": text_array(page.version for page in each),
        "titles": text_array(page.title for page in each),
        "bodies": text_array(page.body for page in each),
        "urls": text_array(page.url for page in each),
        "tags": text_array(text_array(page.tags) for page in each),
        "metadatas": text_array(json.dumps(dict(page.metadata)) for page in each),
        "properties": text_array(json.dumps(_properties(page)) for page in each),
        "dates": text_array(None if page.dates is None else json.dumps(asdict(page.dates)) for page in each),
        "days": text_array(map(_days, each)),
        "labels": text_array(text_array(page.labels) for page in each),
        "modified": text_array(page.modified_at and page.modified_at.isoformat() for page in each),
        "text_versions": int_array(page.made_with.common for page in each),
        "readers": text_array(readers_text(page.made_with.readers) for page in each),
        "words_from": text_array(None if page.words_from is None else str(page.words_from) for page in each),
    }


def revision_params(page: Page) -> Mapping[str, Any]:
    """The parameters of the statement that opens the next revision of a page."""
    return {
        "content_hash": page.content_hash,
        "text_version": page.made_with.common,
        "readers": readers_text(page.made_with.readers),
        "version": page.version,
        "title": page.title,
        "body": page.body,
        "url": page.url,
        "language": page.language,
        "tags": list(page.tags),
        "metadata": Jsonb(dict(page.metadata)),
        "properties": Jsonb(_properties(page)),
        "modified_at": page.modified_at,
        "words_from": page.words_from,
        **dated_params(page),
    }


def dated_params(page: Page) -> Mapping[str, Any]:
    """What filters by day and label read: the columns that no text is made from."""
    return {
        "dates": None if page.dates is None else Jsonb(asdict(page.dates)),
        "days": _days(page),
        "labels": list(page.labels),
    }


def _properties(page: Page) -> Mapping[str, list[str]]:
    return {key: list(values) for key, values in page.properties.items()}


def _days(page: Page) -> str:
    return f"{{{','.join(map(_day_range, page.days))}}}"


def _day_range(days: DayRange) -> str:
    return f"[{days.first or ''},{days.last or ''}]"


def section_params(pages: Sequence[Page]) -> Mapping[str, Any]:
    """The parameters of the statements that write the sections of revisions."""
    sections = [entry.section for page in pages for entry in page.sections]
    return {
        "native_ids": text_array(native_id for page in pages for native_id in section_names(page)),
        "ordinals": int_array(chain.from_iterable(range(len(page.sections)) for page in pages)),
        "slugs": text_array(section.slug for section in sections),
        "parents": text_array(section.parent for section in sections),
        "titles": text_array(section.title for section in sections),
        "heading_paths": text_array(_PATH_SEPARATOR.join(section.heading_path) for section in sections),
        "levels": int_array(section.level for section in sections),
        "starts": int_array(section.span.start for section in sections),
        "ends": int_array(section.span.end for section in sections),
        "hashes": bytea_array(entry.content_hash for page in pages for entry in page.sections),
    }


def new_section_params(pages: Sequence[PlacedPage]) -> Mapping[str, Any]:
    """The parameters of the statement that opens the sections of new pages, with their ids."""
    return {
        "page_ids": int_array(placed.page_id for placed in pages for _ in placed.page.sections),
        "revision_ids": int_array(placed.revision_id for placed in pages for _ in placed.page.sections),
        "section_ids": int_array(placed.ids[entry.section.slug] for placed in pages for entry in placed.page.sections),
        "section_type": pages[0].page.section_type,
        **section_params([placed.page for placed in pages]),
    }


def section_names(page: Page) -> list[str]:
    """The native ids of the sections of a page."""
    return [f"{page.key.native_id}#{entry.section.slug}" for entry in page.sections]


def chunk_params(written: Sequence[tuple[PlacedPage, Sequence[PageChunk]]]) -> Mapping[str, Any]:
    """The parameters of the statement that writes chunks: of each page, some that follow one another.

    All pages are in one language.
    """
    language = written[0][0].page.language
    rows = [(placed, chunk) for placed, chunks in written for chunk in chunks]
    chunks = [chunk for _, chunk in rows]
    return {
        "language": language,
        "configuration": configuration_for(language),
        "page_ids": int_array(placed.page_id for placed, _ in rows),
        "revision_ids": int_array(placed.revision_id for placed, _ in rows),
        "document_ids": int_array(placed.ids.get(chunk.section or "", placed.page_id) for placed, chunk in rows),
        "ordinals": int_array(chunk.ordinal for chunk in chunks),
        "starts": int_array(chunk.span.start for chunk in chunks),
        "ends": int_array(chunk.span.end for chunk in chunks),
        "start_lines": int_array(chunk.lines.start for chunk in chunks),
        "end_lines": int_array(chunk.lines.end for chunk in chunks),
        "contexts": text_array(chunk.context for chunk in chunks),
        "texts": text_array(chunk.text for chunk in chunks),
        "lexicals": text_array(chunk.lexical for chunk in chunks),
        "text_hashes": bytea_array(chunk.text_hash for chunk in chunks),
        "embed_hashes": bytea_array(chunk.embed_hash for chunk in chunks),
        "copies": int_array(copy for placed, each in written if each for copy in _copies(placed.page, each)),
        "in_body": bool_array(chunk.span.of(placed.page.body) == chunk.text for placed, chunk in rows),
    }


def _copies(page: Page, chunks: Sequence[PageChunk]) -> list[int]:
    """For some of a page's chunks that follow one another, how many chunks before each have the same text."""
    first = page.chunks.index(chunks[0])
    seen = Counter(chunk.embed_hash for chunk in page.chunks[:first])
    copies: list[int] = []
    for chunk in chunks:
        copies.append(seen[chunk.embed_hash])
        seen[chunk.embed_hash] += 1
    return copies
