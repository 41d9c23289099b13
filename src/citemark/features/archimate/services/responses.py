"""Responses about architecture models."""

from dataclasses import dataclass

from citemark.model.architecture import LinkKey, PartKey, StoredLink, StoredPart
from citemark.model.citation import Citation
from citemark.model.ids import PassageId
from citemark.model.layouts import Layout
from citemark.retrieval.question import RankedCandidate
from citemark.services.responses import ResponseMeta

BETWEEN = "\n\n"
"""The separator between two chunks of a context; it counts towards the budget."""


@dataclass(frozen=True, slots=True)
class PartCard:
    """An element or view that the caller may see now."""

    part: StoredPart
    citation: Citation


@dataclass(frozen=True, slots=True)
class LinkCard:
    """A relationship whose two ends the caller may see, cited where it is stated."""

    link: StoredLink
    citation: Citation


@dataclass(frozen=True, slots=True)
class ElementHit:
    """An element that answers.

    `context` is the contextual chunk that matched, `found_by` the phrasing of the question that it is most relevant to.
    `also` are the ids of elements with exactly the same text.
    """

    part: StoredPart
    citation: Citation
    passage_id: PassageId
    score: float
    context: str
    found_by: str
    also: tuple[str, ...] = ()
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class HitPage:
    """One page of hits of a ranking.

    `places` say where the ranking continues after each hit, `shown` how many hits there were on earlier pages, and
    `more` whether candidates follow that this page did not look at.
    """

    hits: tuple[ElementHit, ...]
    places: tuple[int, ...]
    shown: int
    ranking: tuple[RankedCandidate, ...]
    more: bool
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class PartPage:
    """One page of parts; `total` counts all that the index lists, `last` is the row to continue after, if any."""

    parts: tuple[PartCard, ...]
    total: int
    last: PartKey | None
    meta: ResponseMeta

    def after(self, kept: int) -> PartKey | None:
        """Where the list continues when the first `kept` are shown."""
        return self.last if kept == len(self.parts) else self.parts[kept - 1].part.key


@dataclass(frozen=True, slots=True)
class LinkPage:
    """One page of relationships; `of` is the element they were requested for, if any; `last` is as in `PartPage`."""

    links: tuple[LinkCard, ...]
    last: LinkKey | None
    meta: ResponseMeta
    of: PartCard | None = None

    def after(self, kept: int) -> LinkKey | None:
        """Where the list continues when the first `kept` are shown."""
        return self.last if kept == len(self.links) else self.links[kept - 1].link.key


@dataclass(frozen=True, slots=True)
class ElementPage:
    """One element: its contextual text, its relationships, the views that show it.

    Whether there are more relationships is in `more_links`; if there are more views, a note of `meta` says so.
    """

    card: PartCard
    text: str
    links: tuple[LinkCard, ...]
    more_links: bool
    views: tuple[PartCard, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class ViewPage:
    """One view: what it says, and a page of the elements and then the relationships that it shows.

    `places` say where that sequence of `total` items continues after each item, `end` where it does after the page.
    """

    card: PartCard
    text: str
    layout: Layout
    elements: tuple[PartCard, ...]
    links: tuple[LinkCard, ...]
    places: tuple[int, ...]
    end: int
    total: int
    meta: ResponseMeta

    def after(self, kept: int) -> tuple[int, int] | None:
        """Where the sequence continues when the first `kept` are shown, and the source."""
        place = self.end if kept == len(self.places) else self.places[kept - 1]
        return None if place >= self.total else (place, self.card.part.source_id)


@dataclass(frozen=True, slots=True)
class Packed:
    """A piece of context: a whole chunk of an element, or several that follow each other."""

    part: StoredPart
    citation: Citation
    relevance: float
    text: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Context:
    """Pieces that fit the budget, best first.

    `left_out` is the number of further chunks that answer but did not fit; unless `counted_all`, there may be more.
    """

    pieces: tuple[Packed, ...]
    left_out: int
    meta: ResponseMeta
    counted_all: bool

    def text(self, kept: int) -> str:
        """The first `kept` pieces as one text."""
        return BETWEEN.join(piece.text for piece in self.pieces[:kept])
