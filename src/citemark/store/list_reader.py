"""Reads the posting lists of a question that are not kept yet, all in one statement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString, Protocol

import numpy as np

from citemark.model.candidates import SparsePlan
from citemark.model.sources import AllowedSources
from citemark.store.database import Database, Row, int_array
from citemark.store.posting_blocks import lists_read
from citemark.store.postings import Ids, Postings
from citemark.store.segment_cache import ListKey, ListsOfQuestion, SegmentCache

_MOST_POSTINGS = 1_000_000
"""Postings of one question: if its words stand in more, the words of a few hundred chunks are less to read."""

_ELEMENT = np.dtype([("size", ">i4"), ("value", ">i8")])
_HEAD = 20
"""The bytes before the elements of an array that PostgreSQL sends (see array_send)."""


class RankingRow(Protocol):
    """Runs a statement of ranking, which has one row; `planned_once` if one plan fits all its parameters."""

    async def __call__(self, statement: LiteralString, params: dict[str, Any], *, planned_once: bool = False) -> Row:
        """Return the row."""
        ...


class ListReader:
    """Gives the posting lists of questions, from the cache where they are there."""

    def __init__(self, database: Database, cache: SegmentCache, row: RankingRow) -> None:
        """Keep what is needed.

        Args:
            database: an open pool.
            cache: what was read before.
            row: runs a statement of ranking, which has one row.
        """
        self._database = database
        self._cache = cache
        self._row = row
        self._losses = database.losses

    @property
    def notes(self) -> int:
        """How many times chunks were noted that have ended."""
        return self._cache.notes

    async def of(self, plans: Sequence[SparsePlan]) -> ListsOfQuestion | None:
        """The lists of all terms of some plans; None if it is better to read the words of chunks.

        That is so if there are too many postings, or if segments are unknown or were merged in the meantime.
        """
        segments = plans[-1].segments if plans else None
        if segments is None or max(plan.postings for plan in plans) > _MOST_POSTINGS:
            return None
        if self._losses != self._database.losses:
            self._losses = self._database.losses
            self._cache.clear()
        terms = list(dict.fromkeys(term for plan in plans for term in plan.every.numbered()))
        keys = self._cache.unread(segments, terms)
        if not keys:
            return self._cache.lists(segments, terms, {}, {})
        members, read = await self._read(keys)
        if members is None or not {*self._cache.unread(segments, terms)} <= {*keys}:
            return None
        return self._cache.lists(segments, terms, members, read)

    def note_ended(self, allowed: AllowedSources, asked: Iterable[int], found: Iterable[int] | None) -> None:
        """Note which of the chunks that were asked for are at HEAD no longer, since a statement did not find them."""
        self._cache.end(allowed.ids, {*asked}.difference(found or ()))

    async def _read(self, keys: Sequence[ListKey]) -> tuple[Mapping[int, Ids] | None, Mapping[ListKey, Postings]]:
        """The chunks of segments that are new, and lists; None instead if one of the segments is gone."""
        segment_ids = {key.segment_id for key in keys}
        row = await self._row(
            self._database.queries["segment_lists"],
            {
                "source_ids": int_array({key.source_id for key in keys}),
                "segment_ids": int_array(segment_ids),
                "new": int_array(self._cache.unknown(keys)),
                "sources": int_array(key.source_id for key in keys),
                "segments": int_array(key.segment_id for key in keys),
                "terms": int_array(key.term_id for key in keys),
            },
            planned_once=True,
        )
        if segment_ids != {*(row["segment_ids"] or ())}:
            return None, {}
        members = {
            number: np.sort(np.frombuffer(sent[_HEAD:], _ELEMENT)["value"].astype(np.int64))
            for number, sent in zip(row["segment_ids"], row["members"], strict=True)
            if sent
        }
        return members, {keys[number - 1]: each for number, each in lists_read(row, [key.term_id for key in keys])}
