"""Handles that are offered to a caller: passages of hits, and cursors of ranked lists."""

import json
import secrets
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from citemark.model.candidates import StoredChunk
from citemark.model.clock import Clock
from citemark.model.errors import UnknownCursor, UnknownPassage
from citemark.model.ids import ChunkId, PassageId, SessionId, SourceId, new_passage_id
from citemark.model.passages import Passage, RankedHit
from citemark.model.scope import Principal, ResolvedContext
from citemark.model.text import Span
from citemark.retrieval.ports import HandleStore
from citemark.retrieval.question import Link, RankedCandidate, Why
from citemark.services.requests import Caller, SearchRequest

_MAX_CURSOR = 64
"""The most characters of a cursor that are looked up: real cursors are shorter, so a longer text was never one."""


class Handles:
    """Mints and looks up handles and cursors, which expire."""

    def __init__(self, store: HandleStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def offer(
        self, caller: Caller, chunks: Sequence[tuple[StoredChunk, Span]], context: ResolvedContext
    ) -> list[PassageId]:
        """A fresh handle per chunk, each with the span (in the chunk's text) that answers best.

        The handle of a chunk of a past state keeps referring to that state.
        """
        now = self._clock()
        passages = [
            Passage(
                passage_id=new_passage_id(),
                source_id=chunk.source_id,
                chunk_id=chunk.chunk_id,
                span=span,
                created_at=now,
                context=None if context.head else context,
            )
            for chunk, span in chunks
        ]
        await self._store.keep(caller.principal, caller.session_id, passages, now)
        return [passage.passage_id for passage in passages]

    async def find(self, caller: Caller, passage_ids: Sequence[str]) -> list[Passage]:
        """The passages behind handles, in the order given.

        Raises:
            UnknownPassage: one has expired, belongs to another person or was never issued.
        """
        found = await self._store.find(caller.principal, caller.session_id, passage_ids, self._clock())
        for passage_id in passage_ids:
            if passage_id not in found:
                raise UnknownPassage(passage_id[:64])
        return [found[passage_id] for passage_id in passage_ids]

    async def session_of(self, principal: Principal, passage_id: str) -> SessionId:
        """The session in which a person got a passage.

        Raises:
            UnknownPassage: it has expired, belongs to another person or was never issued.
        """
        session = await self._store.session_of(principal, passage_id, self._clock())
        if session is None:
            raise UnknownPassage(passage_id[:64])
        return session

    async def keep_ranking(self, caller: Caller, request: SearchRequest, candidates: Sequence[RankedCandidate]) -> str:
        """Store a ranked list, so that its pages never mix two states, and return its id."""
        return await self.keep_candidates(caller, digest_of(request), candidates)

    async def keep_candidates(self, caller: Caller, digest: str, candidates: Sequence[RankedCandidate]) -> str:
        """Like `keep_ranking`, for the question behind `digest`."""
        list_id = secrets.token_urlsafe(16)
        hits = [
            RankedHit(
                SourceId(candidate.source_id),
                rank,
                ChunkId(candidate.chunk_id),
                candidate.score,
                _stored_why(candidate),
            )
            for rank, candidate in enumerate(candidates)
        ]
        await self._store.keep_ranking(caller.principal, list_id, digest, hits, self._clock())
        return list_id

    async def ranking(
        self, caller: Caller, request: SearchRequest, cursor: str
    ) -> tuple[str, int, int, list[RankedCandidate]]:
        """The list behind a cursor: its id, where the next page starts, how many hits were shown, and the candidates.

        Raises:
            UnknownCursor: it is malformed, expired, or of another caller or question.
        """
        return await self.candidates(caller, digest_of(request), cursor)

    async def candidates(self, caller: Caller, digest: str, cursor: str) -> tuple[str, int, int, list[RankedCandidate]]:
        """Like `ranking`, for the question behind `digest`."""
        list_id, start, shown = _parse(cursor)
        hits = await self._store.ranking(caller.principal, list_id, digest, self._clock())
        if not 0 < start < len(hits) or not 0 <= shown <= start:
            raise UnknownCursor
        return list_id, start, shown, [_ranked(hit) for hit in hits]

    async def keep_place(self, caller: Caller, digest: str, source_id: SourceId, state: Mapping[str, str | int]) -> str:
        """Store where a list continues, bound to the caller and to the question behind `digest`; return the cursor."""
        list_id = secrets.token_urlsafe(16)
        row = RankedHit(source_id, 0, ChunkId(0), 0.0, dict(state))
        await self._store.keep_ranking(caller.principal, list_id, digest, [row], self._clock())
        return list_id

    async def place(self, caller: Caller, digest: str, cursor: str) -> Mapping[str, Any]:
        """Where the list behind a cursor continues.

        Raises:
            UnknownCursor: it is malformed, expired, or of another caller or question.
        """
        rows = await self._store.ranking(caller.principal, cursor[:_MAX_CURSOR], digest, self._clock())
        if len(rows) != 1:
            raise UnknownCursor
        return rows[0].why


def cursor_of(list_id: str, start: int, shown: int) -> str:
    """The opaque cursor of a list's next page."""
    return f"{list_id}.{start}.{shown}"


def digest_of(request: SearchRequest) -> str:
    """A digest that is equal for the same question within the same limits, whatever the page size and presentation."""
    parts = [
        request.query,
        request.also,
        request.top_k,
        repr(request.scope),
        repr(request.filters),
        repr(request.read_context),
        request.max_per_doc,
        request.min_score,
        request.mode,
    ]
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _parse(cursor: str) -> tuple[str, int, int]:
    parts = cursor.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts[1:]):  # noqa: PLR2004
        raise UnknownCursor
    return parts[0], int(parts[1]), int(parts[2])


def _stored_why(candidate: RankedCandidate) -> dict[str, float | int | str | list[int] | None]:
    why = candidate.why
    return {
        "page": candidate.page_id,
        "same": list(candidate.same_text),
        "vector_rank": why.vector_rank,
        "bm25_rank": why.bm25_rank,
        "cosine": why.cosine,
        "bm25": why.bm25,
        "ub": why.bm25_upper_bound,
        "relevance": why.relevance,
        "rrf": why.rrf,
        "phrasing": why.phrasing,
        "score": candidate.score,
        **({} if why.link is None else {"link": json.dumps(why.link)}),
    }


def _ranked(hit: RankedHit) -> RankedCandidate:
    stored = hit.why
    numbers = {name: stored[name] for name in ("cosine", "bm25", "ub", "relevance", "rrf", "score")}
    floats = {name: float(value) if isinstance(value, int | float) else 0.0 for name, value in numbers.items()}
    same = stored["same"]
    page = stored["page"]
    vector_rank, bm25_rank = stored["vector_rank"], stored["bm25_rank"]
    phrasing = stored.get("phrasing")
    return RankedCandidate(
        chunk_id=hit.chunk_id,
        source_id=hit.source_id,
        page_id=page if isinstance(page, int) else 0,
        score=floats["score"],
        why=Why(
            vector_rank=vector_rank if isinstance(vector_rank, int) else None,
            bm25_rank=bm25_rank if isinstance(bm25_rank, int) else None,
            cosine=None if stored["cosine"] is None else floats["cosine"],
            bm25=floats["bm25"],
            bm25_upper_bound=floats["ub"],
            relevance=floats["relevance"],
            rrf=floats["rrf"],
            phrasing=phrasing if isinstance(phrasing, int) else 0,
            link=_link(stored.get("link")),
        ),
        same_text=tuple(same) if isinstance(same, list) else (),
    )


def _link(stored: object) -> Link | None:
    return Link(*json.loads(stored)) if isinstance(stored, str) else None
