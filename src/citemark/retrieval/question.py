"""The questions that the pipeline takes, and the rankings and pages that it returns."""

from collections import Counter
from collections.abc import Awaitable, Callable, Container, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from math import ceil, inf
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

from opentelemetry import trace

from citemark.model.candidates import PageNames, StoredChunk
from citemark.model.scope import Filters, Principal, ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.stated_dates import Occasion
from citemark.retrieval.absence import NOTHING_ABSENT, Absence
from citemark.text.versions import PassageWords, Standing, VersionOrder, is_versioned, unversioned

Origin = Literal["hybrid", "vector", "bm25", "graph_expanded"]


def phrasings_of(question: str, also: Sequence[str]) -> tuple[str, ...]:
    """A question and its further phrasings, each once; `Why.phrasing` counts them from 0."""
    return tuple(dict.fromkeys((question, *also)))


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its scope, its filters and how far the ranked list must reach.

    `depth`: how many candidates are looked for. `needed`: how many suffice once passages below `min_score` are among
    those found (0: all). `most`: how many are kept if more than `depth` were scored anyway.
    `also`: further phrasings; a passage is as relevant as it is under the best of them all. `words_only`: full-text
    search alone, without vectors. `graph`: passages linked to the best ones move up with them. `nearest`: where nothing
    reaches `min_score` beside a name that no document writes, the nearest candidates are returned all the same.
    """

    principal: Principal
    query: str
    scope: RequestScope = field(default_factory=RequestScope)
    filters: Filters = field(default_factory=Filters)
    read_context: ReadContext = field(default_factory=ReadContext)
    depth: int = 20
    needed: int = 0
    most: int = 0
    max_per_doc: int = 1
    min_score: float = 0.0
    words_only: bool = False
    also: tuple[str, ...] = ()
    graph: bool = False
    nearest: bool = False

    @property
    def phrasings(self) -> tuple[str, ...]:
        """The question and its further phrasings, each once."""
        return phrasings_of(self.query, self.also)


class Link(NamedTuple):
    """How a passage is linked to a better one: by an edge that leads from the better one (`outgoing`) or to it."""

    chunk_id: int
    title: str
    type: str
    outgoing: bool

    def __str__(self) -> str:
        """The edge, in its own direction; "this" is the passage that the link belongs to."""
        return f"{self.title} -{self.type}-> this" if self.outgoing else f"this -{self.type}-> {self.title}"


@dataclass(frozen=True, slots=True)
class Why:
    """How a chunk got its rank: its 1-based rank per retriever (None: not found by it) and the parts of its score.

    Ranks are the best over the phrasings; the parts are those under the one it is most relevant to (`phrasing`, from 0:
    the question itself). `relevances` has its relevance under each of several phrasings and is empty for a single one.
    `shares_words`: whether it contains a word of any phrasing. `near`: whether its cosine is at least what one pair in
    a hundred of unrelated texts reaches, where both are known. `link`: what moved it up along the graph.
    """

    vector_rank: int | None
    bm25_rank: int | None
    cosine: float | None
    bm25: float
    bm25_upper_bound: float
    relevance: float
    rrf: float
    phrasing: int = 0
    relevances: tuple[float, ...] = ()
    shares_words: bool = True
    link: Link | None = None
    near: bool = True

    @property
    def origin(self) -> Origin:
        """Which retriever found it."""
        if self.vector_rank is None:
            return "graph_expanded" if self.bm25_rank is None else "bm25"
        return "vector" if self.bm25_rank is None else "hybrid"


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """One entry of a ranking: a chunk, and the chunks with exactly the same text (best first)."""

    chunk_id: int
    source_id: int
    page_id: int
    score: float
    why: Why
    same_text: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """A question's candidates in order, before access is verified; `confidence` in [0, 1] that any of them answers.

    `in_time` means that the order is one of time, which nothing may change.
    """

    candidates: tuple[RankedCandidate, ...]
    allowed: AllowedSources
    read_context: ResolvedContext
    notes: tuple[str, ...] = ()
    confidence: float = 0.0
    absence: Absence = NOTHING_ABSENT
    in_time: bool = False


@dataclass(frozen=True, slots=True)
class VerifiedHit:
    """A candidate whose chunk the caller may open right now; `vouched` is False if its document changed around it.

    `occasion`: when its document is, if that has dates and they were asked for.
    """

    candidate: RankedCandidate
    chunk: StoredChunk
    source: Source
    also_in: tuple[StoredChunk, ...] = ()
    vouched: bool = True
    occasion: Occasion | None = None

    def with_link_among(self, chunk_ids: Container[int]) -> "VerifiedHit":
        """The hit, without its link if that leads to none of these chunks."""
        why = self.candidate.why
        if why.link is None or why.link.chunk_id in chunk_ids:
            return self
        return replace(self, candidate=replace(self.candidate, why=replace(why, link=None)))

    @property
    def chunks(self) -> tuple[StoredChunk, ...]:
        """The chunk that is shown and those that say the same."""
        return (self.chunk, *self.also_in)

    @property
    def other_sections(self) -> tuple[str, ...]:
        """The sections of other pages that contain the same text."""
        others = (chunk.section_native_id for chunk in self.also_in if chunk.page_id != self.chunk.page_id)
        return tuple(dict.fromkeys(others))


VersionedPage = tuple[int, str]
"""A source, and the path of a page without the parts that name its version."""

_MOST_NEWER = 20
"""The most candidates that are looked at for newer versions: five versions with four passages each."""


def next_positions(
    candidates: Sequence[RankedCandidate], start: int, most: int, collapser: "HitCollapser | None"
) -> tuple[list[int], int]:
    """The positions of the next `most` candidates whose pages have room, from `start` on, and where the rest begins."""
    batch: list[int] = []
    position = start
    while position < len(candidates) and len(batch) < most:
        if collapser is None or collapser.has_room(candidates[position].page_id):
            batch.append(position)
        position += 1
    return batch, position


class HitCollapser:
    """Collects hits as they come, best first, and keeps those that say something the earlier ones do not.

    A passage that repeats an earlier hit, word for word or as another version of its page, is listed in that hit's
    `also_in`; the version that a reader wants represents them all.
    A passage that overlaps an earlier one, as a row overlaps its table, is left out.
    """

    def __init__(self, phrasings: Sequence[str] = (), *, max_per_doc: float = inf, max_docs: float = inf) -> None:
        """Store the rules.

        Args:
            phrasings: those of the question, which may name a version.
            max_per_doc: the most hits of one page.
            max_docs: the most pages that hits may come from.
        """
        self._order = VersionOrder(phrasings)
        self._max_per_doc = max_per_doc
        self._max_docs = max_docs
        self._words: list[PassageWords] = []
        self._taken: Counter[int] = Counter()
        self.hits: list[VerifiedHit] = []

    @property
    def full(self) -> bool:
        """Whether only pages that already have hits may get more."""
        return len(+self._taken) >= self._max_docs

    def standing(self, chunk: StoredChunk) -> Standing:
        """The rank of a chunk's version among the versions of its page."""
        return self._order.standing(chunk.native_id, chunk.dated)

    def add(self, hit: VerifiedHit) -> bool:
        """Take a hit, or collapse it into an earlier one; returns whether it became a hit of its own."""
        page_id, words = hit.chunk.page_id, _words_of(hit.chunk)
        if self._merged(hit, words) or not self.has_room(page_id):
            return False
        self._taken[page_id] += 1
        self.hits.append(hit)
        self._words.append(words)
        return True

    def merge(self, hit: VerifiedHit) -> None:
        """Collapse a hit into an earlier one if it says the same; leave it out otherwise."""
        self._merged(hit, _words_of(hit.chunk))

    def _merged(self, hit: VerifiedHit, words: PassageWords) -> bool:
        """Whether an earlier hit says the same or overlaps this one; in the former case, it now represents both."""
        chunk = hit.chunk
        # What overlaps only a text listed in `also_in` may say more than it, as a table says more than its row.
        if any(
            _overlap(chunk, shown)
            and (shown is other.chunk or earlier.page == words.page or shown.span.contains(chunk.span))
            for other, earlier in zip(self.hits, self._words, strict=True)
            for shown in other.chunks
        ):
            return True
        for at, (other, earlier) in enumerate(zip(self.hits, self._words, strict=True)):
            known = any(chunk.page_id == shown.page_id for shown in other.chunks)
            if earlier.words == words.words or (not known and earlier.repeats(words)):
                self.hits[at] = self._of_both(other, hit)
                return True
        return False

    def widen(self, hit: VerifiedHit) -> None:
        """Replace all rows of a table by the table, at the position of the first row."""
        first = next(at for at, other in enumerate(self.hits) if _overlap(hit.chunk, other.chunk))
        apart = [at for at, other in enumerate(self.hits) if at <= first or not _overlap(hit.chunk, other.chunk)]
        self._taken[hit.chunk.page_id] -= len(self.hits) - len(apart)
        self.hits[:] = [self.hits[at] for at in apart]
        self._words = [self._words[at] for at in apart]
        self.hits[first] = replace(hit, candidate=self.hits[first].candidate)
        self._words[first] = _words_of(hit.chunk)

    def _of_both(self, one: VerifiedHit, other: VerifiedHit) -> VerifiedHit:
        """A hit merged with another version of it, at the position of the first."""
        old, new = one.chunk.page_id, other.chunk.page_id
        if self.standing(other.chunk) > self.standing(one.chunk) and (old == new or self.has_room(new)):
            self._taken.subtract([old])
            self._taken.update([new])
            return replace(other, candidate=one.candidate, also_in=(one.chunk, *one.also_in, *other.also_in))
        return replace(one, also_in=(*one.also_in, other.chunk, *other.also_in))

    def versions_of(self, hits: Sequence[VerifiedHit]) -> dict[VersionedPage, Standing]:
        """The lowest rank among the versions that hits are of, by page; only of pages whose paths name a version."""
        oldest: dict[VersionedPage, Standing] = {}
        for chunk in (hit.chunk for hit in hits if is_versioned(hit.chunk.native_id)):
            page = (int(chunk.source_id), unversioned(chunk.native_id))
            standing = self._order.standing(chunk.native_id, "")
            oldest[page] = min(standing, oldest.get(page, standing))
        return oldest

    def newer(
        self,
        shown: Mapping[VersionedPage, Standing],
        rest: Sequence[RankedCandidate],
        names: Mapping[int, PageNames],
    ) -> list[RankedCandidate]:
        """The candidates in `rest` of newer versions of the pages in `shown`, newest first.

        A candidate that represents equal passages is among them whatever its own version, because theirs are not known.
        """
        found: list[tuple[Standing, RankedCandidate]] = []
        for each in rest if shown else ():
            path = names[each.page_id].path if each.page_id in names else ""
            oldest, standing = shown.get((each.source_id, unversioned(path))), self._order.standing(path, "")
            if oldest is not None and (standing > oldest or each.same_text):
                found.append((standing, each))
        found.sort(key=lambda pair: pair[0], reverse=True)
        return [each for _, each in found[:_MOST_NEWER]]

    def has_room(self, page_id: int) -> bool:
        """Whether another hit of a page may be taken."""
        of_page = self._taken[page_id]
        return of_page < self._max_per_doc and (of_page > 0 or not self.full)


def _words_of(chunk: StoredChunk) -> PassageWords:
    source = (chunk.source_id, chunk.doc_type)
    return PassageWords(source, chunk.native_id, f"{chunk.table_header}\n{chunk.text}")


def _overlap(one: StoredChunk, other: StoredChunk) -> bool:
    same = one.source_id == other.source_id and one.revision_id == other.revision_id
    return same and one.span.start < other.span.end and other.span.start < one.span.end


@dataclass(frozen=True, slots=True)
class VerifiedPage:
    """Verified candidates of one page. `next_start` is where the following page begins, or None at the end.

    `withheld` counts those that their source could not vouch for, `denied` those that it said are gone or not for this
    caller. `gave_up`: so many were that no others were asked about. `troubles` say what kept sources from vouching.
    `remembered` is the age in seconds of the oldest verdict that was remembered rather than asked for, 0 without one.
    """

    hits: tuple[VerifiedHit, ...]
    next_start: int | None
    withheld: int
    denied: int = 0
    gave_up: bool = False
    troubles: tuple[str, ...] = ()
    remembered: float = 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a result says of how its hits were checked."""
        return (*self.troubles, *age_notes(self.remembered))

    @property
    def whole(self) -> bool:
        """Whether every candidate to the end of the list was checked, and no verdict was missing."""
        return self.next_start is None and not self.withheld


def age_notes(remembered: float) -> tuple[str, ...]:
    """What a result says of the age in seconds of its oldest verdict; nothing if all were asked for just now."""
    if not remembered:
        return ()
    seconds = max(1, ceil(remembered))
    unit = "second" if seconds == 1 else "seconds"
    return (f"Not all was checked just now: the oldest confirmation by a source was up to {seconds} {unit} old.",)


Asked = ParamSpec("Asked")
Found = TypeVar("Found")


def stage(
    name: str,
) -> Callable[[Callable[Asked, Awaitable[Found]]], Callable[Asked, Coroutine[Any, Any, Found]]]:
    """Put an OpenTelemetry span around each call of a coroutine function; nothing about a question goes into it.

    Only the OpenTelemetry API is used: without its SDK nothing is recorded.
    """

    def around(work: Callable[Asked, Awaitable[Found]]) -> Callable[Asked, Coroutine[Any, Any, Found]]:
        @wraps(work)
        async def spanned(*arguments: Asked.args, **named: Asked.kwargs) -> Found:
            if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):  # nothing records spans
                return await work(*arguments, **named)
            tracer = trace.get_tracer("citemark")
            # An exception's message may quote a document, so it must not get into the span.
            with tracer.start_as_current_span(
                f"citemark {name}", record_exception=False, set_status_on_exception=False
            ):
                return await work(*arguments, **named)

        return spanned

    return around
