"""Retrieval without embedding, beside four libraries, on the same chunks, vectors and questions, in turns."""

import gc
from collections.abc import Awaitable, Callable
from functools import partial

from tests.bench.embedders import KnownVectors
from tests.bench.index import ensure_index, open_index
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.peers import Lance, Peer, Qdrant, SqliteVec, Tantivy
from tests.bench.texts import pages, questions
from tests.bench.vectors import chunk_vectors, question_vectors

from citemark.app.compose import App
from citemark.embedding.contract import Embedder
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.retrieval.question import Question
from citemark.settings import load_settings
from citemark.store.stores import Stores

QUESTIONS = 300
HITS = 10
_TURN = 50
_WARM_UP = 10


async def measure(size: int) -> dict[str, object]:
    """Medians and p95 of the product and its peers at one size, with ratios of medians.

    An engine is asked fifty questions at a stretch, after some that do not count: in turns, so that all meet the same
    machine, and long ones, so that none pays for the memory that another one read through.
    """
    await ensure_index(size)
    texts = [section.text for page in pages(size) for section in page.sections]
    asked = questions()
    vectors = question_vectors()
    peers: list[Peer] = [
        Lance(size, texts, partial(chunk_vectors, size)),
        Qdrant(size, texts, partial(chunk_vectors, size)),
        SqliteVec(size, texts, partial(chunk_vectors, size)),
        Tantivy(size, texts, partial(chunk_vectors, size)),
    ]
    del texts
    gc.collect()
    times: dict[str, list[float]] = {}
    before = load()
    async with open_index(size) as index:
        ask = product(index.stores, KnownVectors(asked, vectors))
        for text in asked[-_TURN:]:
            await ask(text)
        for first in range(0, QUESTIONS, _TURN):
            turn = [place % len(asked) for place in range(first, first + _TURN)]
            for text in [asked[place] for place in turn[:_WARM_UP]]:
                await ask(text)
            for place in turn:
                watch = Stopwatch()
                found = await ask(asked[place])
                times.setdefault("citemark", []).append(watch.lap())
                if not found:
                    raise InvalidArgument(f"nothing found for {asked[place]!r}")
            for peer in peers:
                chosen = turn[:: peer.every]
                for place in chosen[: _WARM_UP // peer.every]:
                    peer.ask(asked[place], vectors[place].tolist(), HITS)
                for place in chosen:
                    vector = vectors[place].tolist()
                    watch = Stopwatch()
                    peer.ask(asked[place], vector, HITS)
                    times.setdefault(peer.name, []).append(watch.lap())
    latencies = {name: Latency.of(seconds) for name, seconds in times.items()}
    own = latencies["citemark"]
    return {
        "engines": {name: latency.as_dict() for name, latency in latencies.items()},
        "ratio": {name: round(own.p50 / latencies[name].p50, 3) for name in latencies if name != "citemark"},
        "load": [before, load()],
    }


def product(stores: Stores, embedder: Embedder) -> Callable[[str], Awaitable[int]]:
    """Rank and fetch the text of the best hits: what the peers do; access checks are not part of it."""
    pipeline = App(load_settings(), stores, embedder).pipeline

    async def ask(text: str) -> int:
        ranking = await pipeline.rank(Question(Principal.local(), text, depth=HITS))
        chunks = await stores.search.read(ranking.allowed, [candidate.chunk_id for candidate in ranking.candidates])
        return len(chunks)

    return ask
