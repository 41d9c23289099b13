"""Relationships that documents state: built from the links in a text, and sent from a parsing process as JSON."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from citemark.model.documents import StatedRelationship
from citemark.model.graph import LINKS_TO, REFERENCES
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Span


class LinkTarget(NamedTuple):
    """The target of a link: a document by its native id, an external address, or nothing.

    `doc_type` distinguishes documents in sources where ids are unique within a type only.
    """

    native_id: str | None = None
    url: str | None = None
    doc_type: str = ""


def stated_links(extracted: Extracted, resolve: Callable[[str], LinkTarget]) -> tuple[StatedRelationship, ...]:
    """Return one relationship per section and target, at its first occurrence; spellings of one target count once.

    Those to a document are of type `links_to`, those to an address outside the source of type `references`.

    Args:
        extracted: the text with its links and sections.
        resolve: finds what a link refers to; called once per distinct link.
    """
    starts = [section.span.start for section in extracted.sections]
    targets: dict[str, LinkTarget] = {}
    stated: dict[tuple[str | None, LinkTarget], StatedRelationship] = {}
    for link in extracted.links:
        if link.target not in targets:
            targets[link.target] = resolve(link.target)
        inside, outside, doc_type = targets[link.target]
        index = bisect_right(starts, link.span.start) - 1
        section = extracted.sections[index].slug if index >= 0 else None
        if inside is not None or outside is not None:
            to_native_id = NativeId(inside) if inside is not None else None
            stated.setdefault(
                (section, targets[link.target]),
                StatedRelationship(
                    LINKS_TO if to_native_id is not None else REFERENCES,
                    section,
                    to_native_id,
                    outside,
                    link.span,
                    metadata={"doc_type": doc_type} if doc_type else {},
                ),
            )
    return tuple(stated.values())


def relationship_to_json(stated: StatedRelationship) -> list[Any]:
    """Turn a relationship into a row of JSON values."""
    target = (stated.to_native_id, stated.to_url)
    position = (stated.from_section, stated.span.start, stated.span.end)
    return [stated.type, *position, *target, stated.native_id, dict(stated.metadata)]


def relationship_from_json(row: list[Any], most: int) -> StatedRelationship:
    """Read a row back; the parsing process is not trusted.

    Args:
        row: as made by `relationship_to_json`.
        most: number of characters of the text that states the relationship.

    Raises:
        ValueError, TypeError: the row is malformed, or its span lies outside the text.
    """
    kind, section, start, end, to_native_id, to_url, native_id, metadata = row
    if not 0 <= start <= end <= most:
        raise ValueError(f"a relationship stands at {start}-{end} of {most} characters")
    return StatedRelationship(
        type=str(kind),
        from_section=_text_or_none(section),
        to_native_id=None if to_native_id is None else NativeId(str(to_native_id)),
        to_url=_text_or_none(to_url),
        span=Span(start, end),
        native_id=_text_or_none(native_id),
        metadata={str(key): str(value) for key, value in metadata.items()},
    )


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
