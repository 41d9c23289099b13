"""Whether an index is what it has to be after a failover."""

from collections.abc import Sequence

import httpx2
import psycopg
from tests.cluster.installation import Server, text_of
from tests.cluster.load import Documents, Seen, ask

_CURRENT_TWICE = """
SELECT d.native_id FROM document d JOIN revision r USING (source_id, document_id)
WHERE d.page_id IS NULL AND d.valid_to = 'infinity' AND r.valid_to = 'infinity'
GROUP BY d.native_id HAVING count(*) > 1
"""

_BASELINES = """
SELECT b.name, md5(string_agg(concat_ws(' ', d.native_id, r.revision_id, r.body), ',' ORDER BY d.native_id))
FROM baseline b JOIN revision r ON r.valid_from <= b.at AND r.valid_to > b.at
JOIN document d USING (source_id, document_id)
WHERE d.page_id IS NULL GROUP BY b.name
"""


async def every_last_version(servers: Sequence[Server], documents: Documents, seen: Seen) -> list[str]:
    """What is wrong with the answers about each document, asked once at each server."""
    wrong: list[str] = []
    async with httpx2.AsyncClient() as client:
        for name, last in documents.versions.items():
            for server in servers:
                version = await ask(client, server, name, seen)
                if version != last:
                    wrong.append(f"{name}: version {version} instead of {last}, by {server.name}")
    return wrong


def doubled(direct: str) -> list[str]:
    """Documents that have two current states in the database."""
    with psycopg.connect(direct) as connection:
        return [f"doubled in the database: {name}" for (name,) in connection.execute(_CURRENT_TWICE)]


def baselines(direct: str) -> dict[str, str]:
    """A digest of what each baseline names."""
    with psycopg.connect(direct) as connection:
        return dict(connection.execute(_BASELINES).fetchall())


def baselines_changed(direct: str, before: dict[str, str]) -> list[str]:
    """Baselines that do not name what they named before."""
    now = baselines(direct)
    return [f"baseline {name} differs" for name, digest in before.items() if now.get(name) != digest]


class Handles:
    """A passage and a cursor that a server gave out; after a failover both are to be told to search again."""

    def __init__(self, passage: str, cursor: str) -> None:
        self._passage = passage
        self._cursor = cursor

    @classmethod
    async def of(cls, server: Server) -> "Handles":
        """Those of a new search."""
        async with httpx2.AsyncClient() as client:
            found = await server.call(client, "kb_search", query=_BROAD, top_k=10, page_size=3)
            assert not found.get("isError"), text_of(found)
        content = found["structuredContent"]
        return cls(content["results"][0]["passage_id"], content["next_cursor"])

    async def told(self, server: Server) -> list[str]:
        """What a server says to each of them."""
        async with httpx2.AsyncClient() as client:
            read = await server.call(client, "kb_read_excerpt", passage_id=self._passage)
            more = await server.call(client, "kb_search", query=_BROAD, top_k=10, page_size=3, cursor=self._cursor)
        return [text_of(each) if each.get("isError") else "(an answer)" for each in (read, more)]


_BROAD = "On which port does a service listen?"


def wrongly_told(told: Sequence[str]) -> list[str]:
    """Those that do not say in one line to search again."""
    return [f"an old handle was told: {each}" for each in told if "search again" not in each.lower() or "\n" in each]
