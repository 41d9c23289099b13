"""The second phase of authorisation: before a page is shown, its source must vouch for it, at that moment.

Fail closed: what is not certain is withheld. A changed document is read again within the deadline. Its indexed text is
shown only if the document still contains it word for word, under the same title, headings and table header; nothing
else that was known about the document is shown. Current permissions apply even when a past state is read: a caller who
may not open a document does not see what it once said.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never, cast

import structlog
from cachetools import TTLCache

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, CitemarkError
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Extracted
from citemark.retrieval.ports import RecheckQueue
from citemark.retrieval.unchanged_passages import stands
from citemark.sources.contract import Connector, foreground

_LONGEST = 5.0
"""Seconds after which a page is no longer waited for, even if its sources keep answering."""

_PAUSE = 1.0
"""Seconds that may pass between two verdicts of a source that is slow but not silent."""

Asked = tuple[int, str]
"""A source and one of its document types: their documents are asked about together and share one time limit."""

MonotonicClock = Callable[[], float]


@dataclass(slots=True)
class Deadline:
    """The deadline of one page, its refills included, so that a silent source costs its deadline only once.

    Times are those of the event loop. Those in `slow` get all the available time from the beginning.
    """

    usual: float
    end: float
    clock: MonotonicClock
    slow: AbstractSet[Asked] = frozenset()
    _later: dict[Asked, float] = field(default_factory=dict[Asked, float])

    def of(self, asked: Asked) -> float:
        """The time by which these must have answered, as currently set."""
        return self._later.get(asked, self.end if asked in self.slow else self.usual)

    def prolong(self, asked: Asked) -> float:
        """Extend the deadline after a verdict: a source that keeps answering gets more time, up to the end."""
        later = max(self.of(asked), min(self.end, self.clock() + _PAUSE))
        self._later[asked] = later
        return later


class WaitingTime:
    """How long to wait for sources: the usual time, and up to five seconds if they are slow but do answer."""

    def __init__(self, seconds: float, clock: MonotonicClock = lambda: asyncio.get_running_loop().time()) -> None:
        """Take the usual time in seconds; it is kept even if it exceeds those five seconds."""
        self._seconds = seconds
        self._clock = clock
        self._slow: set[Asked] = set()

    def begin(self) -> Deadline:
        """The deadline of a page that begins now."""
        now = self._clock()
        return Deadline(now + self._seconds, now + max(self._seconds, _LONGEST), self._clock, frozenset(self._slow))

    def learn(self, asked: Asked, *, slow: bool) -> None:
        """Remember for the next page whether these were still answering when their time ran out."""
        if slow:
            self._slow.add(asked)
        else:
            self._slow.discard(asked)


_log = structlog.get_logger(__name__)
_RECHECK = "recheck"


class Access(StrEnum):
    """What may happen to a chunk: shown, dropped because the source says no, or withheld as uncertain.

    STANDS: also shown, because it is unchanged in a changed document; nothing but the passage itself is vouched for.
    """

    SHOWN = "shown"
    STANDS = "stands"
    DROPPED = "dropped"
    WITHHELD = "withheld"

    @property
    def shown(self) -> bool:
        """Whether the passage may be shown."""
        return self in (Access.SHOWN, Access.STANDS)

    def vouched(self, chunk: StoredChunk) -> StoredChunk:
        """The chunk without the date that its document states, unless the source vouches for all of the document."""
        return chunk if self is Access.SHOWN else replace(chunk, dated="")


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer for one page: the source's verdict and, if the page changed, what it is now."""

    verdict: Verdict
    now: Extracted | None = None

    @property
    def body(self) -> str | None:
        """The text that the page has now, if it changed."""
        return None if self.now is None else self.now.body

    def access(self, chunk: StoredChunk) -> Access:
        """Whether this chunk of the page may be shown."""
        match self.verdict:
            case Verdict.OK:
                return Access.SHOWN
            case Verdict.GONE | Verdict.EXCLUDED:
                return Access.DROPPED
            case Verdict.CHANGED | Verdict.REDUCED if self.now is not None and stands(self.now, chunk):
                return Access.STANDS
            case Verdict.CHANGED | Verdict.REDUCED | Verdict.UNKNOWN:
                return Access.WITHHELD
            case _:
                assert_never(self.verdict)

    @property
    def gone(self) -> bool:
        """Whether the source does not have the page, or leaves it out."""
        return self.verdict in (Verdict.GONE, Verdict.EXCLUDED)

    def confirms(self, text: str, title: str, slug: str | None) -> bool:
        """Whether the page is unchanged or, as it is now, still contains this text and has this title."""
        return self.verdict is Verdict.OK or (self.body is not None and text in self.body and self.has(title, slug))

    def has(self, title: str, slug: str | None) -> bool:
        """Whether the page, or its section with this slug, still has this title.

        An event that was made confidential has lost its title, though some of its text still stands.
        """
        if self.now is None:
            return self.verdict is Verdict.OK
        if slug is None:
            return self.now.title == title
        return any((each.slug, each.title or self.now.title) == (slug, title) for each in self.now.sections)


_UNKNOWN = Verified(Verdict.UNKNOWN)


class AccessCheck:
    """Asks sources in parallel under one deadline, with a short memory per principal.

    Only verdicts of other machines are remembered; documents on this machine are checked each time. As soon as one
    principal's check finds a document changed or gone, the verdicts on it are forgotten for all principals.
    """

    def __init__(
        self, connector_of: Callable[[Source], Connector], ledger: RecheckQueue, *, deadline: float, memory: float
    ) -> None:
        self._connector_of = connector_of
        self._ledger = ledger
        self._waiting_time = WaitingTime(deadline)
        self._vouched = TTLCache[tuple[str, int, DocumentRef], Verified](10_000, memory)

    def is_remote(self, source: Source) -> bool:
        """Whether verifying a source means asking another machine at query time; True if that is unknown."""
        try:
            return self._connector_of(source).remote
        except CitemarkError:
            return True

    def deadline(self) -> Deadline:
        """The deadline of a page that begins now."""
        return self._waiting_time.begin()

    async def check(
        self,
        principal: Principal,
        allowed: AllowedSources,
        chunks: Sequence[StoredChunk],
        *,
        deadline: Deadline | None = None,
    ) -> Mapping[int, Access]:
        """Access by chunk id. Never raises: a source that fails has only its own chunks withheld.

        Args:
            principal: the caller.
            allowed: the sources that the chunks come from; a chunk of any other source is withheld.
            chunks: what would be shown, the most wanted first.
            deadline: the page's deadline; by default a new one for this call.
        """
        deadline = deadline or self.deadline()
        wanted: dict[Asked, dict[DocumentRef, None]] = defaultdict(dict)
        refs = {chunk.chunk_id: DocumentRef(chunk.doc_type, chunk.native_id, chunk.version) for chunk in chunks}
        answers: dict[tuple[int, DocumentRef], Verified] = {}
        sources = {int(source.source_id): source for source in allowed.sources}
        for chunk in chunks:
            ref = refs[chunk.chunk_id]
            # The index itself knows that a chunk which is no longer at HEAD has been changed or deleted.
            current = chunk.head and allowed.read_at is None
            remembered = self._vouched.get((principal.key, chunk.source_id, ref)) if current else None
            if remembered is not None:
                answers[chunk.source_id, ref] = remembered
            elif chunk.source_id in sources:
                # Each type is asked about separately, so an app that does not answer withholds nothing of the others.
                wanted[chunk.source_id, ref.doc_type][ref] = None
        past = allowed.read_at is not None
        rounds = [
            self._ask(sources[asked[0]], list(found), deadline, principal, past=past) for asked, found in wanted.items()
        ]
        for asked, verdicts in zip(wanted, await asyncio.gather(*rounds), strict=True):
            answers.update({(asked[0], ref): verified for ref, verified in verdicts.items()})
        return {
            chunk.chunk_id: answers.get((chunk.source_id, refs[chunk.chunk_id]), _UNKNOWN).access(chunk)
            for chunk in chunks
        }

    async def current(
        self,
        principal: Principal,
        allowed: AllowedSources,
        wanted: Iterable[tuple[int, DocumentRef]],
        deadline: Deadline,
    ) -> Mapping[tuple[int, DocumentRef], Access]:
        """Whether what is indexed of documents may be shown now, without comparing their text.

        A file on this machine that has changed since is the user's own and is shown. A document that has changed on
        another machine may no longer be accessible to this reader, and is withheld until it is read again.
        """
        asked_of: dict[Asked, dict[DocumentRef, None]] = defaultdict(dict)
        sources = {int(source.source_id): source for source in allowed.sources}
        answers: dict[tuple[int, DocumentRef], Access] = {}
        for source_id, ref in wanted:
            if (principal.key, source_id, ref) in self._vouched:
                answers[source_id, ref] = Access.SHOWN
            elif source_id in sources:
                asked_of[source_id, ref.doc_type][ref] = None
        rounds = [
            self._ask(sources[asked[0]], list(found), deadline, principal, reread=False)
            for asked, found in asked_of.items()
        ]
        for (asked, found), verdicts in zip(asked_of.items(), await asyncio.gather(*rounds), strict=True):
            known = {Verdict.OK: Access.SHOWN, Verdict.GONE: Access.DROPPED, Verdict.EXCLUDED: Access.DROPPED}
            if not self.is_remote(sources[asked[0]]):
                known[Verdict.CHANGED] = Access.SHOWN
            for ref in found:
                answers[asked[0], ref] = known.get(verdicts.get(ref, _UNKNOWN).verdict, Access.WITHHELD)
        return answers

    async def permitted(
        self,
        principal: Principal,
        allowed: AllowedSources,
        wanted: Iterable[tuple[int, DocumentRef]],
        deadline: Deadline | None = None,
    ) -> Mapping[tuple[int, DocumentRef], Access]:
        """Whether past texts of documents may be shown now, whatever they say today; all under one deadline."""
        sources = {int(source.source_id): source for source in allowed.sources}
        refs: dict[Asked, dict[DocumentRef, None]] = defaultdict(dict)
        for source_id, ref in wanted:
            if source_id in sources:
                refs[source_id, ref.doc_type][ref] = None
        deadline = deadline or self.deadline()
        rounds = [
            self._ask(sources[asked[0]], list(found), deadline, principal, past=True) for asked, found in refs.items()
        ]
        verdicts = await asyncio.gather(*rounds)
        shown = {Verdict.OK: Access.SHOWN, Verdict.GONE: Access.DROPPED}
        return {
            (asked[0], ref): shown.get(answers[ref].verdict if ref in answers else Verdict.UNKNOWN, Access.WITHHELD)
            for (asked, found), answers in zip(refs.items(), verdicts, strict=True)
            for ref in found
        }

    async def look(self, source: Source, ref: DocumentRef) -> Verified:
        """One document's verdict, with its current text if it changed; the source is asked again each time."""
        return (await self._ask(source, [ref], self.deadline())).get(ref, _UNKNOWN)

    async def _ask(
        self,
        source: Source,
        refs: Sequence[DocumentRef],
        deadline: Deadline,
        caller: Principal | None = None,
        *,
        past: bool = False,
        reread: bool = True,
    ) -> dict[DocumentRef, Verified]:
        """Ask a source about documents of one type; those without a verdict in time are left out.

        Each verdict that arrives counts and is remembered for the caller, whatever happens to the others. `past`: past
        texts are to be shown, so the current texts do not matter. `reread`: fetch documents that have changed.
        """
        found: dict[DocumentRef, Verified] = {}
        asked = (int(source.source_id), refs[0].doc_type)
        time = asyncio.timeout_at(deadline.of(asked))
        answers = False
        try:
            connector = self._connector_of(source)
            async with time, asyncio.TaskGroup() as rereads:

                def heard(ref: DocumentRef, verified: Verified) -> None:
                    nonlocal answers
                    found[ref] = verified
                    # A source that has refused requests as too many gets no more time than usual.
                    answers = (answers or verified.verdict is not Verdict.UNKNOWN) and not connector.overloaded()
                    if answers and verified.verdict is not Verdict.UNKNOWN:
                        time.reschedule(deadline.prolong(asked))

                with foreground():
                    async with aclosing(connector.verifier.verify(refs)) as verdicts:
                        async for ref, verdict in verdicts:
                            if past:
                                heard(ref, Verified(_of_the_past(verdict, remote=connector.remote)))
                                continue
                            heard(ref, Verified(verdict))
                            if verdict is Verdict.OK and caller is not None and connector.remote:
                                self._vouched[caller.key, source.source_id, ref] = found[ref]
                            elif verdict in (Verdict.CHANGED, Verdict.REDUCED) and reread:
                                rereads.create_task(_reread(source, connector, ref, heard))
        except Exception as error:  # noqa: BLE001 - connectors are foreign code, and whatever fails in one must not show a text
            _unverified(source, error)
        self._waiting_time.learn(asked, slow=answers and time.expired())
        behind = [ref for ref, entry in found.items() if entry.verdict not in (Verdict.OK, Verdict.UNKNOWN)]
        if behind and not past:
            self._forget(source, behind)
            await self._recheck(source, behind)
        return found

    def _forget(self, source: Source, refs: Sequence[DocumentRef]) -> None:
        """Forget the verdicts on all versions of these documents, so that the source is asked again."""
        known = {(source.source_id, ref.doc_type, ref.native_id) for ref in refs}
        for key in list(self._vouched):
            _, source_id, ref = key
            if (source_id, ref.doc_type, ref.native_id) in known:
                self._vouched.pop(key, None)

    async def _recheck(self, source: Source, refs: Sequence[DocumentRef]) -> None:
        """Queue these documents, whatever the last scan said, because the index is behind its source here."""
        try:
            for ref in refs:
                await self._ledger.mark_stale(source.source_id, ref, _RECHECK)
        except BackendUnavailable:
            _log.warning("recheck_not_queued", source=source.name, action="verify")


def _of_the_past(verdict: Verdict, *, remote: bool) -> Verdict:
    """What a verdict means for a past text of a document: the caller must be able to open all of the document now.

    A file that is gone from this machine was the user's own and is kept for them, unless it is left out on purpose. A
    document that is gone from an account may have been taken away from its reader, and of a reduced one the past text
    says what is now hidden.
    """
    match verdict:
        case Verdict.OK | Verdict.CHANGED:
            return Verdict.OK
        case Verdict.GONE | Verdict.REDUCED:
            return Verdict.GONE if remote else Verdict.OK
        case Verdict.EXCLUDED:
            return Verdict.GONE
        case Verdict.UNKNOWN:
            return verdict
        case _:
            assert_never(verdict)


async def _reread(
    source: Source, connector: Connector, ref: DocumentRef, heard: Callable[[DocumentRef, Verified], None]
) -> None:
    """Report a changed document as it is now; one that can no longer be read has only itself withheld."""
    try:
        fetched = await connector.processor.fetch(ref.doc_type, ref.native_id)
    except Exception as error:  # noqa: BLE001 - the same boundary, for one document
        _unverified(source, error)
        return
    if fetched is None:
        heard(ref, Verified(Verdict.GONE))
    else:
        heard(ref, Verified(Verdict.CHANGED, fetched.extracted))


def _unverified(source: Source, error: Exception) -> None:
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cast("Sequence[BaseException]", cause.exceptions)[0]
    _log.warning("access_unverified", source=source.name, reason=type(cause).__name__, action="verify")
