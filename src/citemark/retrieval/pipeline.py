"""From a question to permitted, ranked passages: the one pipeline behind every entry point."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import structlog

from citemark.embedding.contract import Embedder, EmbeddingFailed
from citemark.model.accounts import DATED
from citemark.model.candidates import PageNames, StoredChunk
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.ids import ChunkId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import AllowedSources, Began
from citemark.model.stated_dates import Occasion
from citemark.model.text import NOT_TEXT
from citemark.model.vectors import Calibration, EmbeddingSet, Vector
from citemark.retrieval.absence import SURE, Absence
from citemark.retrieval.access import Access
from citemark.retrieval.asked_things import stands_in_longer_word, unmentioned_things
from citemark.retrieval.asked_values import lacking_value
from citemark.retrieval.calibration import CosineWeights, calibration_for, chance_of
from citemark.retrieval.graph_expansion import ExpansionContext, expanded
from citemark.retrieval.model_loading import UNLOADABLE, not_loaded
from citemark.retrieval.named_figures import by_figures
from citemark.retrieval.named_values import of_each_value
from citemark.retrieval.names import identifiers_in, is_ordinary, lower_words
from citemark.retrieval.newest import about_equal, newest_first
from citemark.retrieval.occasions import Occasions, days_first, in_time
from citemark.retrieval.ports import IndexReaders
from citemark.retrieval.question import (
    HitCollapser,
    Question,
    RankedCandidate,
    Ranking,
    VerifiedHit,
    VerifiedPage,
    next_positions,
    stage,
)
from citemark.retrieval.question_words import Words, compares
from citemark.retrieval.read_contexts import OpenedState, ReadContexts
from citemark.retrieval.reranking import Judge, judged
from citemark.retrieval.retrievers import (
    CALIBRATED,
    RETRIEVER_DEPTH,
    CandidateFinder,
    CandidatePool,
    DenseQuestion,
    Filtered,
    Fusion,
    collapse,
)
from citemark.retrieval.search_notices import SearchNotices
from citemark.retrieval.time_words import TimeWords, asks_for_newest
from citemark.retrieval.verification import AccessCheck
from citemark.retrieval.waiting_time import Deadline

_log = structlog.get_logger(__name__)

_DEEPEST = 1600
"""Candidates per retriever, after two fourfold extensions: anything beyond is far from the question."""

_SAME_TEXT_SHOWN = 10
"""Other occurrences of a text that are checked: a licence appears in thousands of files."""

_DATED_DEPTH = 60
"""Candidates looked for if a question speaks of time: the date that it asks for may be one of many of its series."""

_LEAST_REFILL = 4
"""Candidates read together once some were collapsed or withheld, then twice as many each time: one at a time, each
would cost all statements."""

_MOST_UNSHOWN = 10
"""Candidates of accounts that a page checks beyond those that it shows: each costs their server a request."""

NO_VECTORS = "no vectors yet: ranked by words alone"


@dataclass(frozen=True, slots=True)
class _FoundCandidates:
    """What ranking found, and the question's words as they were looked up.

    `lacking` is as in `Absence`, `unlooked` as in `CandidateRows`.
    """

    candidates: tuple[RankedCandidate, ...]
    words: Words
    confidence: float
    lacking: str = ""
    unlooked: frozenset[int] = frozenset()


_NOTHING_FOUND = _FoundCandidates((), Words(()), 0.0)

_NEAREST = 10
"""Candidates kept where nothing passes: two are shown, and some may be withheld by their source."""

_FIRST_DAY, _LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
"""The days between which a period lies that has no begin or no end."""

_LOOKED_AT = 3
"""The best candidates that are looked at for the one identifier that a question asks for."""

_READ_FOR_WORDS = 10
"""The best candidates in which words are looked for that stand alone nowhere: about a page of hits."""


@dataclass(frozen=True, slots=True)
class QuestionModels:
    """The models that read questions.

    Attributes:
        embedder_for: the model of an embedding set; None if the settings do not reach it.
        calibration: of the bundled model, for questions without a vector and for models that bring none.
        judge: reorders the best candidates; None for no reordering.
    """

    embedder_for: Callable[[EmbeddingSet], Embedder | None]
    calibration: Calibration
    judge: Judge | None = None


class Pipeline:
    """Ranks, then verifies. Stateless except for the access check's short memory."""

    def __init__(
        self,
        index: IndexReaders,
        models: QuestionModels,
        access: AccessCheck,
        occasions: Occasions,
        notices: SearchNotices,
        fusion: Fusion = CALIBRATED,
    ) -> None:
        self._sources = index.sources
        self._search = index.search
        self._vectors = index.vectors
        self._horizon = index.horizon
        self.contexts = ReadContexts(index.horizon, index.baselines)
        self.past = index.past
        self._models = models
        self._fusion = fusion
        self._occasions = occasions
        self._candidates = CandidateFinder(index.search, models.calibration, fusion)
        self._access = access
        self._notices = notices

    async def rank(self, question: Question) -> Ranking:
        """The best candidates above `min_score`, as many as the question asks for, before access is verified.

        If the question speaks of time ("next", "this week"), dated ones that are about as relevant as the best are in
        the order that it asks for. If it names days and nothing else, all that is dated in them comes first. If it asks
        for the latest of documents, the newest of about equally relevant ones come first. Where only days are wanted,
        what repeats on none of them is left out.

        Raises:
            InvalidArgument: a phrasing is not text, or the read context asks for a state this index does not keep.
        """
        ranking = await self._in_time(question)
        filters = question.filters
        if filters.dated_from is not None or filters.dated_to is not None:
            days = (filters.dated_from or _FIRST_DAY, filters.dated_to or _LAST_DAY)
            pages = list(dict.fromkeys(each.page_id for each in ranking.candidates))
            outside = await self._occasions.outside(self._search, ranking.allowed, pages, days)
            inside = (each for each in ranking.candidates if each.page_id not in outside)
            ranking = replace(ranking, candidates=tuple(inside))
        if ranking.in_time or not asks_for_newest(question.phrasings):
            return ranking
        alike = [each.chunk_id for each in about_equal(ranking.candidates)]
        dates = {number: chunk.dated for number, chunk in (await self._search.read(ranking.allowed, alike)).items()}
        return replace(ranking, candidates=tuple(newest_first(ranking.candidates, dates)), in_time=any(dates.values()))

    async def _in_time(self, question: Question) -> Ranking:
        """The ranking, with dated things in the order that words about time ask for."""
        words = self._occasions.words(question.phrasings)
        if not words:
            return await self._ranking(question)
        asked = replace(self._occasions.about(question), depth=max(question.depth, _DATED_DEPTH), needed=0)
        ranking = await self._ranking(asked)
        occasions = await self._found_occasions(ranking, words)
        ordered = in_time(ranking.candidates, occasions, words)
        filters = question.filters
        if words.days is not None and filters.dated_from is None and filters.dated_to is None:
            in_days = replace(filters, dated_from=words.days[0], dated_to=words.days[1])
            dated = await self._ranking(replace(asked, filters=in_days, min_score=0.0, nearest=False))
            occasions = await self._found_occasions(dated, words)
            stop_words = await self._search.stop_words(said := lower_words(asked.phrasings))
            listing = all(is_ordinary(word, stop_words) for word in said)
            ordered = days_first(ranking.candidates, dated.candidates, occasions, question.min_score, listing=listing)
        return replace(ranking, candidates=tuple(ordered), in_time=bool(occasions))

    async def _found_occasions(self, ranking: Ranking, words: TimeWords) -> dict[int, Occasion]:
        pages = list(dict.fromkeys(each.page_id for each in ranking.candidates))
        return await self._occasions.of(self._search, ranking.allowed, pages, words)

    async def dated(
        self, allowed: AllowedSources, hits: Sequence[VerifiedHit], phrasings: Sequence[str]
    ) -> tuple[VerifiedHit, ...]:
        """The hits, those of dated documents with the date that a question asks for, or else the next or last one."""
        pages = {int(hit.chunk.page_id) for hit in hits if hit.vouched and hit.chunk.doc_type in DATED}
        if not pages:
            return tuple(hits)
        found = await self.occasions(allowed, sorted(pages), phrasings)
        return tuple(
            replace(hit, occasion=found.get(int(hit.chunk.page_id))) if hit.chunk.page_id in pages else hit
            for hit in hits
        )

    async def occasions(
        self, allowed: AllowedSources, page_ids: Sequence[int], phrasings: Sequence[str]
    ) -> dict[int, Occasion]:
        """When dated pages are, by page id: the date that a question asks for, or else the next or the last one."""
        return await self._occasions.of(self._search, allowed, page_ids, self._occasions.words(phrasings))

    def today(self) -> str:
        """The day of the people who ask, with their zone, in words."""
        return self._occasions.reader().day

    @stage("rank")
    async def _ranking(self, question: Question) -> Ranking:
        """The best candidates in the order of their relevance.

        Raises:
            InvalidArgument: a phrasing is not text, or the read context asks for a state this index does not keep.
        """
        if any(map(NOT_TEXT.search, question.phrasings)):
            raise InvalidArgument("A question must be text without NUL characters and unpaired surrogates.")
        self._notices.searching()
        # The question is embedded in a thread while the database looks up its words.
        notes: list[str] = []
        embedding = asyncio.create_task(self._embed(question, notes))
        try:
            state = await self._state(question)
            allowed, finder = state.allowed, self._candidates
            if allowed.read_at is not None:
                index, allowed = await self.past.open(allowed, allowed.read_at)
                finder = CandidateFinder(index, self._models.calibration, self._fusion)
            filtered = await self._filtered(question, allowed)
            found, central = _NOTHING_FOUND, False
            if allowed.sources:
                found = await self._ranked(question, finder, allowed, embedding, filtered)
                if found.unlooked and allowed.read_at is None:
                    # More was recorded meanwhile than was looked at: begin once more, and then say what is missing.
                    state = await self._state(question)
                    filtered = await self._filtered(question, state.allowed)
                    found = await self._ranked(question, finder, state.allowed, embedding, filtered)
                    allowed = state.allowed.changing(found.unlooked)
                central = bool(found.words.in_all) or (bool(found.words.unknown) and not found.candidates)
                if question.nearest and central and not found.candidates:
                    nearest = replace(question, min_score=0.0, depth=_NEAREST, needed=0, most=0, graph=False)
                    near = await self._ranked(nearest, finder, allowed, embedding, filtered)
                    found = replace(found, candidates=near.candidates)
                if self._models.judge is not None:
                    best = await judged(self._models.judge, self._search, question.query, allowed, found.candidates)
                    found = replace(found, candidates=tuple(best))
            await embedding
        finally:
            embedding.cancel()
        if allowed.read_at is not None:
            await self._require_unchanged(question, state)
        notes += state.notes
        absent = await self._absent_words(allowed, found)
        absence = Absence(
            names=found.words.in_all or found.words.unknown if central else found.words.unknown,
            central=central,
            words=absent,
            confidence=found.confidence,
            phrasings=len(question.phrasings),
            exact=await self._is_exact(question, allowed, found),
            by_words=question.words_only,
            lacking=found.lacking,
            things=unmentioned_things(question.phrasings, absent, state.allowed.chunks),
            rated=True,
        )
        return Ranking(found.candidates, allowed, state.context, tuple(notes), found.confidence, absence)

    async def absent_names(
        self, principal: Principal, scope: RequestScope, phrasings: Sequence[str]
    ) -> tuple[str, ...]:
        """The names in these phrasings that no document of the allowed sources writes now."""
        allowed = await self._sources.allowed(principal, scope)
        return (await self._candidates.words(allowed, phrasings)).unknown if allowed.sources else ()

    async def _is_exact(self, question: Question, allowed: AllowedSources, found: _FoundCandidates) -> bool:
        """Whether one of the best candidates contains the only identifier that the question asks for."""
        identifiers = identifiers_in(question.query)
        if found.confidence >= SURE or len(identifiers) != 1 or identifiers & {*found.words.unknown}:
            return False
        (identifier,) = identifiers
        best = [each.chunk_id for each in found.candidates[:_LOOKED_AT]]
        whole = re.compile(rf"(?<!\w){re.escape(identifier)}(?!\w)", re.IGNORECASE)
        return any(whole.search(chunk.text) for chunk in (await self._search.read(allowed, best)).values())

    async def _absent_words(self, allowed: AllowedSources, found: _FoundCandidates) -> tuple[str, ...]:
        """The words that occur nowhere, but for those that stand in a longer word of the best candidates."""
        best = [each.chunk_id for each in found.candidates[:_READ_FOR_WORDS]]
        if not found.words.absent or not best:
            return found.words.absent
        chunks = await self._search.read(allowed, best)
        texts = [f"{chunk.title}\n{chunk.context}\n{chunk.text}" for chunk in chunks.values()]
        return tuple(word for word in found.words.absent if not stands_in_longer_word(word, texts))

    async def _filtered(self, question: Question, allowed: AllowedSources) -> Filtered | None:
        """The pages that pass the filters of a question; None without filters."""
        if not allowed.sources or question.filters.empty:
            return None
        return Filtered(*await self._search.pages(allowed, question.filters))

    async def _state(self, question: Question) -> OpenedState:
        """The state of a question's sources that is to be read.

        The horizon comes first: what was recorded up to it is then in the sources' state of reading, and in every list.
        """
        ended = self._search.ended
        horizon = await self._horizon.now()
        allowed = await self._sources.allowed(question.principal, question.scope)
        state = await self.contexts.open(question.read_context, allowed, horizon)
        if state.allowed.read_at is not None:
            return state
        return replace(state, allowed=replace(state.allowed, began=Began(horizon, ended)))

    async def _require_unchanged(self, question: Question, state: OpenedState) -> None:
        """Make sure that no part of a past state was removed while it was being read.

        Raises:
            InvalidArgument: the state can no longer be read.
            BackendUnavailable: one of its sources no longer can; asked again, the answer leaves it out and says so.
        """
        again = await self._state(question)
        if again.allowed.ids != state.allowed.ids:
            raise _state_changed()

    async def _ranked(
        self,
        question: Question,
        finder: CandidateFinder,
        allowed: AllowedSources,
        embedding: "asyncio.Task[DenseQuestion | None]",
        filtered: Filtered | None,
    ) -> "_FoundCandidates":
        """Deepen the retrieval until enough candidates remain or there are no more."""
        depth = RETRIEVER_DEPTH
        unlooked = frozenset[int]()
        words: Words | None = None
        dense: DenseQuestion | None = None

        while True:
            first = words is None
            # The words are looked up while the question is still being embedded.
            words = words or await finder.words(allowed, question.phrasings)
            sparse = await finder.sparse_hits(words, depth, filtered)
            if first:
                dense = await embedding
                if dense is not None and words.nameless:
                    added = await self._embed_nameless(dense, words)
                    dense = dense.of([*dense.vectors, *added.vectors])
            found = await finder.found(allowed, dense, words, sparse, depth, filtered)
            unlooked |= found.unlooked
            pool = await finder.pool(dense, words, found, depth, question.min_score)
            if question.graph and not self._fusion.rrf_only:
                context = ExpansionContext(finder, allowed, self._access, question.principal)
                pages = None if filtered is None else frozenset(filtered.pages)
                pool = await expanded(pool, context, dense, words, pages=pages, min_score=question.min_score)
            unfinished = {number for number in pool.phrasings if not _reaches(question, pool, number, depth)}
            if not unfinished or depth >= _DEEPEST:
                break
            if not unfinished & finder.leaves_out(allowed, pool, dense, words, depth, question.min_score):
                break
            depth *= 4
        placed = await by_figures(self._search, allowed, question.query, pool.candidates)
        candidates = placed.candidates
        if compares(question.query):
            names = await self._search.names(allowed, list({each.page_id for each in candidates}))
            candidates = of_each_value(question.query, candidates, names)
        most = max(question.depth, question.most) * len(question.phrasings)
        kept = collapse(candidates, max_per_doc=question.max_per_doc, depth=most)
        lacking = placed.lacking or await lacking_value(self._search, allowed, question.query, [*kept], words.unknown)
        return _FoundCandidates(tuple(pool.ranked(kept)), words, pool.confidence, lacking, unlooked)

    async def page(
        self,
        principal: Principal,
        allowed: AllowedSources,
        candidates: Sequence[RankedCandidate],
        *,
        start: int,
        size: int,
        end: int | None = None,
        collapser: HitCollapser | None = None,
    ) -> VerifiedPage:
        """Verify candidates from `start` on until `size` hits are found; gaps are filled with candidates before `end`.

        One deadline covers the refills too: a source that does not answer costs its deadline once. With `collapser`,
        which may hold the hits of earlier pages, candidates that it collapses into another hit do not count, and a
        newer version of a hit's page represents it even if it only comes later.

        Raises:
            BackendUnavailable: part of a past state has been removed since the candidates were ranked.
        """
        deadline = self._access.deadline()
        hits: list[VerifiedHit] = [] if collapser is None else collapser.hits
        before = len(hits)
        withheld, denied = 0, 0
        position = start
        least = 1
        page = candidates[:end]
        found_in = {candidate.source_id for candidate in page}
        remote = {
            source.source_id
            for source in allowed.sources
            if source.source_id in found_in and self._access.is_remote(source)
        }
        asked = 0
        while position < len(page) and len(hits) - before < size and asked < size + _MOST_UNSHOWN:
            room = min(max(size - (len(hits) - before), least), size + _MOST_UNSHOWN - asked)
            batch, position = next_positions(page, position, room, collapser)
            if not batch:
                break
            asked += sum(candidates[at].source_id in remote for at in batch)
            found = await self._verify(principal, allowed, [candidates[at] for at in batch], deadline, collapser)
            for at, hit in zip(batch, found, strict=True):
                if hit is Access.WITHHELD:
                    withheld += 1
                elif hit is Access.DROPPED:
                    denied += 1
                elif isinstance(hit, VerifiedHit):
                    if collapser is None:
                        hits.append(hit)
                    else:
                        collapser.add(hit)
                if len(hits) - before == size:
                    position = at + 1
                    break
            least = max(_LEAST_REFILL, 2 * least)
        if collapser is not None:
            await self._show_newest(principal, allowed, hits[before:], candidates[position:], collapser, deadline)
        return VerifiedPage(
            hits=tuple(hits[before:]),
            next_start=position if position < len(candidates) else None,
            withheld=withheld,
            denied=denied,
            gave_up=asked >= size + _MOST_UNSHOWN,
            troubles=self._access.notes(allowed, deadline) if withheld else (),
            remembered=deadline.remembered,
        )

    async def _show_newest(
        self,
        principal: Principal,
        allowed: AllowedSources,
        hits: Sequence[VerifiedHit],
        rest: Sequence[RankedCandidate],
        collapser: HitCollapser,
        deadline: Deadline,
    ) -> None:
        """Let the newest versions of the hits' pages represent them if they come later in the list."""
        shown = collapser.versions_of(hits)
        names = await self._search.names(allowed, list({each.page_id for each in rest})) if shown and rest else {}
        newer = collapser.newer(shown, rest, names)
        for hit in await self._verify(principal, allowed, newer, deadline, collapser) if newer else ():
            if isinstance(hit, VerifiedHit):
                collapser.merge(hit)

    @stage("verify")
    async def _verify(
        self,
        principal: Principal,
        allowed: AllowedSources,
        batch: Sequence[RankedCandidate],
        deadline: Deadline,
        collapser: HitCollapser | None,
    ) -> list[VerifiedHit | Access]:
        """What may be shown of each candidate, in order, or why nothing may."""
        wanted = [number for entry in batch for number in (entry.chunk_id, *entry.same_text[:_SAME_TEXT_SHOWN])]
        chunks = await self._search.read(allowed, wanted)
        if allowed.read_at is not None and any(entry.chunk_id not in chunks for entry in batch):
            raise _state_changed()
        living = [chunk for chunk in chunks.values() if chunk.head or allowed.read_at is not None]
        access = await self._access.check(principal, allowed, living, deadline=deadline)
        found: list[VerifiedHit | Access] = []
        for entry in batch:
            group = [chunks[number] for number in (entry.chunk_id, *entry.same_text) if number in chunks]
            verdicts = {chunk.chunk_id: access.get(chunk.chunk_id, Access.WITHHELD) for chunk in group}
            shown = [verdicts[chunk.chunk_id].vouched(chunk) for chunk in group if verdicts[chunk.chunk_id].shown]
            if collapser is not None:
                shown.sort(key=collapser.standing, reverse=True)  # a stable sort, so the best of equals stays first
            source = allowed.source(shown[0].source_id) if shown else None
            if source is not None:
                vouched = access[shown[0].chunk_id] is Access.SHOWN
                found.append(VerifiedHit(entry, shown[0], source, tuple(shown[1:]), vouched=vouched))
            else:
                # What ended since it was ranked may stand elsewhere now, where this question has not looked.
                ended = allowed.read_at is None and not any(chunk.head for chunk in group)
                withheld = ended or any(access.get(chunk.chunk_id) is Access.WITHHELD for chunk in group)
                found.append(Access.WITHHELD if withheld else Access.DROPPED)
        return found

    async def with_confirmed_links(
        self, principal: Principal, allowed: AllowedSources, hits: Sequence[VerifiedHit]
    ) -> tuple[VerifiedHit, ...]:
        """The hits, without links to passages that may not be shown any more."""
        linked = {hit.candidate.why.link.chunk_id for hit in hits if hit.candidate.why.link is not None}
        chunks = await self._search.read(allowed, list(linked)) if linked else {}
        access = await self._access.check(principal, allowed, list(chunks.values()))
        shown = {number for number in chunks if access[number].shown}
        return tuple(hit.with_link_among(shown) for hit in hits)

    async def names(self, allowed: AllowedSources, candidates: Sequence[RankedCandidate]) -> dict[int, PageNames]:
        """The names of the candidates' pages, by page id."""
        pages = list({each.page_id for each in candidates})
        return await self._search.names(allowed, pages) if pages else {}

    async def body(self, chunk: StoredChunk) -> str | None:
        """The whole text of the revision that a chunk is of, or None once it has been purged."""
        return await self._search.body(chunk.source_id, chunk.revision_id)

    async def tables(self, allowed: AllowedSources, hits: Sequence[VerifiedHit]) -> list[VerifiedHit]:
        """The tables of those hits that are rows, each as a hit in place of its row."""
        rows = {hit.chunk.chunk_id: hit for hit in hits if hit.vouched and hit.chunk.is_row}
        if not rows:
            return []
        found = await self._search.holding(allowed, [hit.chunk for hit in rows.values()])
        return [replace(rows[ChunkId(number)], chunk=chunk) for number, chunk in found.items()]

    def deadline(self) -> Deadline:
        """A deadline for checks that begin now; afterwards it tells the age of their oldest verdict."""
        return self._access.deadline()

    async def access(
        self,
        principal: Principal,
        allowed: AllowedSources,
        chunks: Sequence[StoredChunk],
        deadline: Deadline | None = None,
    ) -> Mapping[int, Access]:
        """What may happen to each chunk, by id: for passages that are read by handle. Without a deadline, a new one."""
        return await self._access.check(principal, allowed, chunks, deadline=deadline)

    def stop(self) -> None:
        """Stop asking sources whose verdicts came too late for their question."""
        self._access.stop()

    async def chance(self) -> float | None:
        """The cosine that one pair in a hundred of unrelated texts reaches, as in `chance_of`."""
        active = await self._vectors.active_cached()
        embedder = None if active is None else self._models.embedder_for(active)
        return None if active is None or embedder is None else chance_of(active.random_pairs, embedder.calibration)

    async def _embed_nameless(self, dense: DenseQuestion, words: Words) -> DenseQuestion:
        """The vectors of the phrasings without their unknown names, or those with them if the model fails just now."""
        active = await self._vectors.active_cached()
        embedder = None if active is None or active.set_id != dense.set_id else self._models.embedder_for(active)
        if embedder is None:
            return dense.of(_named_phrasings(words, dense.vectors))
        try:
            return dense.of((await asyncio.to_thread(embedder.embed_queries, words.nameless)).tolist())
        except EmbeddingFailed as error:
            _log.warning("question_not_embedded", model=dense.set_id, reason=error.summary, action="search")
            return dense.of(_named_phrasings(words, dense.vectors))

    @stage("embed")
    async def _embed(self, question: Question, notes: list[str]) -> DenseQuestion | None:
        """The question's vectors in the active set, or None; if they are wanted but unavailable, a note says why."""
        if question.words_only:
            return None
        active = await self._vectors.active_cached()
        if active is None:
            notes.append(NO_VECTORS)
            return None
        embedder = self._models.embedder_for(active)
        if embedder is None:
            notes.append(f"the settings do not reach {active.model}, which made the vectors: ranked by words alone")
            return None
        try:
            vectors, languages = await asyncio.to_thread(
                lambda: (embedder.embed_queries(question.phrasings), embedder.identity.languages)
            )
        except UNLOADABLE as error:
            raise not_loaded(error) from None
        except EmbeddingFailed as error:
            _log.warning("question_not_embedded", model=active.model, reason=error.summary, action="search")
            notes.append(f"{active.model} gave no vector for the question ({error.summary}): ranked by words alone")
            return None
        if vectors.shape[1] != active.dimensions:
            notes.append(f"{active.model} answers with other vectors than those of the index: ranked by words alone")
            return None
        calibration = embedder.calibration or calibration_for(active.random_pairs, self._models.calibration)
        chance = chance_of(active.random_pairs, embedder.calibration)
        return DenseQuestion(active.set_id, vectors.tolist(), calibration, CosineWeights(languages), chance)


def _named_phrasings(words: Words, vectors: Sequence[Vector]) -> list[Vector]:
    """For each phrasing without its unknown names, the vector of the phrasing with them."""
    return [vectors[origin] for origin in words.origins[-len(words.nameless) :]]


def _reaches(question: Question, pool: CandidatePool, phrasing: int, depth: int) -> bool:
    """Whether the lists of one phrasing go as far as if it were asked alone: then further ones take no hit away."""
    passing = [each for each in pool.candidates if each.score_under(phrasing) >= question.min_score]
    kept = collapse(passing, max_per_doc=question.max_per_doc, depth=max(question.depth, question.most))
    all_answer = pool.found_under(phrasing) <= {each.chunk_id for each in passing}
    wanted = question.depth if all_answer else question.needed or question.depth
    # If fewer passages answer than are wanted, and fewer than a list holds, the lists already go beyond them.
    return len(kept) >= wanted or len(passing) < min(wanted, depth)


def _state_changed() -> BackendUnavailable:
    """The error that is raised instead of an answer that lacks a part of a past state."""
    return BackendUnavailable("What is kept of this state changed while it was read; ask again.")
