"""Edges of a page that depend on what else is indexed: a port, which the feature that draws them fills.

When a page is read, it is given the edges that can be known by then. What becomes known afterwards is drawn later, once
everything that was waiting has been read.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from citemark.model.documents import StatedRelationship
from citemark.model.ids import SourceId
from citemark.model.text import Extracted


class KnownEnds(Protocol):
    """What the texts of a source can lead to, as known at one moment."""

    @property
    def number(self) -> int:
        """Greater the more is known. A page that was built with less than its source's pages know is built again."""
        ...

    def edges_of(self, text: Extracted) -> Iterable[StatedRelationship]:
        """The edges from a text to what is known."""
        ...


class PageEdges(Protocol):
    """Knows what texts can lead to."""

    async def of(self, source_id: SourceId) -> KnownEnds:
        """What is known for a source; the newest may be missing."""
        ...

    async def newest(self, source_id: SourceId) -> KnownEnds:
        """What is known for a source by now."""
        ...


class LaterEdges(Protocol):
    """Draws the edges to what became known after their pages were read, one step at a time."""

    async def step(self, source_ids: Collection[SourceId], *, now: bool = False) -> bool:
        """Draw some, for about a second; returns whether there is more to do right away.

        Args:
            source_ids: the sources to look at.
            now: do not wait until the next look is due.
        """
        ...

    async def release(self) -> None:
        """Give back what this process has claimed."""
        ...


@dataclass(frozen=True, slots=True)
class EdgeDrawing:
    """How one process draws such edges: when a page is read, if at all, and later."""

    when_read: PageEdges | None
    later: LaterEdges
