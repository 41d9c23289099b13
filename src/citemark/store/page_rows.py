"""The rows that make up a page: what one transaction passes to its statements, column by column."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from psycopg.types.json import Jsonb

from citemark.model.documents import StatedRelationship
from citemark.model.graph import CONTAINS, SUCCEEDS, entity_of_address
from citemark.model.pages import Page, PageChunk
from citemark.model.readers import readers_text
from citemark.model.stated_dates import DayRange
from citemark.store.database import bytea_array, int_array, text_array
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


def stated_rows(page: Page, ids: Mapping[str, int], page_id: int | None) -> list[StatedRow]:
    """The relationships that a page states, and those that say what contains its sections.

    Args:
        page: the page.
        ids: the document ids of its sections, by slug.
        page_id: the document id of the page itself.
    """
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


def revision_params(page: Page) -> Mapping[str, Any]:
    """The parameters of the statements that open a revision."""
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
        "properties": Jsonb({key: list(values) for key, values in page.properties.items()}),
        "modified_at": page.modified_at,
        "words_from": page.words_from,
        **dated_params(page),
    }


def dated_params(page: Page) -> Mapping[str, Any]:
    """What filters by day and label read: the columns that no text is made from."""
    return {
        "dates": None if page.dates is None else Jsonb(asdict(page.dates)),
        "days": f"{{{','.join(map(_day_range, page.days))}}}",
        "labels": list(page.labels),
    }


def _day_range(days: DayRange) -> str:
    return f"[{days.first or ''},{days.last or ''}]"


def section_params(page: Page, native_ids: Sequence[str]) -> Mapping[str, Any]:
    """The parameters of the statement that writes the sections of a revision."""
    sections = [entry.section for entry in page.sections]
    return {
        "native_ids": text_array(native_ids),
        "ordinals": int_array(range(len(sections))),
        "slugs": text_array(section.slug for section in sections),
        "parents": text_array(section.parent for section in sections),
        "titles": text_array(section.title for section in sections),
        "heading_paths": text_array(_PATH_SEPARATOR.join(section.heading_path) for section in sections),
        "levels": int_array(section.level for section in sections),
        "starts": int_array(section.span.start for section in sections),
        "ends": int_array(section.span.end for section in sections),
        "hashes": bytea_array(entry.content_hash for entry in page.sections),
    }


def chunk_params(page: Page, chunks: Sequence[PageChunk], ids: Mapping[str, int], page_id: int) -> Mapping[str, Any]:
    """The parameters of the statement that writes some of the chunks of a page."""
    return {
        "language": page.language,
        "configuration": configuration_for(page.language),
        "document_ids": int_array(ids.get(chunk.section or "", page_id) for chunk in chunks),
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
        "copies": int_array(_copies(page, chunks)),
        "in_body": [chunk.span.of(page.body) == chunk.text for chunk in chunks],
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
