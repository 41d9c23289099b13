"""Whole rankings and whole documents, for measurements: also below the threshold, and without asking the sources."""

from collections.abc import Sequence

from citemark.model.candidates import StoredChunk, StoredDocument
from citemark.model.ids import SourceId
from citemark.model.sources import AllowedSources
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import Question, Ranking
from citemark.store.documents import DocumentStore


class FullRanking:
    """Ranks as search does, and reads what it ranked."""

    def __init__(self, pipeline: Pipeline, search: SearchIndex, documents: DocumentStore) -> None:
        self._pipeline = pipeline
        self._search = search
        self._documents = documents

    async def rank(self, question: Question) -> Ranking:
        """The candidates of a question, best first."""
        return await self._pipeline.rank(question)

    async def chunks(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, by id."""
        return await self._search.read(allowed, chunk_ids)

    async def document(self, source_id: SourceId, native_id: str, doc_type: str | None = None) -> StoredDocument | None:
        """A document as it is indexed now; None if there is no such document."""
        return await self._documents.find(source_id, native_id, doc_type)
