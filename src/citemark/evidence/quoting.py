"""From opened passages to quotes, with the embedding of spans as a second opinion."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citemark.embedding.contract import Embedder
from citemark.evidence.citing import cite, title_of
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.requests import QuoteLimits
from citemark.evidence.results import Quote
from citemark.evidence.scoring import RERANKED, rank_all, rerank
from citemark.model.candidates import StoredChunk
from citemark.model.ids import PassageId
from citemark.model.scope import ResolvedContext
from citemark.model.sources import Source


@dataclass(frozen=True, slots=True)
class Material:
    """A passage that quotes may be cut from; `relevance` is what it was ranked by, None when read by handle."""

    passage_id: PassageId
    chunk: StoredChunk
    source: Source
    relevance: float | None = None


class Quoting:
    """Cuts quotes. Without an embedder the overlap alone orders the spans."""

    def __init__(self, embedder: Callable[[], Embedder | None]) -> None:
        self.embedder = embedder

    async def quotes(
        self, question: str, material: Sequence[Material], limits: QuoteLimits, context: ResolvedContext
    ) -> list[Quote]:
        """The best quotes over all passages, within the limits."""
        return await asyncio.to_thread(self._cut, question, material, limits, context)

    def _cut(
        self, question: str, material: Sequence[Material], limits: QuoteLimits, context: ResolvedContext
    ) -> list[Quote]:
        texts = [entry.chunk.text for entry in material]
        ranked = rank_all(question, texts)
        embedder = self.embedder()
        cosines = None
        if embedder is not None and ranked:
            asked = embedder.embed_query(question)
            head = [entry.piece.span.of(texts[entry.passage]) for entry in ranked[:RERANKED]]
            cosines = [float(value) for value in embedder.embed_documents(head) @ asked]
        known = [entry.relevance for entry in material if entry.relevance is not None]
        ranked = rerank(ranked, cosines, known if len(known) == len(material) else None)
        return [
            Quote(
                quote=cut.text,
                passage_id=material[cut.passage].passage_id,
                section_id=material[cut.passage].chunk.section_native_id,
                title=title_of(material[cut.passage].chunk),
                confidence=cut.confidence,
                citation=cite(material[cut.passage].chunk, material[cut.passage].source, context, cut.span),
            )
            for cut in choose_quotes(ranked, texts, limits)
        ]
