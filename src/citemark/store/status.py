"""How far each source has come: counts, database size, requested scans and broken links."""

from citemark.model.accounts import Renewal, refusal
from citemark.model.ids import SourceId
from citemark.model.refused_logins import RefusedLogin
from citemark.model.status import BrokenLink, DatabaseStatus, SourceStatus
from citemark.store.database import Database, Row
from citemark.store.leases import machine_of


class StatusStore:
    """Reads how far each source has come."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sources(self, tenant: str, embedding_set_id: int) -> list[SourceStatus]:
        """One entry per source of a tenant, by name; vector counts are of one embedding set."""
        rows = await self._database.fetch("status_sources", {"tenant": tenant, "set": embedding_set_id})
        return [
            SourceStatus(
                source_id=row["source_id"],
                name=row["name"],
                kind=row["kind"],
                documents=row["documents"],
                chunks=int(row["chunks"]),
                vectors=max(0, int(row["chunks"]) - row["vectors_missing"] - row["by_words_only"]),
                by_meaning=max(0, row["documents"] - row["firsts_missing"]),
                texts_waiting=row["texts_waiting"],
                vectors_waiting=row["vectors_waiting"],
                failed=row["failed"],
                problems=row["problems"],
                languages=dict(sorted(row["languages"].items(), key=lambda entry: (-entry[1], entry[0]))),
                scanning=row["scanning"],
                watching=row["watching"],
                machine=machine_of(row["watched_by"]),
                last_complete_scan=row["last_complete_at"],
                reason=_refused(row) or row["reason"],
                login_refused=row["refused"] is not None,
                paused=row["paused"],
                texts_per_second=row["texts_per_second"],
                vectors_per_second=row["vectors_per_second"],
            )
            for row in rows
        ]

    async def database(self) -> DatabaseStatus:
        """Size and versions."""
        row = (await self._database.fetch("database_size"))[0]
        return DatabaseStatus(row["bytes"], row["server"], row["pgvector"], row["partitions"])


def _refused(row: Row) -> str:
    """That the server refused the password of an account, and what its owner can do; "" if it did not."""
    if row["refused"] is None:
        return ""
    return f"{refusal(RefusedLogin(row['refused'], row['retry_at']))} {Renewal().advice(row['name'])}"


class LinkStore:
    """Links between the documents of a source. Brokenness is computed, so a new page repairs the links to its name.

    The ledger has the pages read again whose links give the name otherwise.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def broken(self, source_id: SourceId, limit: int = 100) -> tuple[list[BrokenLink], int]:
        """The first broken links in the order of documents and positions, and how many there are in all."""
        rows = await self._database.fetch("links_broken", {"source_id": source_id, "limit": limit})
        links = [
            BrokenLink(row["native_id"], row["line"], row["written"], row["to_native_id"], page_found=row["page_found"])
            for row in rows
        ]
        return links, rows[0]["total"] if rows else 0
