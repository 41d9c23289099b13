"""The second phase of authorisation: every page that would be shown is vouched for by its source, now.

Fail closed: what is not certain is withheld. A changed document is read again within the deadline; its indexed text is
shown only if it still stands there word for word, under the same title and headings; what else was known of it is not.
Current permissions apply even to past states: a caller who may not open a document now does not see its past text.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never, cast

import structlog
from cachetools import TTLCache

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, CitemarkError
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.ports import RecheckQueue
from citemark.sources.contract import Connector, foreground

_LONGEST = 5.0
"""Seconds after which nobody waits for a page any more, however well its sources go on answering."""

_PAUSE = 1.0
"""Seconds between two verdicts of a source that is slow and not silent."""

Asked = tuple[int, str]
"""A source and one of its types of documents: what is asked together, and given time together."""

MonotonicClock = Callable[[], float]


@dataclass(slots=True)
class Deadline:
    """One for a page, its refills included, so that a source that is silent costs its deadline once.

    Times are the event loop's. `slow` are those who get all the time there is from the beginning.
    """

    usual: float
    end: float
    clock: MonotonicClock
    slow: AbstractSet[Asked] = frozenset()
    _later: dict[Asked, float] = field(default_factory=dict[Asked, float])

    def of(self, asked: Asked) -> float:
        """The current deadline for these answers."""
        return self._later.get(asked, self.end if asked in self.slow else self.usual)

    def prolong(self, asked: Asked) -> float:
        """The same after a verdict has just come: a source that keeps answering gets more time, up to the end."""
        later = max(self.of(asked), min(self.end, self.clock() + _PAUSE))
        self._later[asked] = later
        return later


class WaitingTime:
    """How long sources are waited for: the usual time, and up to five seconds where they are slow and answer."""

    def __init__(self, seconds: float, clock: MonotonicClock = lambda: asyncio.get_running_loop().time()) -> None:
        """Take the usual time in seconds; one that is longer than the longest is kept as it is."""
        self._seconds = seconds
        self._clock = clock
        self._slow: set[Asked] = set()

    def begin(self) -> Deadline:
        """The deadline of a page that is begun now."""
        now = self._clock()
        return Deadline(now + self._seconds, now + max(self._seconds, _LONGEST), self._clock, frozenset(self._slow))

    def learn(self, asked: Asked, *, slow: bool) -> None:
        """Remember for the next page whether these were still answering when their time was over."""
        if slow:
            self._slow.add(asked)
        else:
            self._slow.discard(asked)


_log = structlog.get_logger(__name__)
_RECHECK = "recheck"


class Access(StrEnum):
    """The outcome of an access check: shown, dropped because the source says no, or withheld as uncertain.

    STANDS: shown too, for it stands unchanged in a changed document, of which nothing but the passage is vouched for.
    """

    SHOWN = "shown"
    STANDS = "stands"
    DROPPED = "dropped"
    WITHHELD = "withheld"

    @property
    def shown(self) -> bool:
        """Whether the passage may be shown."""
        return self in (Access.SHOWN, Access.STANDS)


@dataclass(frozen=True, slots=True)
class Verified:
    """One page's answer: the source's verdict and, where the page changed, its title, headings and text as they are."""

    verdict: Verdict
    body: str | None = None
    title: str | None = None
    headings: frozenset[str] = frozenset()

    def access(self, chunk: StoredChunk) -> Access:
        """Whether this chunk of the page may be shown."""
        match self.verdict:
            case Verdict.OK:
                return Access.SHOWN
            case Verdict.GONE:
                return Access.DROPPED
            case Verdict.CHANGED if self._holds(chunk):
                return Access.STANDS
            case Verdict.CHANGED | Verdict.UNKNOWN:
                return Access.WITHHELD
            case _:
                assert_never(self.verdict)

    def _holds(self, chunk: StoredChunk) -> bool:
        """Whether the page as it is now still says all that is shown of the chunk."""
        if self.body is None or chunk.title != self.title:
            return False
        return chunk.text in self.body and self.headings.issuperset(chunk.heading_path)


_UNKNOWN = Verified(Verdict.UNKNOWN)


class AccessCheck:
    """Asks sources in parallel under one deadline, with a short memory per principal.

    Only verdicts of other machines are remembered: what lies on this one is looked at each time. Once anybody finds a
    document changed or gone, nobody's verdict on it is remembered any more.
    """

    def __init__(
        self, connector_of: Callable[[Source], Connector], ledger: RecheckQueue, *, deadline: float, memory: float
    ) -> None:
        self._connector_of = connector_of
        self._ledger = ledger
        self._waiting_time = WaitingTime(deadline)
        self._vouched = TTLCache[tuple[str, int, DocumentRef], Verified](10_000, memory)

    def is_remote(self, source: Source) -> bool:
        """Whether a source is asked at the moment of the question, on another machine; also where that is not known."""
        try:
            return self._connector_of(source).remote
        except CitemarkError:
            return True

    def deadline(self) -> Deadline:
        """The deadline of a page that is begun now."""
        return self._waiting_time.begin()

    async def check(
        self,
        principal: Principal,
        allowed: AllowedSources,
        chunks: Sequence[StoredChunk],
        *,
        deadline: Deadline | None = None,
    ) -> Mapping[int, Access]:
        """Access by chunk id. Never raises: what fails withholds its own chunks and no others.

        Args:
            principal: who asks.
            allowed: where the chunks come from; a chunk of another source is withheld.
            chunks: what would be shown, the most wanted first.
            deadline: of the page; one of its own by default.
        """
        deadline = deadline or self.deadline()
        wanted: dict[Asked, dict[DocumentRef, None]] = defaultdict(dict)
        refs = {chunk.chunk_id: DocumentRef(chunk.doc_type, chunk.native_id, chunk.version) for chunk in chunks}
        answers: dict[tuple[int, DocumentRef], Verified] = {}
        sources = {int(source.source_id): source for source in allowed.sources}
        for chunk in chunks:
            ref = refs[chunk.chunk_id]
            # What is not at HEAD any more was changed or deleted since, as the index itself knows.
            current = chunk.head and allowed.read_at is None
            remembered = self._vouched.get((principal.key, chunk.source_id, ref)) if current else None
            if remembered is not None:
                answers[chunk.source_id, ref] = remembered
            elif chunk.source_id in sources:
                # Each type by itself, so that an app that does not answer withholds nothing of the others.
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
        """Whether what is indexed of documents may be shown now, without their text.

        A file of this machine that has changed since is the person's own and is shown; what has changed on another
        machine may not be this reader's any more, and is withheld until it is read again.
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
            known = {Verdict.OK: Access.SHOWN, Verdict.GONE: Access.DROPPED}
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
        """Whether what documents once said may be shown now, whatever they say today; all under one deadline."""
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
        """One document's verdict, with its text as it is now where it changed; asked again each time."""
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
        """A source's verdicts on documents of one type; those that do not arrive in time are left out.

        Each verdict that is heard counts, and is remembered for the caller, whatever becomes of the others. `past`: to
        be shown is what they once said; what they say now does not matter. `reread`: fetch what has changed.
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
                    # Who has asked to be left alone gets no more time than usual.
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
                            elif verdict is Verdict.CHANGED and reread:
                                rereads.create_task(_reread(source, connector, ref, heard))
        except Exception as error:  # noqa: BLE001 - connectors are foreign code, and whatever fails in one must not show a text
            _unverified(source, error)
        self._waiting_time.learn(asked, slow=answers and time.expired())
        behind = [ref for ref, entry in found.items() if entry.verdict in (Verdict.CHANGED, Verdict.GONE)]
        if behind and not past:
            self._forget(source, behind)
            await self._recheck(source, behind)
        return found

    def _forget(self, source: Source, refs: Sequence[DocumentRef]) -> None:
        """Forget confirmations of these documents at any version, so that their sources are asked again."""
        known = {(source.source_id, ref.doc_type, ref.native_id) for ref in refs}
        for key in list(self._vouched):
            _, source_id, ref = key
            if (source_id, ref.doc_type, ref.native_id) in known:
                self._vouched.pop(key, None)

    async def _recheck(self, source: Source, refs: Sequence[DocumentRef]) -> None:
        """The index is behind its source here: queue these documents whatever the last scan said."""
        try:
            for ref in refs:
                await self._ledger.mark_stale(source.source_id, ref, _RECHECK)
        except BackendUnavailable:
            _log.warning("recheck_not_queued", source=source.name, action="verify")


def _of_the_past(verdict: Verdict, *, remote: bool) -> Verdict:
    """What a verdict means for a past text of a document: the caller must be allowed to open the document now.

    A file that is gone from this machine was the person's own and is kept for them; what is gone from an account may
    have been taken away from its reader.
    """
    match verdict:
        case Verdict.OK | Verdict.CHANGED:
            return Verdict.OK
        case Verdict.GONE:
            return verdict if remote else Verdict.OK
        case Verdict.UNKNOWN:
            return verdict
        case _:
            assert_never(verdict)


async def _reread(
    source: Source, connector: Connector, ref: DocumentRef, heard: Callable[[DocumentRef, Verified], None]
) -> None:
    """Tell of a changed document as it is now; one that cannot be read any more withholds itself and no other."""
    try:
        fetched = await connector.processor.fetch(ref.doc_type, ref.native_id)
    except Exception as error:  # noqa: BLE001 - the same boundary, for one document
        _unverified(source, error)
        return
    if fetched is None:
        heard(ref, Verified(Verdict.GONE))
    else:
        extracted = fetched.extracted
        headings = frozenset(part for section in extracted.sections for part in section.heading_path)
        heard(ref, Verified(Verdict.CHANGED, extracted.body, extracted.title, headings))


def _unverified(source: Source, error: Exception) -> None:
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cast("Sequence[BaseException]", cause.exceptions)[0]
    _log.warning("access_unverified", source=source.name, reason=type(cause).__name__, action="verify")
