"""Links that a document writes, as relationships that it states."""

from bisect import bisect_right
from collections.abc import Callable

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted

LINKS_TO = "links_to"

Target = tuple[str | None, str | None]
"""(native id, address): one, both, or neither for what is no reference to anything."""


def stated_links(extracted: Extracted, resolve: Callable[[str], Target]) -> tuple[StatedRelationship, ...]:
    """One `links_to` for each target of each section, at its first place; `resolve` is asked once for each link text.

    Links of one target that differ in writing are one.
    """
    starts = [section.span.start for section in extracted.sections]
    targets: dict[str, Target] = {}
    stated: dict[tuple[str | None, str | None, str | None], StatedRelationship] = {}
    for link in extracted.links:
        if link.target not in targets:
            targets[link.target] = resolve(link.target)
        inside, outside = targets[link.target]
        place = bisect_right(starts, link.span.start) - 1
        section = extracted.sections[place].slug if place >= 0 else None
        if inside is not None or outside is not None:
            to_native_id = NativeId(inside) if inside is not None else None
            stated.setdefault(
                (section, inside, outside),
                StatedRelationship(LINKS_TO, section, to_native_id, outside, link.span),
            )
    return tuple(stated.values())
