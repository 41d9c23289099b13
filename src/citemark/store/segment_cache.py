"""Posting lists that questions have read, decoded and kept in the process, and BM25 over them.

A segment never changes, so what was read of it stays true until it is merged into another. Which segments a source has
is read with the words of each question, after it was decided which sources may be read: nothing kept here allows
anything. A chunk may end while its segment lives on; that is noted once a statement tells it (`SegmentCache.end`), and
counts for questions that begin after it.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from citemark.model.candidates import NO_HITS, RetrieverHits, SegmentKey, SparsePlan, WeightedTerms
from citemark.store.postings import (
    BestChunks,
    Ids,
    Postings,
    ScoredChunks,
    Scores,
    decoded,
    largest,
    max_score,
    most_looked_at,
    saturated,
)

_MOST_BYTES = 48 * 2**20
"""Six million postings: those of the words that a thousand questions to 100,000 chunks have."""

Number = TypeVar("Number", bound=np.generic)

Term: TypeAlias = tuple[int, int]
"""A source and the id of a term in it."""

_Places: TypeAlias = npt.NDArray[np.int32]
_Small: TypeAlias = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class ListKey:
    """The posting list of one term in one segment."""

    source_id: int
    segment_id: int
    term_id: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The chunks of a source's segments in one row: segment after segment, those of each by their id.

    `edges` are where segments begin and the last one ends. `order` sorts all chunks by id. `ended` is, of those
    that are known to be at HEAD no longer, the number of the note that said so, from 1; 0 for the others.
    """

    segment_ids: tuple[int, ...]
    edges: tuple[int, ...]
    chunk_ids: Ids
    order: Ids
    ended: Ids

    @classmethod
    def of(cls, members: Mapping[int, tuple[Ids, Ids]]) -> "Layout":
        """Build from the chunks of each segment, in ascending order, and which of them have ended."""
        chunk_ids = np.concatenate([ids for ids, _ in members.values()] or [np.empty(0, np.int64)])
        ended = np.concatenate([marks for _, marks in members.values()] or [np.empty(0, np.int64)])
        edges = (0, *accumulate(len(ids) for ids, _ in members.values()))
        return cls(tuple(members), edges, chunk_ids, np.argsort(chunk_ids, kind="stable"), ended)

    def part(self, segment_id: int) -> slice | None:
        """Where the chunks of a segment are; None if it is not among the segments."""
        if segment_id not in self.segment_ids:
            return None
        index = self.segment_ids.index(segment_id)
        return slice(self.edges[index], self.edges[index + 1])

    def places(self, chunk_ids: Ids) -> Ids:
        """Where chunks are; -1 for those that no segment has."""
        if not len(self.order):
            return np.full(len(chunk_ids), -1, np.int64)
        found = np.searchsorted(self.chunk_ids, chunk_ids, sorter=self.order)
        places = self.order[np.minimum(found, len(self.order) - 1)]
        return np.where(self.chunk_ids[places] == chunk_ids, places, -1)


@dataclass(frozen=True, slots=True)
class TermPostings:
    """The postings of one term in all segments of a layout, in the order of the layout's chunks."""

    layout: Layout
    places: _Places
    frequencies: _Small
    lengths: _Small

    @property
    def nbytes(self) -> int:
        """The bytes that they take."""
        return self.places.nbytes + self.frequencies.nbytes + self.lengths.nbytes

    def saturations(self, mean_length: float, chosen: Ids | None = None) -> Scores:
        """BM25 without the weight of the term, of each posting or of the chosen ones."""
        frequencies = self.frequencies if chosen is None else self.frequencies[chosen]
        lengths = self.lengths if chosen is None else self.lengths[chosen]
        return saturated(frequencies.astype(np.float64), lengths, mean_length)

    def moved(self, segment_id: int, start: int) -> tuple[_Places, _Small, _Small] | None:
        """The postings in one segment, as they are once its first chunk is at `start`; None without the segment."""
        part = self.layout.part(segment_id)
        if part is None:
            return None
        first, after = np.searchsorted(self.places, [part.start, part.stop]).tolist()
        places = self.places[first:after] + np.int32(start - part.start)
        return places, self.frequencies[first:after], self.lengths[first:after]


class ListsOfSource:
    """The posting lists of a question's terms in one source."""

    def __init__(self, source_id: int, layout: Layout, lists: Mapping[int, TermPostings]) -> None:
        self.source_id = source_id
        self.layout = layout
        self._lists = lists

    def totals(self, terms: WeightedTerms, noted: int | None = None, ended: Sequence[int] = ()) -> Scores:
        """The sum of the scores that some of the terms give each chunk of the layout; 0 for those that ended.

        With `noted`, only the first so many notes count. `ended` are further chunks that have ended.
        """
        places: list[_Places] = []
        weights: list[Scores] = []
        for postings, idf, mean_length in self._of(terms):
            places.append(postings.places)
            weights.append(idf * postings.saturations(mean_length))
        if not places:
            return np.zeros(len(self.layout.chunk_ids))
        size = len(self.layout.chunk_ids)
        totals = np.bincount(np.concatenate(places), np.concatenate(weights), size).astype(np.float64, copy=False)
        notes = self.layout.ended
        if notes.any():
            totals[(notes > 0) if noted is None else (notes > 0) & (notes <= noted)] = 0.0
        if ended:
            places_ended = self.layout.places(np.array(ended, np.int64))
            totals[places_ended[places_ended >= 0]] = 0.0
        return totals

    def scores(self, terms: WeightedTerms, places: Ids) -> Scores:
        """The sum of the scores that the terms give the chunks at some places."""
        total = np.zeros(len(places))
        wanted = places.astype(np.int32)  # as in the lists: numpy would otherwise copy each list to compare it
        for postings, idf, mean_length in self._of(terms):
            if not len(postings.places):
                continue
            found = np.minimum(np.searchsorted(postings.places, wanted), len(postings.places) - 1)
            inside = postings.places[found] == wanted
            total[inside] += idf * postings.saturations(mean_length, found[inside])
        return total

    def _of(self, terms: WeightedTerms) -> Iterable[tuple[TermPostings, float, float]]:
        columns = zip(terms.sources, terms.ids, terms.idf, terms.mean_lengths, strict=True)
        return (
            (self._lists[term_id], idf, mean)
            for source_id, term_id, idf, mean in columns
            if source_id == self.source_id
        )


class ListsOfQuestion:
    """The posting lists of a question's terms in all sources that it asks, as of one moment."""

    def __init__(self, sources: Sequence[ListsOfSource]) -> None:
        self._sources = sources

    def best(self, plan: SparsePlan, limit: int, ended: Sequence[int] = ()) -> RetrieverHits:
        """The best chunks by BM25, best first: rare terms find them, and frequent ones add to their scores.

        Those in `ended` are left out.
        """
        sources = [each for each in self._sources if each.source_id in plan.rare.sources]
        if not sources:
            return NO_HITS
        totals = _joined([each.totals(plan.rare, plan.ended, ended) for each in sources])
        chunk_ids = _joined([each.layout.chunk_ids for each in sources])
        edges = list(accumulate((len(each.layout.chunk_ids) for each in sources), initial=0))
        found = np.flatnonzero(totals > 0)  # of truth values: many times as fast as of numbers
        found = found[largest(totals[found], most_looked_at(limit))]
        order = found[np.argsort(-totals[found])]
        search = BestChunks(ScoredChunks(order, totals[order]), limit, max_score(plan.often))
        while chosen := search.next():
            places = np.sort(np.array(chosen, np.int64))
            splits = np.searchsorted(places, edges).tolist()
            more = [
                each.scores(plan.often, places[first:after] - start)
                for each, start, (first, after) in zip(sources, edges, pairwise(splits), strict=False)
            ]
            search.add_scores(chunk_ids[places], totals[places] + np.concatenate(more))
        return search.hits()

    def scores(self, plans: Sequence[SparsePlan], chunk_ids: Sequence[int]) -> list[RetrieverHits]:
        """BM25 of chunks under each plan, all in the same order; those that no segment has are left out."""
        wanted = np.sort(np.array(chunk_ids, np.int64))
        placed = [(each, each.layout.places(wanted)) for each in self._sources]
        ids = [number for _, places in placed for number in wanted[places >= 0].tolist()]
        found = [(each, places[places >= 0]) for each, places in placed]
        return [
            RetrieverHits(ids, [value for each, places in found for value in each.scores(plan.every, places).tolist()])
            for plan in plans
        ]


class SegmentCache:
    """The layouts of sources and the lists of terms that were asked for last, up to a number of bytes.

    One object per database: it is cleared once that was lost (`clear`), since a crash can take back the last writes.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self.notes = 0
        """How many times chunks were noted that have ended."""
        self._layouts: dict[int, Layout] = {}
        self._lists: OrderedDict[Term, TermPostings] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The bytes of the lists that are kept."""
        return self._bytes

    def clear(self) -> None:
        """Forget everything."""
        self._bytes = 0
        self._layouts.clear()
        self._lists.clear()

    def unread(self, segments: Sequence[SegmentKey], terms: Sequence[Term]) -> list[ListKey]:
        """The lists that must be read before `lists` can be asked about these segments and terms."""
        by_source = _by_source(segments)
        keys: list[ListKey] = []
        for source_id, term_id in terms:
            known = self._lists.get((source_id, term_id))
            here = by_source.get(source_id, ())
            if known is None or known.layout.segment_ids != here:
                had = () if known is None else known.layout.segment_ids
                keys += [ListKey(source_id, number, term_id) for number in here if number not in had]
        return keys

    def unknown(self, keys: Iterable[ListKey]) -> list[int]:
        """The segments of these lists whose chunks must be read too."""
        known = {number for layout in self._layouts.values() for number in layout.segment_ids}
        return sorted({key.segment_id for key in keys} - known)

    def lists(
        self,
        segments: Sequence[SegmentKey],
        terms: Sequence[Term],
        members: Mapping[int, Ids],
        read: Mapping[ListKey, Postings],
    ) -> ListsOfQuestion | None:
        """The lists of the terms in the segments, from what is kept and what was just read; None if some are missing.

        Args:
            segments: all segments of the sources that are asked, as of one moment.
            terms: the terms of the question.
            members: the chunks of segments that were read, by segment.
            read: the lists that were read; those without any posting may be left out if `members` or the cache has
                their segment and `unread` named them.
        """
        by_source = _by_source(segments)
        layouts: dict[int, Layout] = {}
        for source_id in {source_id for source_id, _ in terms}:
            layout = self._layout(source_id, by_source.get(source_id, ()), members)
            if layout is None:
                return None
            layouts[source_id] = layout
        self._layouts |= layouts
        found: dict[int, dict[int, TermPostings]] = defaultdict(dict)
        for term in terms:
            found[term[0]][term[1]] = self._postings(term, layouts[term[0]], read)
        self._forget_oldest()
        return ListsOfQuestion([ListsOfSource(each, layouts[each], found[each]) for each in sorted(found)])

    def end(self, source_ids: Iterable[int], chunk_ids: Iterable[int]) -> None:
        """Note that chunks of these sources are at HEAD no longer; a chunk that has ended never comes back.

        Questions that began before leave them in: they may know no list that has what took their place.
        """
        wanted = np.array(list(chunk_ids), np.int64)
        self.notes += 1 if len(wanted) else 0
        for layout in filter(None, map(self._layouts.get, source_ids)) if len(wanted) else ():
            places = layout.places(wanted)
            places = places[places >= 0]
            layout.ended[places[layout.ended[places] == 0]] = self.notes

    def _layout(self, source_id: int, segment_ids: tuple[int, ...], read: Mapping[int, Ids]) -> Layout | None:
        known = self._layouts.get(source_id)
        if known is not None and known.segment_ids == segment_ids:
            return known
        members: dict[int, tuple[Ids, Ids]] = {}
        for number in segment_ids:
            part = None if known is None else known.part(number)
            if known is not None and part is not None:
                members[number] = known.chunk_ids[part], known.ended[part]
            elif number in read:
                members[number] = read[number], np.zeros(len(read[number]), np.int64)
            else:
                return None
        return Layout.of(members)

    def _postings(self, term: Term, layout: Layout, read: Mapping[ListKey, Postings]) -> TermPostings:
        """The postings of a term, which are kept from now on."""
        known = self._lists.get(term)
        if known is None or known.layout is not layout:
            parts = [_NOTHING, *(_part(term, number, layout, known, read) for number in layout.segment_ids)]
            self._bytes -= 0 if known is None else known.nbytes
            known = self._lists[term] = TermPostings(
                layout,
                places=np.concatenate([places for places, _, _ in parts]),
                frequencies=np.concatenate([frequencies for _, frequencies, _ in parts]),
                lengths=np.concatenate([lengths for _, _, lengths in parts]),
            )
            self._bytes += known.nbytes
        self._lists.move_to_end(term)
        return known

    def _forget_oldest(self) -> None:
        while self._bytes > self._most_bytes and self._lists:
            self._bytes -= self._lists.popitem(last=False)[1].nbytes


_NOTHING = (np.empty(0, np.int32), np.empty(0, np.int16), np.empty(0, np.int16))


def _joined(columns: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    """Columns one after the other; that of a single source is not copied, since it has a number for each chunk."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _by_source(segments: Sequence[SegmentKey]) -> dict[int, tuple[int, ...]]:
    numbers: dict[int, list[int]] = defaultdict(list)
    for source_id, segment_id in sorted(segments):
        numbers[source_id].append(segment_id)
    return {source_id: tuple(each) for source_id, each in numbers.items()}


def _part(
    term: Term, segment_id: int, layout: Layout, known: TermPostings | None, read: Mapping[ListKey, Postings]
) -> tuple[_Places, _Small, _Small]:
    """The postings of a term in one segment of a layout."""
    part = layout.part(segment_id) or slice(0, 0)
    moved = None if known is None else known.moved(segment_id, part.start)
    if moved is not None:
        return moved
    postings = read.get(ListKey(term[0], segment_id, term[1]))
    if postings is None:
        return _NOTHING
    chunk_ids, frequencies, lengths = decoded(postings)
    places = np.searchsorted(layout.chunk_ids[part], chunk_ids)
    order = np.argsort(places, kind="stable")
    return (places[order] + part.start).astype(np.int32), frequencies[order], lengths[order]
