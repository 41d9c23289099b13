"""The edges from sections to the names that they mention."""

from collections.abc import Container, Iterator, Sequence

from citemark.features.graph.mentions.known_names import KnownNames, NamePlace
from citemark.model.documents import StatedRelationship
from citemark.model.graph import MENTIONS, PLAIN, Entity, EntityKind, term_of
from citemark.model.text import Section


def mention_edges(
    title: str, body: str, sections: Sequence[Section], names: KnownNames, among: Container[str] | None = None
) -> Iterator[StatedRelationship]:
    """Yield each mention once per section, at its first place; except the page's name and what the section defines.

    Args:
        title: the title of the page.
        body: its text.
        sections: its sections, in order.
        names: the names that compete for the places.
        among: if given, yield only mentions of these names.
    """
    own = term_of(title)
    first: dict[tuple[str | None, str], NamePlace] = {}
    at = 0
    defined = _defined(sections, at)
    for place in names.places(body):
        if at < len(sections) and sections[at].span.end <= place.span.start:
            while at < len(sections) and sections[at].span.end <= place.span.start:
                at += 1
            defined = _defined(sections, at)
        name = place.name
        if own is not None and name == own.name:
            continue
        inside = at < len(sections) and sections[at].span.start <= place.span.start
        if (inside and name == defined) or (among is not None and name not in among):
            continue
        key = (sections[at].slug if inside else None, name)
        if key not in first or (first[key].plain and not place.plain):
            first[key] = place
    for (slug, name), place in first.items():
        metadata = {PLAIN: "1"} if place.plain else {}
        entity = Entity(EntityKind.TERM, name)
        yield StatedRelationship(MENTIONS, slug, None, None, place.span, metadata=metadata, to_entity=entity)


def _defined(sections: Sequence[Section], at: int) -> str | None:
    term = term_of(sections[at].title) if at < len(sections) else None
    return None if term is None else term.name
