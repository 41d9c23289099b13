"""The names that documents are known by, and the pass that links the pages of a source to newer names."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from psycopg.types.json import Jsonb

from citemark.model.documents import StatedRelationship
from citemark.model.ids import SourceId
from citemark.model.text import Section, Span
from citemark.store.database import Connection, Database, Row, int_array, text_array

_LEASE_SECONDS = 120.0
"""Renewed with each batch of pages; after it, another process takes over from a dead one."""

_MOST_NAMES_OF_SOURCE = 50_000
"""Most names of one source, titles first. Documentation of 20,000 pages has about as many headings that are names."""

_MOST_NAMES = 200_000
"""Most names that a process holds at a time: about 100 MB."""


class DueSource(NamedTuple):
    """A source that may have to be linked, and whether its own names may have changed."""

    source_id: SourceId
    changed: bool


class NameScope(NamedTuple):
    """The sources whose names count in a source, and the number up to which the names are known."""

    name_sources: tuple[int, ...]
    number: int


class KnownNameRow(NamedTuple):
    """A name of a source."""

    source_id: int
    name: str
    forms: tuple[str, ...]
    number: int


class LinkingState(NamedTuple):
    """The progress of a pass: pages know the names up to `linked`, and those up to `wanted` once it is done."""

    wanted: int
    linked: int
    reached: int
    last: int
    name_sources: tuple[int, ...]


class LinkedPage(NamedTuple):
    """A page as the pass reads it; `document_ids` are those of its sections, by slug."""

    revision_id: int
    document_id: int
    title: str
    body: str
    sections: tuple[Section, ...]
    document_ids: Mapping[str, int]


class LinkingLost(Exception):
    """Another process has taken over the pass."""


class MentionStore:
    """Known names, and the passes over the sources' pages. One process at a time links a source."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, source_ids: Collection[SourceId], *, now: bool) -> list[DueSource]:
        """Sources with names to note or pages to link, and nothing left to read; `now` includes those seen lately."""
        rows = await self._database.fetch("mentions_due", {"source_ids": list(source_ids), "due": not now})
        return [DueSource(SourceId(row["source_id"]), row["changed"]) for row in rows]

    async def claim(self, source_id: SourceId, worker: str) -> bool:
        """Take the source's pass; False while another process has it."""
        params = {"source_id": source_id, "worker": worker, "lease": _LEASE_SECONDS}
        return bool(await self._database.fetch("mentions_claim", params))

    async def release(self, worker: str) -> None:
        """Give back what this worker has taken."""
        await self._database.fetch("mentions_release", {"worker": worker})

    async def forget(self) -> None:
        """Make the next linking start from scratch, because pages are written without mentions from now on."""
        await self._database.fetch("mentions_forget")

    async def borne(self, source_id: SourceId, most_bearers: int) -> list[tuple[str, list[str]]]:
        """The names that at most `most_bearers` documents of a source have, with titles and headings as written."""
        params = {"source_id": source_id, "most_bearers": most_bearers, "limit": _MOST_NAMES_OF_SOURCE}
        rows = await self._database.fetch("names_borne", params)
        return [(row["name"], row["titles"]) for row in rows]

    async def note(self, source_id: SourceId, names: Mapping[str, Sequence[str]], until: datetime) -> None:
        """Store these as the names of a source; they are those of everything recorded before `until`.

        Does nothing if the source was removed or switched off in the meantime.
        """
        queries = self._database.queries
        entries = Jsonb([[name, list(forms)] for name, forms in names.items()])
        async with self._database.transaction(durable=False) as connection:
            held = await connection.execute(queries["source_hold"], {"source_id": source_id})
            if await held.fetchone() is None:
                return
            await connection.execute(queries["names_lock"])
            await connection.execute(queries["names_write"], {"source_id": source_id, "names": entries, "until": until})

    async def scope(self, source_id: SourceId) -> NameScope:
        """The sources whose names count in a source; it must be read before the names."""
        row = await self._database.one("names_scope", {"source_id": source_id})
        return NameScope((), 0) if row is None else NameScope(tuple(row["name_sources"]), row["number"])

    async def names(self, source_ids: Sequence[int]) -> list[KnownNameRow]:
        """The names of these sources."""
        params = {"source_ids": list(source_ids), "limit": _MOST_NAMES}
        rows = await self._database.fetch("names_known", params)
        return [KnownNameRow(row["source_id"], row["name"], tuple(row["forms"]), row["number"]) for row in rows]

    async def state(self, source_id: SourceId, worker: str) -> LinkingState | None:
        """The progress of a source's pass, or None if this worker has lost it."""
        row = await self._database.one("linking_state", {"source_id": source_id, "worker": worker})
        return None if row is None else _state(row)

    async def begin(self, source_id: SourceId, worker: str, scope: NameScope) -> LinkingState | None:
        """Begin a pass: pages written from now on know the names, and all existing pages will be looked at.

        Waits for pages that are being written with fewer names. Returns None if this worker has lost the pass.
        """
        queries = self._database.queries
        params = {
            "source_id": source_id,
            "worker": worker,
            "number": scope.number,
            "name_sources": list(scope.name_sources),
        }
        async with self._database.transaction() as connection:
            await connection.execute(queries["source_lock"], params)
            row = await (await connection.execute(queries["linking_begin"], params)).fetchone()
        return None if row is None else _state(row)

    async def pages(self, source_id: SourceId, state: LinkingState, limit: int) -> list[LinkedPage]:
        """The next pages of a pass."""
        params = {"source_id": source_id, "reached": state.reached, "last": state.last, "limit": limit}
        return [_page(row) for row in await self._database.fetch("linking_pages", params)]

    async def write(
        self,
        source_id: SourceId,
        worker: str,
        found: Sequence[tuple[LinkedPage, Sequence[StatedRelationship]]],
        reached: int,
    ) -> None:
        """Record mentions in pages that have not changed since, and how far the pass has come.

        Raises:
            LinkingLost: another process has taken over the pass.
        """
        params = {"source_id": source_id, "worker": worker, "reached": reached, "lease": _LEASE_SECONDS}
        stated = [(page, mention) for page, mentions in found for mention in mentions]
        async with self._database.transaction(durable=False) as connection:
            if stated:
                await self._insert(connection, source_id, stated)
            row = await (await connection.execute(self._database.queries["linking_reach"], params)).fetchone()
            if row is None:
                raise LinkingLost

    async def _insert(
        self, connection: Connection, source_id: SourceId, stated: Sequence[tuple[LinkedPage, StatedRelationship]]
    ) -> None:
        queries = self._database.queries
        params = {"source_id": source_id, "page_ids": sorted({page.document_id for page, _ in stated})}
        if await (await connection.execute(queries["source_hold"], params)).fetchone() is None:
            raise LinkingLost
        await connection.execute(queries["linking_pages_hold"], params)
        # What is found now is recorded as of now: earlier states have been read already.
        await connection.execute(queries["announce_writer"])
        row = await (await connection.execute(queries["recorded_time"])).fetchone()
        await connection.execute(
            queries["linking_write"],
            {
                "source_id": source_id,
                "at": None if row is None else row["at"],
                "revision_ids": int_array(page.revision_id for page, _ in stated),
                "from_ids": int_array(
                    page.document_ids.get(mention.from_section or "", page.document_id) for page, mention in stated
                ),
                "names": text_array(mention.to_entity.name if mention.to_entity else None for _, mention in stated),
                "starts": int_array(mention.span.start for _, mention in stated),
                "ends": int_array(mention.span.end for _, mention in stated),
                "metadatas": text_array(json.dumps(dict(mention.metadata)) for _, mention in stated),
            },
        )

    async def end(self, source_id: SourceId, worker: str, *, common_share: float, pause: float) -> None:
        """End a pass: note which plain words more than this share of the pages use; the next is due after `pause`.

        Does nothing if the source was removed or switched off in the meantime.
        """
        queries = self._database.queries
        async with self._database.transaction(durable=False) as connection:
            held = await connection.execute(queries["source_hold"], {"source_id": source_id})
            if await held.fetchone() is None:
                return
            await connection.execute(queries["announce_writer"])
            row = await (await connection.execute(queries["recorded_time"])).fetchone()
            params = {"source_id": source_id, "share": common_share, "at": None if row is None else row["at"]}
            await connection.execute(queries["common_names_note"], params)
        await self._database.fetch("linking_end", {"source_id": source_id, "worker": worker, "pause": pause})


def _state(row: Row) -> LinkingState:
    return LinkingState(row["wanted"], row["linked"], row["reached"], row["last"], tuple(row["name_sources"]))


def _page(row: Row) -> LinkedPage:
    sections: list[Section] = []
    ids: dict[str, int] = {}
    for document_id, slug, title, start, end in row["sections"]:
        sections.append(Section(slug, title, (), 1, Span(start, end), None))
        ids[slug] = document_id
    return LinkedPage(row["revision_id"], row["document_id"], row["title"], row["body"], tuple(sections), ids)
