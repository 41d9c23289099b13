"""Search for elements by meaning, or by names and words: the common pipeline, over the elements of some models."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from citemark.features.archimate.services.model_queries import digest_of
from citemark.features.archimate.services.requests import ElementSearch, Metadata
from citemark.features.archimate.services.responses import ElementHit, HitPage
from citemark.features.archimate.services.visible_models import ModelReader, OpenModels
from citemark.model.architecture import ELEMENT, PartFilter, StoredPart
from citemark.model.candidates import StoredChunk
from citemark.model.ids import RevisionId, SourceId
from citemark.model.scope import Filters
from citemark.model.text import Span
from citemark.retrieval.absence import NOTHING_ABSENT
from citemark.retrieval.question import Question, RankedCandidate, Ranking, VerifiedHit, Why, phrasings_of
from citemark.services.empty import no_part
from citemark.services.handles import Handles, cursor_of
from citemark.services.requests import Caller

_KNOTS = ((0.0, 0.0), (0.243, 0.5), (1.0, 1.0))
"""Pairs of (score of a passage, score of an element), rising so that the order is preserved; .243 is what .27 was
before the fit of ADR 43 (ADR 21)."""


def element_score(score: float) -> float:
    """The score shown for an element whose passage has a given score."""
    return _through(score, _KNOTS)


def passage_score(score: float) -> float:
    """The passage score of an element that is shown with `score`."""
    return _through(score, tuple((shown, scored) for scored, shown in _KNOTS))


def _through(value: float, knots: tuple[tuple[float, float], ...]) -> float:
    """The piecewise linear function through `knots` at `value`, limited to 0..1."""
    index = min(max(1, bisect_right(knots, (value, 1.0))), len(knots) - 1)
    (x0, y0), (x1, y1) = knots[index - 1], knots[index]
    return min(1.0, max(0.0, y0 + (y1 - y0) * (value - x0) / (x1 - x0)))


_RESERVE = 3
"""Candidates kept per wanted hit, so that hits withheld by their source can be replaced."""

_DEEPEST = 300
"""The most candidates kept: three times the hundred hits that a page may have."""

_BY_NAME = Why(None, None, None, 0.0, 0.0, 0.0, 0.0)


def filters_of(metadata: Metadata) -> Filters:
    """Filters for elements only, with these conditions on them."""
    return Filters(doc_types=(ELEMENT,), metadata=metadata)


class ElementSearchService:
    """Ranks, verifies and shows elements."""

    def __init__(self, reader: ModelReader, handles: Handles) -> None:
        self._reader = reader
        self._handles = handles

    async def page(self, caller: Caller, request: ElementSearch) -> HitPage:
        """One page of hits, without a cursor in its metadata: `cursor` mints one for as many hits as are shown.

        Raises:
            UnknownCursor: the cursor is not of this caller and question.
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        opened = await self._reader.read(caller, request.query_scope, metadata=request.metadata)
        shown, start = 0, 0
        ranking = None
        if request.cursor is None:
            ranking = await self._rank(opened, request)
            candidates = ranking.candidates
        else:
            _, start, shown, stored = await self._handles.candidates(caller, digest_of(request), request.cursor)
            candidates = tuple(stored)
        absence = NOTHING_ABSENT if ranking is None else ranking.absence
        size = min(request.page_size, request.top_k - shown, absence.most_shown or request.page_size)
        page = await self._reader.pipeline.page(caller.principal, opened.allowed, candidates, start=start, size=size)
        parts = await parts_of(opened, page.hits)
        elements = [(hit, part) for hit, part in zip(page.hits, parts, strict=True) if part is not None]
        passages = [(hit.chunk, Span(0, len(hit.chunk.text))) for hit, _ in elements]
        handles = await self._handles.offer(caller, passages, opened.context)
        phrasings = phrasings_of(request.query, request.also)
        hits = tuple(
            ElementHit(
                part=part,
                citation=opened.cite(hit.chunk),
                passage_id=handle,
                score=element_score(hit.candidate.score),
                context=context_of(hit.chunk),
                found_by=phrasings[hit.candidate.why.phrasing],
                also=tuple(
                    dict.fromkeys(chunk.native_id for chunk in hit.also_in if chunk.page_id != hit.chunk.page_id)
                ),
                by_name=hit.candidate.why == _BY_NAME,
            )
            for (hit, part), handle in zip(elements, handles, strict=True)
        )
        positions = {candidate.chunk_id: position for position, candidate in enumerate(candidates)}
        next_positions = tuple(positions[hit.candidate.chunk_id] + 1 for hit, _ in elements)
        empty = None
        if not hits and request.cursor is None and not request.query:
            empty = await opened.explain_absence(no_part("element", filtered=bool(request.metadata)), page.withheld)
        elif not hits and request.cursor is None:
            empty = await opened.explain_empty(phrasings, filters_of(opened.metadata), page.withheld, absence)
        notes = () if ranking is None else ranking.notes
        return HitPage(
            hits=hits,
            places=next_positions,
            shown=shown,
            ranking=candidates,
            more=page.next_start is not None and not absence.central,
            meta=opened.meta(withheld=page.withheld, notes=notes, empty=empty, absence=absence),
        )

    async def cursor(self, caller: Caller, request: ElementSearch, page: HitPage, kept: int) -> str | None:
        """The cursor for what follows the first `kept` hits of a page; None at the end of the list."""
        shown = page.shown + kept
        if not kept or shown >= request.top_k or page.places[kept - 1] >= len(page.ranking):
            return None
        if kept == len(page.hits) and not page.more:
            return None
        if request.cursor is None:
            list_id = await self._handles.keep_candidates(caller, digest_of(request), page.ranking)
        else:
            list_id = request.cursor.partition(".")[0]
        return cursor_of(list_id, page.places[kept - 1], shown)

    async def _rank(self, opened: OpenModels, request: ElementSearch) -> Ranking:
        depth = min(request.top_k * _RESERVE, _DEEPEST)
        if not request.query:
            named = await self._named(opened, "", depth)
            return Ranking(named, opened.allowed, opened.context, confidence=float(bool(named)))
        scope = opened.scope
        ranking = await self._reader.pipeline.rank(
            Question(
                principal=opened.caller.principal,
                query=request.query,
                also=request.also,
                scope=scope,
                filters=filters_of(opened.metadata),
                read_context=request.query_scope.read_context,
                depth=depth,
                min_score=passage_score(request.min_score),
                words_only=request.by_words,
                nearest=not request.by_words,
            )
        )
        if not request.by_words:
            return ranking
        first = await self._named(opened, request.query, depth)
        pages = {candidate.page_id for candidate in first}
        rest = [candidate for candidate in ranking.candidates if candidate.page_id not in pages]
        return replace(ranking, candidates=(*first, *rest)[:depth])

    async def _named(self, opened: OpenModels, words: str, depth: int) -> tuple[RankedCandidate, ...]:
        """The elements whose names hold some words, or all for no words, as far as the filters of the call go."""
        part_filter = PartFilter(metadata=opened.metadata)
        named = await self._reader.models.named(opened.allowed, opened.at, words, part_filter, limit=depth)
        return tuple(
            RankedCandidate(chunk_id=chunk_id, source_id=source_id, page_id=page_id, score=1.0, why=_BY_NAME)
            for source_id, page_id, chunk_id in named
        )


def context_of(chunk: StoredChunk) -> str:
    """The chunk as it was matched; a later part of a long text comes with the line that says what it is part of."""
    if chunk.title in chunk.text or not chunk.context:
        return chunk.text
    return f"{chunk.context}\n{chunk.text}"


async def parts_of(opened: OpenModels, hits: Sequence[VerifiedHit]) -> list[StoredPart | None]:
    """The element behind each hit; None if it is not found."""
    keys = [(SourceId(hit.chunk.source_id), RevisionId(hit.chunk.revision_id)) for hit in hits]
    found = await opened.reader.models.parts_of(opened.allowed, keys)
    return [found.get(key) for key in keys]
