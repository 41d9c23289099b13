"""Packed words as the database keeps them, and BM25 over them.

Two layouts, with numbers in network byte order: the words of a chunk (`chunk_terms.terms`) and the chunks of a word
(`posting_list.postings`, in segments of versions before schema 34). The second is the first inverted, for the chunks of
one segment; `posting_blocks` packs it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.candidates import NO_HITS, RetrieverHits, WeightedTerms

K1 = 1.2
"""Saturation of a word's frequency. The usual value; quality hardly depends on it (ADR 33)."""

B = 0.75
"""Weight of a chunk's length. The usual value; quality hardly depends on it (ADR 33)."""

_LOOKED_AT = 300
"""Most chunks that the second phase scores: the first ten then agree with full BM25 in .998 (ADR 33)."""

_TERM = np.dtype([("term_id", ">i8"), ("tf", ">i2")])
POSTING = np.dtype([("chunk_id", ">i8"), ("tf", ">i2"), ("length", ">i2")])
"""A chunk with a term: how often the term stands in it, and how many words it has."""

Ids: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """The words of chunks: `sizes` splits `terms` into the bytes of each chunk in turn."""

    chunk_ids: Ids
    lengths: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    terms: bytes

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, bytes]]) -> "ChunkWords":
        """Build from the (chunk id, number of words, packed terms) of each chunk."""
        chunks = list(rows)
        return cls(
            chunk_ids=_ints([chunk_id for chunk_id, _, _ in chunks]),
            lengths=_ints([length for _, length, _ in chunks]),
            sizes=_ints([len(terms) for _, _, terms in chunks]),
            terms=b"".join(terms for _, _, terms in chunks),
        )

    @classmethod
    def columns(
        cls, chunk_ids: Sequence[int] | None, lengths: Sequence[int], sizes: Sequence[int], terms: bytes
    ) -> "ChunkWords":
        """Build from columns as a statement returns them, which are all None if it found nothing."""
        if chunk_ids is None:
            return cls(_ints(()), _ints(()), _ints(()), b"")
        return cls(_ints(chunk_ids), _ints(lengths), _ints(sizes), terms)

    def among(self, chunk_ids: Sequence[int]) -> "ChunkWords":
        """The words of only those chunks that are in `chunk_ids`."""
        mask = np.isin(self.chunk_ids, _ints(chunk_ids))
        if mask.all():
            return self
        terms = self._entries[mask[self._owners]].tobytes()
        return ChunkWords(self.chunk_ids[mask], self.lengths[mask], self.sizes[mask], terms)

    def postings(self, numbers: Mapping[int, int]) -> tuple[Ids, "Postings"]:
        """The postings of some terms, each with its term's number; `numbers` are those of the terms, by term id."""
        entries, wanted_ids = self._entries, _ints(sorted(numbers))
        entry_ids = entries["term_id"].astype(np.int64)
        positions = np.flatnonzero(np.isin(entry_ids, wanted_ids))
        owners = self._owners[positions]
        postings = np.empty(len(positions), POSTING)
        postings["chunk_id"], postings["length"] = self.chunk_ids[owners], self.lengths[owners]
        postings["tf"] = entries["tf"][positions]
        wanted_numbers = _ints([numbers[term_id] for term_id in wanted_ids.tolist()])
        return wanted_numbers[np.searchsorted(wanted_ids, entry_ids[positions])], postings

    def counts(self) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Every term that occurs, and the number of chunks that contain it."""
        return np.unique(self._entries["term_id"].astype(np.int64), return_counts=True)

    def lists(self) -> "PostingLists":
        """The posting list of every term that occurs."""
        entries = self._entries
        terms = entries["term_id"].astype(np.int64)
        order = np.argsort(terms, kind="stable")
        terms = terms[order]
        postings = np.empty(len(entries), POSTING)
        postings["tf"] = entries["tf"][order]
        owners = self._owners[order]
        del order  # millions of postings: what is no longer needed would take as much memory as they do
        postings["chunk_id"] = self.chunk_ids[owners]
        postings["length"] = self.lengths[owners]
        edges = np.flatnonzero(np.diff(terms, prepend=terms[:1] - 1, append=terms[-1:] + 1))
        starts, size = edges[:-1], POSTING.itemsize
        return PostingLists(terms[starts], starts * size, np.diff(edges) * size, postings.view(np.uint8).data)

    def scores(self, terms: WeightedTerms) -> Scores:
        """BM25 of each chunk."""
        if not terms.ids:
            return np.zeros(len(self.chunk_ids))
        entries, term_ids = self._entries, _ints(terms.ids)
        entry_ids = entries["term_id"].astype(np.int64)
        positions = np.flatnonzero(np.isin(entry_ids, term_ids))
        order = np.argsort(term_ids)
        indices, chunks = order[np.searchsorted(term_ids, entry_ids[positions], sorter=order)], self._owners[positions]
        saturations = saturated(
            entries["tf"][positions].astype(np.float64), self.lengths[chunks], np.array(terms.mean_lengths)[indices]
        )
        total = np.bincount(chunks, np.array(terms.idf)[indices] * saturations, len(self.chunk_ids))
        return total.astype(np.float64)

    @property
    def _entries(self) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        return np.frombuffer(self.terms, _TERM)

    @property
    def _owners(self) -> npt.NDArray[np.int32]:
        """The position in `chunk_ids` of each entry's chunk."""
        return np.repeat(np.arange(len(self.chunk_ids), dtype=np.int32), self.sizes // _TERM.itemsize)


@dataclass(frozen=True, slots=True)
class PostingLists:
    """The lists of terms, ordered by term: each is `sizes` bytes of `postings` from `starts` on."""

    term_ids: Ids
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    postings: memoryview


@dataclass(frozen=True, slots=True)
class ScoredChunks:
    """Chunks with the sum of the scores that a question's terms give them, best first."""

    chunk_ids: Ids
    scores: Scores


Postings: TypeAlias = np.ndarray[tuple[int], np.dtype[np.void]]
"""The chunks that contain a term, as in a posting list."""

_NO_POSTINGS: Postings = np.empty(0, POSTING)


def decoded(postings: Postings) -> tuple[Ids, npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """The chunks of postings, how often the term stands in each, and the length of each, in the processor's order."""
    return (
        postings["chunk_id"].astype(np.int64),
        postings["tf"].astype(np.int16),
        postings["length"].astype(np.int16),
    )


def postings_of(sizes: Sequence[int], postings: bytes | memoryview) -> list[Postings]:
    """Posting lists that stand one after the other, each of so many bytes."""
    entries = np.frombuffer(postings, POSTING)
    edges = np.cumsum([0, *sizes]) // POSTING.itemsize
    return [entries[start:end] for start, end in pairwise(edges.tolist())]


class PostingsOfQuestion:
    """The posting lists of a question's terms, for all its phrasings together, as one statement returns them."""

    def __init__(self, terms: Sequence[tuple[int, int]], lists: Iterable[tuple[int, Postings]]) -> None:
        """Keep the lists.

        Args:
            terms: (source, number) of each term that was asked for.
            lists: posting lists, each with the number of its term, counted from 1; a term may have several.
        """
        known = list(lists)
        self._terms = {term: number for number, term in enumerate(terms, start=1)}
        self._numbers = _ints([number for number, _ in known])
        self._sizes = _ints([len(each) for _, each in known])
        self._entries = np.concatenate([_NO_POSTINGS, *(each for _, each in known)])

    @classmethod
    def of(
        cls, terms: Sequence[tuple[int, int]], postings: Sequence[Postings], kept: Ids | None
    ) -> "PostingsOfQuestion":
        """Build from the postings of each term; `kept` are the chunks that count, in ascending order, None for all."""
        lists = postings if kept is None else [each[_members(each, kept) >= 0] for each in postings]
        return cls(terms, enumerate(lists, start=1))

    def among(self, chunk_ids: Ids, unlisted: ChunkWords) -> list[Postings]:
        """The postings of each term in some chunks, each chunk once, even if several lists contain it.

        Args:
            chunk_ids: the chunks, in ascending order.
            unlisted: the words of chunks that are not in any list yet.
        """
        terms, entries = np.repeat(self._numbers, self._sizes), self._entries
        if len(unlisted.chunk_ids):
            numbers, more = unlisted.postings({term_id: number for (_, term_id), number in self._terms.items()})
            terms, entries = np.concatenate([terms, numbers]), np.concatenate([entries, more]).astype(POSTING)
        positions = _members(entries, chunk_ids)
        inside = np.flatnonzero(positions >= 0)
        _, first = np.unique(terms[inside] * len(chunk_ids) + positions[inside], return_index=True)
        chosen = inside[first]
        edges = np.searchsorted(terms[chosen], np.arange(1, len(self._terms) + 2))
        return [entries[chosen[start:end]] for start, end in pairwise(edges.tolist())]

    def scores(self, terms: WeightedTerms) -> ScoredChunks:
        """The chunks in the lists of some of the terms, with the sum of the scores that these give each, best first."""
        positions = np.full(len(self._terms) + 1, -1, np.int64)
        for position, term in enumerate(terms.numbered()):
            positions[self._terms[term]] = position
        indices = np.repeat(positions[self._numbers], self._sizes)
        mask = indices >= 0
        entries, indices = (self._entries, indices) if mask.all() else (self._entries[mask], indices[mask])
        mean_lengths = np.array(terms.mean_lengths)[indices]
        saturations = saturated(entries["tf"].astype(np.float64), entries["length"], mean_lengths)
        chunk_ids, owners = np.unique(entries["chunk_id"].astype(np.int64), return_inverse=True)
        total = np.bincount(owners, np.array(terms.idf)[indices] * saturations, len(chunk_ids)).astype(np.float64)
        # An unstable sort is four times as fast for tens of thousands; the second phase orders equal scores.
        order = np.argsort(-total)
        return ScoredChunks(chunk_ids[order], total[order])


class BestChunks:
    """The second phase of BM25: which chunks to score by all their words, and the best of them.

    Chunks come in the order of the first phase. More are requested while one could still be among the best (up to three
    hundred), or while too few were at HEAD and passed the filter.
    """

    def __init__(self, found: ScoredChunks, limit: int, others: float) -> None:
        """Start the second phase.

        Args:
            found: the chunks that the first phase found.
            limit: how many chunks are wanted.
            others: the most that the terms left out by the first phase could add to a score.
        """
        self._found = found
        self._limit = limit
        self._others = others
        self._looked_at = 0
        self._chunk_ids: list[Ids] = []
        self._scores: list[Scores] = []

    def next(self) -> list[int]:
        """Chunks to score next; empty when no other can be among the best."""
        start, found = self._looked_at, self._found
        if start >= len(found.scores) or not self._may_improve(found.scores[start]):
            return []
        if start == 0:
            floor = found.scores[min(self._limit, len(found.scores)) - 1] - self._others
            candidates = int(np.count_nonzero(found.scores >= floor))
            count = min(candidates, self._most) + self._limit // 8
        else:
            scored = sum(map(len, self._scores))
            # As many as should fill the gap, judging by how many of the previous ones were at HEAD and passed.
            estimate = -(-(self._most - scored) * start // scored) if scored >= self._limit else 3 * start
            count = max(estimate, _LOOKED_AT // 3)
        self._looked_at = start + count
        return found.chunk_ids[start : start + count].tolist()

    def add(self, words: ChunkWords, terms: WeightedTerms) -> None:
        """Score the requested chunks that are at HEAD by their words."""
        self.add_scores(words.chunk_ids, words.scores(terms))

    def add_scores(self, chunk_ids: Ids, scores: Scores) -> None:
        """Take the scores of the requested chunks; those that are not at HEAD are left out."""
        self._chunk_ids.append(chunk_ids)
        self._scores.append(scores)

    def hits(self) -> RetrieverHits:
        """The best chunks, best first."""
        if not self._chunk_ids:
            return NO_HITS
        best = best_first(np.concatenate(self._chunk_ids), np.concatenate(self._scores))
        return RetrieverHits(best.chunk_ids[: self._limit].tolist(), best.scores[: self._limit].tolist())

    @property
    def _most(self) -> int:
        return max(_LOOKED_AT, self._limit)

    def _may_improve(self, first_phase: float) -> bool:
        """Whether a chunk with this score from the first phase could be among the best."""
        scores = np.concatenate(self._scores) if self._scores else np.empty(0)
        if len(scores) < self._limit:
            return True
        return len(scores) < self._most and first_phase + self._others >= np.sort(scores)[-self._limit]


def _members(entries: "Postings", chunk_ids: Ids) -> Ids:
    """The position of each posting's chunk in `chunk_ids`, which are in ascending order; -1 if it is not among them."""
    posting_chunks = entries["chunk_id"].astype(np.int64)
    if not len(chunk_ids):
        return np.full(len(posting_chunks), -1, np.int64)
    positions = np.minimum(np.searchsorted(chunk_ids, posting_chunks), len(chunk_ids) - 1)
    return np.where(chunk_ids[positions] == posting_chunks, positions, -1)


def best_first(chunk_ids: Ids, scores: Scores) -> ScoredChunks:
    """Chunks by descending score, ties by id."""
    order = np.lexsort((chunk_ids, -scores))
    return ScoredChunks(chunk_ids[order], scores[order])


def most_looked_at(limit: int) -> int:
    """More chunks than the second phase ever looks at if all that it is given are at HEAD and pass."""
    return 2 * max(_LOOKED_AT, limit)


def largest(scores: Scores, count: int) -> Ids:
    """The places of the largest scores, in any order: to sort thousands takes longer than to set them apart."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(-scores, count)[:count]


def max_score(terms: WeightedTerms) -> float:
    """The most that terms could give one chunk: it belongs to one source, and only that source's terms match it."""
    sums: dict[int, float] = defaultdict(float)
    for source_id, idf in zip(terms.sources, terms.idf, strict=True):
        sums[source_id] += idf
    return (K1 + 1) * max(sums.values(), default=0.0)


def saturated(frequency: Scores, length: npt.ArrayLike, mean_length: npt.ArrayLike) -> Scores:
    """BM25 without the weight of the term: the part that depends on its frequency in a chunk of that length."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B) + np.asarray(length) * (K1 * B / np.asarray(mean_length)))


def _ints(values: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray(values, np.int64)
