"""Evidence: the verbatim quotes that answer a question, cut from what a search finds or from given passages."""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citemark.embedding.contract import Embedder
from citemark.evidence.budget import MOST_BYTES, EvidenceLimits, QuoteLimits, bytes_len
from citemark.evidence.cutting import WHOLE_BYTES, Filled
from citemark.evidence.filling import alternated, fill_by_words
from citemark.evidence.joined_questions import parts_asked
from citemark.evidence.members import asks_for_members, holds_list, members_left
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.readable import without_markup
from citemark.evidence.scoring import RERANKED, overlap, question_tokens, rank_all, rerank
from citemark.model.candidates import StoredChunk
from citemark.model.completeness import ALL_READ
from citemark.model.ids import PassageId
from citemark.model.scope import ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.stated_dates import moment_of
from citemark.model.text import Span
from citemark.retrieval.absence import Absence
from citemark.retrieval.model_loading import UNLOADABLE, not_loaded
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import (
    HitCollapser,
    Question,
    RankedCandidate,
    Ranking,
    VerifiedHit,
    VerifiedPage,
    phrasings_of,
    stage,
)
from citemark.retrieval.scale import QuestionScale
from citemark.services.empty import nothing_in_passages
from citemark.services.handles import Handles
from citemark.services.passage_handles import PassageService
from citemark.services.question_search import Found
from citemark.services.reading_order import broad_first, named_versions_first, quotable, still_relevant
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import Evidence, NotShown, Quote, ResponseMeta, cite, title_of
from citemark.services.search import SearchService, depth_for
from citemark.text.figures import Figure, agreement, figures, keys_of


def newer_first(hits: Iterable[VerifiedHit], question: str = "") -> list[VerifiedHit]:
    """Hits in their order, but of two about equally relevant ones with the same subject, the newer comes first.

    A later mail of a thread supersedes an earlier one, whatever else was found between them, unless the question names
    a date or number of the earlier one.
    """
    asked = figures(question)
    ordered: list[VerifiedHit] = []
    for hit in hits:
        superseded = (position for position, other in enumerate(ordered) if _replaces(hit, other, asked))
        position = next(superseded, len(ordered))
        ordered.insert(position, hit if position == len(ordered) else _as_relevant_as(ordered[position], hit))
    return ordered


def _as_relevant_as(superseded: VerifiedHit, hit: VerifiedHit) -> VerifiedHit:
    """A hit that counts as no less relevant than the one it supersedes, so that it is quoted where that would be."""
    own, other = hit.candidate.why, superseded.candidate.why
    why = replace(
        own,
        relevance=max(own.relevance, other.relevance),
        relevances=tuple(map(max, own.relevances, other.relevances)),
    )
    return replace(hit, candidate=replace(hit.candidate, why=why))


def _replaces(hit: VerifiedHit, other: VerifiedHit, asked: Sequence[Figure]) -> bool:
    new, old = hit.chunk, other.chunk
    if new.page_id == old.page_id or not old.dated or _subject(new.title) != _subject(old.title):
        return False
    ours, theirs = hit.candidate.why.relevance, other.candidate.why.relevance
    answers_too = theirs - ours < _AS_RELEVANT or (_in_one_thread(new, old) and ours >= _ANSWERS_TOO * theirs)
    if not (answers_too and moment_of(new.dated) > moment_of(old.dated)):
        return False
    return not asked or agreement(asked, _figures_of(new)) >= agreement(asked, _figures_of(old))


def _figures_of(chunk: StoredChunk) -> frozenset[str]:
    return keys_of(f"{chunk.title}\n{chunk.text}")


def _in_one_thread(new: StoredChunk, old: StoredChunk) -> bool:
    """Whether two documents with one subject are mails: a note may have the title of another one by chance."""
    mails = all(chunk.native_id.lower().endswith(_MAIL) for chunk in (new, old))
    return mails or any(_ANSWERS.match(chunk.title) for chunk in (new, old))


def _subject(title: str) -> str:
    """The subject of a mail without the prefixes of replies and forwards."""
    return _ANSWERS.sub("", title).strip().casefold()


@dataclass(frozen=True, slots=True)
class Nearness:
    """Computes the cosine of each text and its nearest phrasing."""

    phrasings: Sequence[str]
    embedder: Embedder

    def __call__(self, texts: Sequence[str], languages: Sequence[str] = ()) -> list[float]:
        """One number per text; on our scale if their languages are given and the model was shipped with references."""
        try:
            said, asked = self.embedder.embed_documents(texts), self.embedder.embed_queries(self.phrasings)
        except UNLOADABLE as error:
            raise not_loaded(error) from None
        cosines = said @ asked.T
        references = None if self.embedder.calibration is None else self.embedder.calibration.references
        if languages and references is not None:
            scale = QuestionScale(asked.tolist(), references)
            cosines = scale.of(cosines.T.astype(np.float64), np.array(languages, np.str_)).T
        return [float(value) for value in cosines.max(axis=1)]


def nearness(phrasings: Sequence[str], embedder: Embedder | None) -> Nearness | None:
    """What rates texts by their nearness to a question; None without a model."""
    return None if embedder is None else Nearness(phrasings, embedder)


async def show_whole_tables(
    pipeline: Pipeline, allowed: AllowedSources, hits: Sequence[VerifiedHit], collapser: HitCollapser
) -> None:
    """Replace hits that are rows of a table by the whole table if it is short enough to be quoted whole."""
    for table in await pipeline.tables(allowed, hits):
        if bytes_len(without_markup(table.chunk.text)) <= WHOLE_BYTES:
            collapser.widen(table)


def answering(ranking: Ranking) -> list[RankedCandidate]:
    """The candidates of a ranking, without those that share no word with the question and are less near than chance."""
    return [each for each in ranking.candidates if each.why.shares_words or each.why.near]


def in_turn(candidates: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Candidates ordered so that the phrasings take turns; unchanged if there is only one phrasing."""
    if not candidates or not candidates[0].why.relevances:
        return list(candidates)
    return [candidates[index] for index in alternated([each.why.relevances for each in candidates])]


def in_reading_order(ranking: Ranking, depth: int) -> list[RankedCandidate]:
    """The candidates of a ranking that may answer; among the first `depth` of all, the phrasings take turns.

    Of a question about a name that no document writes, the nearest candidates are kept, however far they are. What a
    question about time has put in order stays in it.
    """
    if ranking.in_time:
        return list(ranking.candidates)
    if ranking.absence.central:
        return in_turn(ranking.candidates)
    best, rest = (
        answering(replace(ranking, candidates=part))
        for part in (ranking.candidates[:depth], ranking.candidates[depth:])
    )
    return [*in_turn(best), *rest]


_NOW = ReadContext()

_MOST_PASSAGES = 20
"""The most passages to look for, on however few pages; 8,000 bytes hold ten long ones."""

_AS_RELEVANT = 0.02
"""A difference in relevance that means less than a date: one word more or less makes as much."""

_ANSWERS_TOO = 0.75
"""The share of the relevance of an earlier mail from which a later one of its thread answers as well.

Replies differ by that much in length and quotations, and the numbers of an index shift a little with every change."""

_MAIL = ".eml"

_ANSWERS = re.compile(r"^(?:\s*(?:re|fwd?|aw|wg|antw|tr|r\u00e9f?)\s*:)+", re.IGNORECASE)

_MOST_COUNTED = 2
"""Pages that are read whole to count what their lists have beyond the quotes."""

_LEAST_ROOM = 120
"""Bytes: with less room than a sentence or two takes, nothing more is read."""

_USUAL_BYTES = 400
"""The size of a usual passage; one call reads as many as fill the room that is left."""


@dataclass(frozen=True, slots=True)
class QuoteCandidate:
    """A passage that quotes may be cut from."""

    passage_id: PassageId
    chunk: StoredChunk
    source: Source


_MODE = "vector_only"
"""Quotes are chosen by what passages say; passages that are merely linked to an answer are for exploring (KB 6)."""


class EvidenceService:
    """Cuts quotes. Without an embedder, spans are ordered by their overlap with the question alone."""

    def __init__(
        self,
        search: SearchService,
        passages: PassageService,
        pipeline: Pipeline,
        handles: Handles,
        embedder: Callable[[], Embedder | None],
    ) -> None:
        """Store the collaborators.

        Args:
            search: finds hits for questions.
            passages: opens passages by handle.
            pipeline: resolves read contexts.
            handles: mints a handle for each passage that is quoted.
            embedder: the model that the weights of the spans were fitted with; it runs on this machine.
        """
        self._search = search
        self._passages = passages
        self._pipeline = pipeline
        self._handles = handles
        self._embedder = embedder

    @stage("evidence")
    async def retrieve(self, caller: Caller, request: SearchRequest, limits: EvidenceLimits | None = None) -> Evidence:
        """Search and quote the best passages of at most `top_k` documents, until it is said or `limits` are reached.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        limits = limits or EvidenceLimits()
        found = await self._found(caller, request, limits)
        if (most := found.ranking.absence.most_shown) is not None:
            limits = replace(limits, max_quotes=min(most, limits.max_quotes or most))
        context = found.ranking.read_context
        phrasings = phrasings_of(request.query, (*request.also, *parts_asked(request.query)))
        if limits.filled is None and asks_for_members(phrasings):
            limits = replace(limits, whole_lists=True)
        hits = await self._pipeline.dated(found.ranking.allowed, found.page.hits, phrasings)
        passages = quotable(hits, phrasings, in_time=found.ranking.in_time)
        filled = await asyncio.to_thread(
            fill_by_words, phrasings, passages, limits, nearness(phrasings, self._embedder())
        )
        if limits.whole_lists:
            filled = await self._counted(filled, hits)
        question_words = [question_tokens(phrasing) for phrasing in phrasings]
        offered = [(hits[quote.passage].chunk, quote.span) for quote in filled]
        handles = await self._handles.offer(caller, offered, context)
        quotes = [
            Quote(
                quote=quote.shown,
                passage_id=handle,
                section_id=hits[quote.passage].chunk.section_native_id,
                title=title_of(hits[quote.passage].chunk),
                word_share=overlap(question_words, quote.shown),
                citation=cite(hits[quote.passage].chunk, hits[quote.passage].source, context, quote.span),
                header=quote.header,
                cut="end" if quote.cut else None,
                also_in=hits[quote.passage].other_sections,
                side=passages[quote.passage].side,
                more=quote.more,
                occasion=hits[quote.passage].occasion,
            )
            for quote, handle in zip(filled, handles, strict=True)
        ]
        empty = None if quotes else await self._search.explain_empty(found)
        meta = found.meta(caller, empty=empty)
        return Evidence(tuple(quotes), meta, found.ranking.confidence)

    async def _counted(self, filled: Sequence[Filled], hits: Sequence[VerifiedHit]) -> list[Filled]:
        """Quotes with the number of members that the lists in them have on their whole pages beyond all quotes."""
        left = {number: quote.more for number, quote in enumerate(filled)}
        of_page: dict[tuple[int, int], list[int]] = {}
        for number, quote in enumerate(filled):
            chunk = hits[quote.passage].chunk
            if hits[quote.passage].vouched and holds_list(quote.shown):
                of_page.setdefault((int(chunk.source_id), int(chunk.revision_id)), []).append(number)
        for numbers in list(of_page.values())[:_MOST_COUNTED]:
            chunks = [hits[filled[number].passage].chunk for number in numbers]
            if (body := await self._pipeline.body(chunks[0])) is None:
                continue
            spans = [
                Span(filled[number].span.start + chunk.span.start, filled[number].span.end + chunk.span.start)
                for number, chunk in zip(numbers, chunks, strict=True)
            ]
            left.update(zip(numbers, await asyncio.to_thread(members_left, body, spans), strict=True))
        return [replace(quote, more=left[number]) for number, quote in enumerate(filled)]

    async def _found(self, caller: Caller, request: SearchRequest, limits: EvidenceLimits) -> Found:
        """The passages that fill the budget, in the order in which they fill it, read and verified.

        A passage that is a version of another, or overlaps one, is collapsed into it. The whole table replaces its
        rows where it is quoted whole.
        """
        wide = replace(request, cursor=None, top_k=_MOST_PASSAGES, max_per_doc=_MOST_PASSAGES, mode=_MODE)
        question, ranking = await self._ranked(caller, wide)
        waiting = in_reading_order(ranking, depth_for(_MOST_PASSAGES))
        phrasings = phrasings_of(request.query, request.also)
        ends_itself = limits.filled is None and not ranking.in_time
        if ends_itself:
            names = await self._pipeline.names(ranking.allowed, waiting)
            waiting = broad_first(waiting, phrasings, names, ranking.allowed)
        collapser = HitCollapser(phrasings, max_docs=request.top_k)
        pages: set[int] = set()
        withheld, denied, most = 0, 0, limits.max_bytes or MOST_BYTES
        room = most
        troubles: tuple[str, ...] = ()
        remembered = 0.0
        while waiting and room >= _LEAST_ROOM:
            size = 1 + room // _USUAL_BYTES
            page = await self._pipeline.page(
                caller.principal, ranking.allowed, waiting, start=0, size=size, collapser=collapser
            )
            withheld, denied = withheld + page.withheld, denied + page.denied
            troubles, remembered = page.troubles or troubles, max(remembered, page.remembered)
            if page.gave_up and not page.hits:
                break
            await show_whole_tables(self._pipeline, ranking.allowed, page.hits, collapser)
            pages |= {page_id for hit in page.hits for page_id in (hit.candidate.page_id, hit.chunk.page_id)}
            room = most - sum(min(hit.chunk.size_bytes, WHOLE_BYTES) for hit in collapser.hits)
            waiting = waiting[page.next_start or len(waiting) :]
            if ends_itself:
                waiting = still_relevant(waiting, collapser.hits)
            if collapser.full:
                waiting = [each for each in waiting if each.page_id in pages]
        hits = collapser.hits
        if not ranking.in_time:
            hits = named_versions_first(newer_first(hits, request.query), phrasings)
        page = VerifiedPage(tuple(hits), None, withheld, denied, troubles=troubles, remembered=remembered)
        return Found(question, ranking, ranking.candidates, page, request.arguments)

    async def _ranked(self, caller: Caller, request: SearchRequest) -> tuple[Question, Ranking]:
        """Rank a question; if it asks two things at once, also by what is near to each of them.

        How sure the result is, and what is absent, is said of the question as it was asked.
        """
        question, ranking = await self._search.ranked(caller, request)
        parts = parts_asked(request.query)
        if not parts or not ranking.candidates or ranking.in_time or ranking.absence.central:
            return question, ranking
        by_part = replace(request, also=(*request.also, *parts))
        _, joined = await self._search.ranked(caller, by_part)
        return question, replace(ranking, candidates=joined.candidates)

    async def extract(
        self,
        caller: Caller,
        question: str,
        passage_ids: Sequence[str],
        limits: QuoteLimits,
        *,
        scope: RequestScope,
        also: Sequence[str] = (),
        read_context: ReadContext = _NOW,
    ) -> Evidence:
        """The quotes from given passages that answer a question.

        Raises:
            UnknownPassage, ScopeViolation, BackendUnavailable.
        """
        opened = await self._passages.open(caller, list(dict.fromkeys(passage_ids)), scope)
        context = await self._passages.context_of(opened, read_context)
        candidates = [QuoteCandidate(entry.passage_id, entry.chunk, entry.source) for entry in opened]
        phrasings = phrasings_of(question, also)
        chance = await self._pipeline.chance()
        quotes = await asyncio.to_thread(self._cut, phrasings, candidates, limits, context, chance)
        empty = None if quotes else nothing_in_passages()
        names = await self._search.absent_names(caller, scope, phrasings) if context.read_at is None else ()
        reading = opened[0].allowed.reading if opened else ALL_READ
        notes = opened[0].notes if opened else ()
        not_shown = NotShown(empty=empty, absence=Absence(names))
        meta = ResponseMeta.of(caller, context, reading=reading, not_shown=not_shown, notes=notes)
        return Evidence(tuple(quotes), meta)

    def _cut(
        self,
        phrasings: Sequence[str],
        candidates: Sequence[QuoteCandidate],
        limits: QuoteLimits,
        context: ResolvedContext,
        chance: float | None,
    ) -> list[Quote]:
        """The best quotes over all passages, within the limits; runs in a thread, because embedding blocks."""
        texts = [entry.chunk.text for entry in candidates]
        ranked = rank_all(phrasings[0], texts, phrasings[1:])
        near = nearness(phrasings, self._embedder())
        head = [entry.piece.span.of(texts[entry.passage]) for entry in ranked[:RERANKED]]
        languages = [candidates[entry.passage].chunk.language for entry in ranked[:RERANKED]]
        cosines = near(head, languages) if near is not None and head else None
        return [
            Quote(
                quote=cut.text,
                passage_id=candidates[cut.passage].passage_id,
                section_id=candidates[cut.passage].chunk.section_native_id,
                title=title_of(candidates[cut.passage].chunk),
                word_share=cut.confidence,
                citation=cite(candidates[cut.passage].chunk, candidates[cut.passage].source, context, cut.span),
                cut=cut.cut,
            )
            for cut in choose_quotes(rerank(ranked, cosines, chance), texts, limits)
        ]
