"""Golden questions about architecture models, asked as an agent asks them: through the search for elements."""

from collections.abc import Sequence
from time import perf_counter

from citemark.evaluation.answers import stands_in
from citemark.evaluation.golden import Expected, GoldenQuestion
from citemark.evaluation.metrics import folded, ndcg, recall, reciprocal_rank
from citemark.evaluation.outcome import NO_HIT, Found, GoldenRow
from citemark.evaluation.ranking import DEPTH
from citemark.evidence.architecture.requests import ElementSearch, QueryScope
from citemark.evidence.architecture.results import ElementHit
from citemark.evidence.budget import json_bytes
from citemark.evidence.requests import Caller
from citemark.evidence.tokens import bytes_len
from citemark.model.architecture import ARCHIMATE, ELEMENT
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.app_context import AppContext

SHOWN = 5


class ModelRun:
    """One caller over the models of one index."""

    def __init__(self, app: AppContext, sources: Sequence[Source]) -> None:
        """Find the models.

        Raises:
            InvalidArgument: there are none.
        """
        if not any(source.kind == ARCHIMATE for source in sources):
            raise InvalidArgument("The questions are about elements, and the index holds no architecture model.")
        self._query_scope = QueryScope()
        self._app = app
        self._source_ids = {source.name: source.source_id for source in sources}
        self._caller = Caller.local()

    async def ask(self, question: GoldenQuestion) -> GoldenRow:
        """One question: an element counts as shown that is a hit, or that the text of a hit names."""
        began = perf_counter()
        hits = await self._hits(ElementSearch(self._query_scope, question.question, top_k=SHOWN, page_size=SHOWN))
        took = (perf_counter() - began) * 1000
        whole = await self._hits(
            ElementSearch(self._query_scope, question.question, top_k=DEPTH, page_size=DEPTH, min_score=0.0)
        )
        texts = [hit.context for hit in hits]
        expected = tuple(dict.fromkeys(entry.path for entry in question.expected))
        found = [[number for number in _ids(hit) if number in expected] for hit in whole]
        ranking, grades = folded(found, expected)
        covered = [number for number in expected if any(number in numbers for numbers in found)]
        return GoldenRow(
            question_id=question.question_id,
            question=question.question,
            kind=question.kind,
            answerable=question.answerable,
            abstained=not hits,
            document_hit=question.answerable
            and all(any(_is_shown(entry, hits, texts) for entry in group) for group in question.groups),
            evidence_hit=question.answerable and any(stands_in(entry.answer, texts) for entry in question.expected),
            rank=next((rank for rank, label in enumerate(ranking, start=1) if label in grades), None),
            reciprocal_rank=reciprocal_rank(ranking, grades),
            ndcg_at_10=ndcg(ranking, grades, 10),
            recall_at_100=recall(covered, dict.fromkeys(expected, 1), len(expected)) if expected else 0.0,
            top_score=whole[0].score if whole else NO_HIT,
            evidence_bytes=json_bytes({"contexts": texts}),
            section_bytes=await self._whole_bytes(hits),
            milliseconds=took,
            expected=expected,
            shown=tuple(Found(hit.part.native_id, hit.part.name, hit.score) for hit in hits),
            quotes=tuple(texts),
        )

    async def _hits(self, request: ElementSearch) -> Sequence[ElementHit]:
        page = await self._app.desk.architecture.searching.page(self._caller, request)
        return page.hits

    async def _whole_bytes(self, hits: Sequence[ElementHit]) -> int:
        """What the full texts of the hits would weigh."""
        total = 0
        for hit in hits:
            source_id = SourceId(self._source_ids[hit.citation.source])
            stored = await self._app.stores.documents.find(source_id, hit.part.native_id, ELEMENT)
            total += bytes_len(hit.context if stored is None else stored.body)
        return total


def _ids(hit: ElementHit) -> tuple[str, ...]:
    return hit.part.native_id, *hit.also


def _is_shown(entry: Expected, hits: Sequence[ElementHit], texts: Sequence[str]) -> bool:
    return any(entry.path in _ids(hit) for hit in hits) or stands_in(entry.element or "", texts)
