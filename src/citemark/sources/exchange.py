"""What documents state of themselves, as a parsing process sends it to its parent."""

from typing import Any

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Span


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
