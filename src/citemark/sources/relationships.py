"""Links that a document writes, as relationships that it states."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Span

LINKS_TO = "links_to"


class LinkTarget(NamedTuple):
    """What a link names: a document by its native id, an address outside, or neither for no reference to anything.

    `doc_type` tells native ids apart in sources where each type counts its own.
    """

    native_id: str | None = None
    url: str | None = None
    doc_type: str = ""


def stated_links(extracted: Extracted, resolve: Callable[[str], LinkTarget]) -> tuple[StatedRelationship, ...]:
    """One `links_to` for each target of each section, at its first place; `resolve` is asked once for each link text.

    Links of one target that differ in writing are one.
    """
    starts = [section.span.start for section in extracted.sections]
    targets: dict[str, LinkTarget] = {}
    stated: dict[tuple[str | None, LinkTarget], StatedRelationship] = {}
    for link in extracted.links:
        if link.target not in targets:
            targets[link.target] = resolve(link.target)
        inside, outside, doc_type = targets[link.target]
        place = bisect_right(starts, link.span.start) - 1
        section = extracted.sections[place].slug if place >= 0 else None
        if inside is not None or outside is not None:
            to_native_id = NativeId(inside) if inside is not None else None
            stated.setdefault(
                (section, targets[link.target]),
                StatedRelationship(
                    LINKS_TO,
                    section,
                    to_native_id,
                    outside,
                    link.span,
                    metadata={"doc_type": doc_type} if doc_type else {},
                ),
            )
    return tuple(stated.values())


def relationship_to_json(stated: StatedRelationship) -> list[Any]:
    """What a text states, as a row."""
    target = (stated.to_native_id, stated.to_url)
    place = (stated.from_section, stated.span.start, stated.span.end)
    return [stated.type, *place, *target, stated.native_id, dict(stated.metadata)]


def relationship_from_json(row: list[Any], most: int) -> StatedRelationship:
    """What a text of `most` characters states.

    Raises:
        ValueError, TypeError: the row is not of the form.
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
