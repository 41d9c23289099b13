"""Posting lists in segments (ADR 27): new words are flushed into a segment, small segments are merged into larger ones.

As in Lucene, a segment is immutable. A chunk that ended stays in its lists until they are merged or rewritten; ranking
skips it because its own words (`chunk_terms`) are gone.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from citemark.store.database import Connection, Database, Row, int_array
from citemark.store.posting_blocks import blocks_of
from citemark.store.postings import ChunkWords

_BATCH = 4096
"""Chunks per transaction; bounds how long the lock of the statistics is held."""

_MERGED = 8
"""Segments of one level that are merged together, so each chunk is rewritten about once per level."""

_LEVELS = (512, 4096, 8192)
"""Chunks at which a segment rises to the next level; from the last one on it is no longer merged."""

_LARGEST = 16_384
"""Chunks of the largest segment: building one takes half a second."""

_DEAD = 0.2
"""The share of dead chunks in a source's segments above which the worst segment is rewritten."""


class SegmentStore:
    """Flushes new and deleted chunks into segments and into the statistics that ranking reads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def flush(self, *, wait: bool = True) -> bool:
        """Flush what is waiting, and merge segments where that is due.

        Args:
            wait: wait for another process that is flushing. Then everything committed before the call is flushed when
                it returns, except for chunks of a page that is being replaced at that moment, and merges that an
                earlier call left are done.

        Returns:
            False when another process is flushing and `wait` is off.
        """
        await self._analyze_grown_tables()
        touched: set[int] = set()
        more = True
        while more:
            async with self._database.transaction(durable=False) as connection:
                transaction = _Transaction(connection, self._database)
                if not await transaction.locked(wait=wait):
                    return False
                sources, more = await transaction.deltas()
                superseded, more_past = await transaction.superseded()
            touched.update(sources, superseded)
            more = more or more_past
        if wait:
            limits = {"final": _LEVELS[-1], "merged": _MERGED, "dead": _DEAD}
            touched.update(row["source_id"] for row in await self._database.fetch("segments_untidy", limits))
        for source_id in sorted(touched):
            if not await self._compact(source_id, wait=wait):
                return False
        return True

    async def _compact(self, source_id: int, *, wait: bool) -> bool:
        """Merge small segments and rewrite those with many dead chunks, each step in a transaction of its own.

        Returns:
            False when another process is flushing and `wait` is off.
        """
        while True:
            async with self._database.transaction(durable=False) as connection:
                transaction = _Transaction(connection, self._database)
                if not await transaction.locked(wait=wait):
                    return False
                if not await transaction.merge(source_id):
                    return True

    async def drop_purged(self, source_ids: Sequence[int]) -> None:
        """Rewrite the segments that lost a fifth or more to a purge of history."""
        rows = await self._database.fetch("segments_gone", {"source_ids": list(source_ids), "dead": _DEAD})
        for row in rows:
            async with self._database.transaction(durable=False) as connection:
                transaction = _Transaction(connection, self._database)
                await transaction.locked(wait=True)
                await transaction.rewrite(row["source_id"], [row["segment_id"]], past=True)

    async def _analyze_grown_tables(self) -> None:
        """Analyze tables that have grown; the server does so once a minute, too late for a first load.

        Tables locked by another session (a vacuum) are skipped until the next call.
        """
        async with self._database.transaction(durable=False) as connection:
            cursor = await connection.execute(self._database.queries["tables_grown"])
            for row in await cursor.fetchall():
                await connection.execute(self._database.queries["table_analyze"], {"table": row["relname"]})


class _Transaction:
    """One transaction, under the lock of the statistics."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._queries = database.queries

    async def locked(self, *, wait: bool) -> bool:
        """Take the lock of the statistics; returns whether this transaction holds it."""
        if wait:
            await self._run("statistics_lock", {})
            return True
        (row,) = await self._run("statistics_try_lock", {})
        return bool(row["ok"])

    async def deltas(self) -> tuple[list[int], bool]:
        """Flush the next few thousand chunks.

        Returns:
            The ids of their sources, and whether more may wait.
        """
        taken = await self._run("deltas_take", {"limit": _BATCH})
        sources: list[int] = []
        for source_id, rows in groupby(taken, key=lambda row: row["source_id"]):
            sources.append(source_id)
            deltas = list(rows)
            added = _words(row for row in deltas if not row["gone"])
            await self._write(source_id, added, past=False)
            await self._count(source_id, deltas, added, _words(row for row in deltas if row["gone"]))
        return sources, len(taken) == _BATCH

    async def superseded(self) -> tuple[list[int], bool]:
        """Flush the next few thousand superseded chunks into segments of the past.

        Returns:
            The ids of their sources, and whether more may wait.
        """
        taken = await self._run("deltas_take_past", {"limit": _BATCH})
        sources: list[int] = []
        for source_id, rows in groupby(taken, key=lambda row: row["source_id"]):
            sources.append(source_id)
            await self._write(source_id, _words(rows), past=True)
        return sources, len(taken) == _BATCH

    async def merge(self, source_id: int) -> bool:
        """Merge or rewrite the segments that need it most; False if none of the source's do."""
        for past in (False, True):
            listed = await self._run("segments_list", {"source_id": source_id, "past": past})
            chosen = to_merge([(row["segment_id"], row["chunks"]) for row in listed])
            if not chosen and not past:
                chosen = await self._dead(source_id, sum(row["chunks"] for row in listed))
            if not chosen:
                chosen = await self._to_pack(listed)
            if chosen:
                await self.rewrite(source_id, chosen, past=past)
                return True
        return False

    async def rewrite(self, source_id: int, segment_ids: Sequence[int], *, past: bool) -> None:
        """Rewrite several segments as one, without the chunks that have lost their words."""
        params = {"source_id": source_id, "segment_ids": list(segment_ids)}
        (words,) = await self._run("segments_chunks", params)
        living = ChunkWords.columns(words["word_ids"], words["word_lengths"], words["word_sizes"], words["words"])
        await self._run("segments_remove", params)
        await self._write(source_id, living, past=past)

    async def _dead(self, source_id: int, chunks: int) -> list[int]:
        """The segment with the largest share of dead chunks, once the source has too many."""
        rows = await self._run("source_chunks", {"source_id": source_id})
        living = rows[0]["chunks"] if rows else 0
        if chunks - living <= _DEAD * chunks:
            return []
        segments = await self._run("segments_dead", {"source_id": source_id})
        worst = max(segments, key=lambda row: row["dead"] / row["chunks"])
        return [worst["segment_id"]] if worst["dead"] else []

    async def _to_pack(self, listed: Sequence[Row]) -> list[int]:
        """The next segment of an earlier version that can be written in blocks."""
        unpacked = [row["segment_id"] for row in listed if not row["packed"] and row["chunks"] <= _LARGEST]
        return unpacked[:1] if unpacked and await self._may_pack() else []

    async def _may_pack(self) -> bool:
        (row,) = await self._run("packing_allowed", {})
        return row["allowed"]

    async def _write(self, source_id: int, words: ChunkWords, *, past: bool) -> None:
        if not len(words.chunk_ids):
            return
        packed = await self._may_pack()
        # Half a second for the largest segment: in a thread, so that questions can be answered in the meantime.
        params = await asyncio.to_thread(_packed if packed else _segment, words)
        name = "segment_write_packed" if packed else "segment_write"
        await self._run(name, {"source_id": source_id, "past": past, **params})

    async def _count(self, source_id: int, deltas: Sequence[Row], added: ChunkWords, removed: ChunkWords) -> None:
        """Add the changes to document frequencies, chunk counts and lengths."""
        chunks: dict[str, int] = defaultdict(int)
        lengths: dict[str, int] = defaultdict(int)
        for row in deltas:
            sign = -1 if row["gone"] else 1
            chunks[row["configuration"]] += sign
            lengths[row["configuration"]] += sign * row["length"]
        (added_ids, added_counts), (removed_ids, removed_counts) = added.counts(), removed.counts()
        term_ids, positions = np.unique(np.concatenate([added_ids, removed_ids]), return_inverse=True)
        dfs = np.bincount(positions, np.concatenate([added_counts, -removed_counts]), len(term_ids)).astype(np.int64)
        changed = dfs != 0
        params = {
            "source_id": source_id,
            "configurations": list(chunks),
            "chunks": list(chunks.values()),
            "lengths": [lengths[name] for name in chunks],
            "term_ids": int_array(term_ids[changed].tolist()),
            "dfs": int_array(dfs[changed].tolist()),
        }
        await self._run("statistics_add", params)

    async def _run(self, name: str, params: Mapping[str, Any]) -> list[Row]:
        cursor = await self._connection.execute(self._queries[name], params, binary=True)
        return await cursor.fetchall() if cursor.description else []


def _packed(words: ChunkWords) -> Mapping[str, Any]:
    """The columns of a segment over these chunks, and of its blocks."""
    blocks = blocks_of(words)
    return {
        "chunk_ids": int_array(words.chunk_ids.tolist()),
        "first_terms": int_array(blocks.first_terms.tolist()),
        "starts": int_array((np.cumsum(blocks.sizes) - blocks.sizes + 1).tolist()),
        "sizes": int_array(blocks.sizes.tolist()),
        "blocks": blocks.data,
    }


def _segment(words: ChunkWords) -> Mapping[str, Any]:
    """The same as versions before schema 34 read it."""
    lists = words.lists()
    return {
        "chunk_ids": int_array(words.chunk_ids.tolist()),
        "term_ids": int_array(lists.term_ids.tolist()),
        "starts": int_array((lists.starts + 1).tolist()),
        "sizes": int_array(lists.sizes.tolist()),
        "postings": lists.postings,
    }


def to_merge(segments: Sequence[tuple[int, int]]) -> list[int]:
    """Which of the segments, each (id, chunks), to merge now, smallest first: none while there are few of each size."""
    for level, end in enumerate(_LEVELS):
        start = _LEVELS[level - 1] if level else 0
        alike = sorted((chunks, number) for number, chunks in segments if start <= chunks < end)
        if len(alike) < _MERGED:
            continue
        chosen: list[int] = []
        size = 0
        for chunks, number in alike:
            if size + chunks > _LARGEST:
                break
            chosen.append(number)
            size += chunks
        return chosen
    return []


def _words(rows: Iterable[Row]) -> ChunkWords:
    return ChunkWords.of((row["chunk_id"], row["length"], bytes(row["terms"])) for row in rows)
