"""Renamed files: a page that ended and one that began with equal or nearly equal text.

If several processes share an index, one may read the page under its new name while another ends the old one. So each
looks for renames after its own work, among all pages that came and went since renames were last settled: the process
that commits last sees both halves. Renames are settled once no document of the source is waiting or missing.
"""

import asyncio
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from citemark.model.ids import RevisionId, SourceId
from citemark.model.pages import NEAR_EQUAL, LineCounts, UnpairedPage, likeness, line_counts_of
from citemark.store.page_renames import RenameStore
from citemark.store.sources import HorizonStore

_COMPARED = 20
"""Pages of about the same size that one that ended is compared with: its edited text is hardly further away."""

_BATCH = 50
"""Pages that ended whose texts are in memory at a time, with those that they are compared with."""

_Pair: TypeAlias = tuple[UnpairedPage, UnpairedPage]


@dataclass(frozen=True, slots=True)
class RenameRound:
    """The number of renames recorded, and whether no more can result from what the source listed."""

    found: int
    settled: bool


class RenameDetector:
    """Records which pages took over from which."""

    def __init__(self, renames: RenameStore, horizon: HorizonStore) -> None:
        self._renames = renames
        self._horizon = horizon

    async def follow(self, source_id: SourceId, *, changed: bool = True) -> RenameRound:
        """Record the relation `succeeds` for pages that took over from one that ended.

        Equal text wins over similar text, and each page is used once. If nothing has changed since the last call,
        nothing is compared until the source is settled.
        """
        # The order matters: what is not seen below was recorded after `until`, or is seen to be waiting.
        until = await self._horizon.now()
        settled = await self._renames.settled(source_id)
        found = 0
        if changed or settled:
            async for old, new in self._pairs(source_id):
                found += await self._renames.succeed(source_id, old, new)
        if settled:
            await self._renames.settle(source_id, until)
        return RenameRound(found, settled)

    async def _pairs(self, source_id: SourceId) -> AsyncIterator[_Pair]:
        ended, begun = await self._renames.unpaired(source_id)
        paired: set[int] = set()

        def left(pages: Iterable[UnpairedPage]) -> list[UnpairedPage]:
            return [page for page in pages if page.document_id not in paired]

        rounds = _rounds(ended, begun)
        for olds, news in rounds:
            for pair in equal_pages(left(olds), left(news)):
                paired |= {page.document_id for page in pair}
                yield pair
        for olds, news in rounds:
            async for pair in self._similar(source_id, left(olds), left(news)):
                paired |= {page.document_id for page in pair}
                yield pair

    async def _similar(
        self, source_id: SourceId, ended: Iterable[UnpairedPage], begun: Iterable[UnpairedPage]
    ) -> AsyncIterator[_Pair]:
        old_pages, successors = sorted(ended, key=_size), PagesBySize(begun)
        for start in range(0, len(old_pages), _BATCH):
            candidates = [(old, new) for old in old_pages[start : start + _BATCH] for new in successors.like(old)]
            texts = await self._renames.texts(source_id, {page.revision_id for pair in candidates for page in pair})
            for pair in await asyncio.to_thread(_similar_pages, candidates, texts):
                successors.remove(pair[1])
                yield pair


def _rounds(
    ended: Sequence[UnpairedPage], begun: Sequence[UnpairedPage]
) -> list[tuple[list[UnpairedPage], list[UnpairedPage]]]:
    """The pages between which renames are looked for: those since renames were settled, then those around that moment.

    A listing that runs while a file moves may see neither name, or both; the next one is right, within the minute. Of
    what came before, everything else has been settled, however late a page with a similar text ends or begins.
    """
    since = ([page for page in ended if not page.early], [page for page in begun if not page.early])
    around = ([page for page in ended if not page.late], [page for page in begun if not page.late])
    return [since, around]


def equal_pages(ended: Iterable[UnpairedPage], begun: Iterable[UnpairedPage]) -> list[_Pair]:
    """Pages of one type with equal texts, in the given order; each is used once."""
    waiting = defaultdict[tuple[str, str], deque[UnpairedPage]](deque)
    for page in begun:
        if page.text_digest is not None:
            waiting[page.doc_type, page.text_digest].append(page)
    return [
        (page, same.popleft())
        for page in ended
        if page.text_digest is not None and (same := waiting.get((page.doc_type, page.text_digest)))
    ]


class PagesBySize:
    """Pages that began, of which those that ended are compared with a few each: a large folder may have moved."""

    def __init__(self, pages: Iterable[UnpairedPage]) -> None:
        self._of_type = defaultdict[str, list[UnpairedPage]](list)
        for page in sorted(pages, key=_size):
            self._of_type[page.doc_type].append(page)

    def like(self, page: UnpairedPage) -> list[UnpairedPage]:
        """The pages of the same type that are the nearest in size, from half of it to twice as long."""
        pages = self._of_type.get(page.doc_type, [])
        middle = bisect_left(pages, page.size, key=_size)
        nearest = pages[max(0, middle - _COMPARED // 2) : middle + _COMPARED // 2]
        return [each for each in nearest if page.size // 2 <= each.size <= page.size * 2]

    def remove(self, page: UnpairedPage) -> None:
        """Leave out a page that has been paired."""
        self._of_type[page.doc_type].remove(page)


def _size(page: UnpairedPage) -> int:
    return page.size


def _similar_pages(candidates: Sequence[_Pair], texts: Mapping[RevisionId, str]) -> list[_Pair]:
    """Pairs of nearly equal texts, the most similar first; each page is used once."""
    lines = {revision_id: line_counts_of(text) for revision_id, text in texts.items()}
    none = LineCounts()
    ranked = [
        (likeness(lines.get(old.revision_id, none), lines.get(new.revision_id, none)), old, new)
        for old, new in candidates
    ]
    pairs: list[_Pair] = []
    paired: set[int] = set()
    for same, old, new in sorted(ranked, key=lambda entry: (-entry[0], entry[1].native_id, entry[2].native_id)):
        if same >= NEAR_EQUAL and not paired & {old.document_id, new.document_id}:
            paired |= {old.document_id, new.document_id}
            pairs.append((old, new))
    return pairs


class PendingRenames:
    """Remembers the sources that may still have renames to be found, and settles them."""

    def __init__(self, detector: RenameDetector) -> None:
        self._detector = detector
        self._changed: dict[SourceId, bool] = {}
        self._known: set[SourceId] = set()

    def note_present(self, sources: Collection[SourceId], all_sources: Collection[SourceId]) -> None:
        """Note that `sources` are about to be read; another process may have died over one that is seen first now."""
        self._changed |= dict.fromkeys(set(sources) - self._known, True)
        self._known = self._known & set(all_sources) | set(sources)

    def note_changed(self, sources: Iterable[SourceId]) -> None:
        """Note that documents of these sources were read or removed."""
        self._changed |= dict.fromkeys(sources, True)

    async def settle(self, sources: Collection[SourceId]) -> None:
        """Find out what became of pages that ended, for those of these sources that are not settled yet.

        Raises:
            BackendUnavailable: the database is lost.
        """
        for source_id, changed in list(self._changed.items()):
            if source_id not in sources:
                continue
            if (await self._detector.follow(source_id, changed=changed)).settled:
                del self._changed[source_id]
            else:
                self._changed[source_id] = False
