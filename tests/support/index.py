"""An index for tests: the stores over one database, written to through the ledger as a worker would."""

import math
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from typing import Any, LiteralString, NamedTuple

from tests.support.pages import page_of

from citemark.model.documents import Listed
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.ledger import Claim, Gone, Want
from citemark.model.pages import Applied, Page
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource, Source
from citemark.model.vectors import EmbeddingIdentity, EmbeddingSet, Vector
from citemark.store.analysis import lexical
from citemark.store.database import Database
from citemark.store.stores import Stores

DOC_TYPE = "docs_page"

SMALL = EmbeddingIdentity(model="small", fingerprint="1", dimensions=8, max_tokens=256)
OTHER = EmbeddingIdentity(model="other", fingerprint="2", dimensions=4, max_tokens=256)


class Posting(NamedTuple):
    """A word of a chunk, as a posting list has it."""

    term_id: int
    chunk_id: int
    tf: int
    length: int


class WordOfChunk(NamedTuple):
    """A word of a chunk at HEAD, as the chunk's text has it."""

    source_id: int
    page_id: int
    chunk_id: int
    length: int
    term_id: int
    tf: int


WORDS_OF_TEXTS: LiteralString = """
SELECT c.source_id, c.page_id, c.chunk_id, c.length,
       hashtextextended(l.lexeme COLLATE "C", term_seed(c.source_id, c.configuration)) AS term_id,
       cardinality(l.positions) AS tf
FROM unnest(%s::bigint[], %s::text[]) AS t (chunk_id, lexical) JOIN chunk c USING (chunk_id)
CROSS JOIN LATERAL unnest(to_tsvector(c.configuration::regconfig, t.lexical)) l
"""


def _postings_of_block(block: bytes) -> Iterator[Posting]:
    """Everything in a block, read by the drawing of it in posting_blocks.py."""
    *widths, base, terms = struct.unpack_from("<4BqI", block)
    numbers: list[list[int]] = []
    rest, count = block[16:], terms
    term_ids = struct.unpack_from(f"<{terms}q", rest)
    rest = rest[8 * terms :]
    for width in widths:
        numbers.append([int.from_bytes(rest[width * n : width * (n + 1)], "little") for n in range(count)])
        rest, count = rest[width * count :], sum(numbers[0])
    assert not rest
    counts, *columns = numbers
    owners = [term_id for term_id, times in zip(term_ids, counts, strict=True) for _ in range(times)]
    for term_id, chunk, tf, length in zip(owners, *columns, strict=True):
        yield Posting(term_id, base + chunk, tf, length)


def vector_of(text: str, dimensions: int = 8) -> Vector:
    """A unit vector that is equal for equal texts and means nothing."""
    chance = random.Random(blake2b(text.encode()).digest())
    values = [chance.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


@dataclass
class Index:
    """The stores of one database, and shortcuts for what a worker does."""

    database: Database
    worker: str = "worker"
    stores: Stores = field(init=False)

    def __post_init__(self) -> None:
        self.stores = Stores.over(self.database, timedelta(minutes=30))

    async def source(self, name: str = "docs", **fields: Any) -> Source:
        """A source; its labels are given one by one, beside the other fields."""
        labels = SourceLabels(**{key: fields.pop(key) for key in SourceLabels.names() if key in fields})
        given: dict[str, Any] = {"kind": "memory", "config": {}, "labels": labels, **fields}
        return await self.stores.sources.add(NewSource(name=name, **given))

    async def want(self, source_id: int, native_id: str, version: str, doc_type: str = DOC_TYPE) -> None:
        listed = Listed(doc_type, NativeId(native_id), Version(version))
        await self.stores.ledger.record(SourceId(source_id), [Want(listed)])

    async def claim(self, source_id: int, *, worker: str | None = None, limit: int = 100) -> list[Claim]:
        return await self.stores.ledger.claim([source_id], worker or self.worker, limit=limit, lease=60)

    async def put(self, source: Source, native_id: str, body: str, **fields: Any) -> Applied:
        """Index one text, from listing to commit."""
        return await self.put_page(source, page_of(source.source_id, native_id, body, **fields))

    async def put_page(self, source: Source, page: Page) -> Applied:
        await self.want(source.source_id, page.key.native_id, f"listed {page.version}", page.key.doc_type)
        await self.claim(source.source_id)
        return await self.stores.pages.apply(page, self.worker)

    async def drop(self, source: Source, native_id: str) -> None:
        """A document that the source does not list any more."""
        await self.stores.ledger.record(source.source_id, [Gone((DOC_TYPE, NativeId(native_id)))])
        for claim in await self.claim(source.source_id):
            await self.stores.pages.remove(claim, self.worker)

    async def set_ids(self) -> list[int]:
        return [entry.set_id for entry in await self.stores.vectors.sets()]

    async def embed(
        self, target: EmbeddingSet, embed: Callable[[Sequence[str]], list[Vector]] | None = None, worker: str = "v"
    ) -> int:
        """Work the vector queue of a set off; how many vectors were written."""
        written = 0
        while tasks := await self.stores.vectors.claim(target.set_id, worker, limit=500, lease=60):
            texts = [f"{task.context}\n{task.text}" for task in tasks]
            vectors = embed(texts) if embed else [vector_of(text, target.dimensions) for text in texts]
            written += sum((await self.stores.vectors.settle(target.set_id, worker, tasks, vectors)).values())
        return written

    async def words(self) -> list[WordOfChunk]:
        """The words of all chunks at HEAD, read once more from their texts as `page_of` makes them."""
        chunks = await self.rows("SELECT chunk_id, context, text FROM chunk WHERE valid_to = 'infinity'")
        texts = [lexical(f"{context}\n{text}") for _, context, text in chunks]
        rows = await self.rows(WORDS_OF_TEXTS, [row[0] for row in chunks], texts)
        return sorted(WordOfChunk(*row) for row in rows)

    async def kept_words(self) -> list[WordOfChunk]:
        """The words of all chunks at HEAD, as they are kept; of pages that `page_of` did not make, too."""
        rows = await self.rows(
            "SELECT c.source_id, c.page_id, c.chunk_id, t.length, t.terms FROM chunk c"
            " JOIN chunk_terms t USING (source_id, chunk_id) WHERE c.valid_to = 'infinity'"
        )
        return sorted(
            WordOfChunk(source_id, page_id, chunk_id, length, term_id, tf)
            for source_id, page_id, chunk_id, length, terms in rows
            for term_id, tf in struct.iter_unpack(">qh", terms)
        )

    async def postings(self, source_id: int) -> list[Posting]:
        """What the posting lists of HEAD hold of a source, those of chunks that ended included."""
        lists = await self.rows(
            "SELECT p.term_id, p.postings FROM posting_list p JOIN segment s USING (source_id, segment_id)"
            " WHERE p.source_id = %s AND NOT s.past",
            source_id,
        )
        blocks = await self.rows(
            "SELECT b.block FROM posting_block b JOIN segment s USING (source_id, segment_id)"
            " WHERE b.source_id = %s AND NOT s.past",
            source_id,
        )
        return sorted(
            [
                *(Posting(term, *each) for term, packed in lists for each in struct.iter_unpack(">qhh", packed)),
                *(posting for (block,) in blocks for posting in _postings_of_block(block)),
            ]
        )

    async def rows(self, statement: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a statement of the test's own, as tuples."""
        async with self.database.transaction() as connection:
            cursor = await connection.execute(statement, values or None)
            return [tuple(row.values()) for row in await cursor.fetchall()] if cursor.description else []

    async def value(self, statement: LiteralString, *values: Any) -> Any:
        """The one value of a statement of the test's own."""
        return (await self.rows(statement, *values))[0][0]
