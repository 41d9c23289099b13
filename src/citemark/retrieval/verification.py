"""The second phase of authorisation: before a page is shown, its source must vouch for it, at that moment.

Fail closed: what is not certain is withheld. A changed document is read again within the deadline. Its indexed text is
shown only if the document still contains it word for word, under the same title, headings and table header; nothing
else that was known about the document is shown. Current permissions apply even when a past state is read: a caller who
may not open a document does not see what it once said.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import structlog
from cachetools import TTLCache

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, CitemarkError
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.access import UNKNOWN, Access, Policy, Verified
from citemark.retrieval.check_rounds import CheckRound, RunningRounds, unverified
from citemark.retrieval.ports import RecheckQueue
from citemark.retrieval.waiting_time import LONGEST_SLOW, Asked, Deadline, WaitingTime
from citemark.sources.contract import Connector

_log = structlog.get_logger(__name__)
_RECHECK = "recheck"

DocumentOf: TypeAlias = tuple[int, DocumentRef]
"""A document, and the number of its source."""


class _KeptVerdict(NamedTuple):
    """A verdict, and when it arrived by the event loop's clock."""

    verified: Verified
    at: float


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
        self._remembers = memory > 0
        self._rounds = RunningRounds()
        self._vouched = TTLCache[tuple[str, int, DocumentRef], _KeptVerdict](10_000, memory)

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
        refs = {chunk.chunk_id: DocumentRef(chunk.doc_type, chunk.native_id, chunk.version) for chunk in chunks}
        wanted: dict[DocumentOf, bool] = {}
        for chunk in chunks:
            # The index itself knows that a chunk which is no longer at HEAD has been changed or deleted.
            asked = chunk.source_id, refs[chunk.chunk_id]
            wanted[asked] = wanted.get(asked, True) and chunk.head and allowed.read_at is None
        policy = Policy.PASSAGES if allowed.read_at is None else Policy.PAST
        answers = await self._verdicts(principal, allowed, wanted, policy, deadline or self.deadline())
        return {
            chunk.chunk_id: answers.get((chunk.source_id, refs[chunk.chunk_id]), UNKNOWN).access(chunk)
            for chunk in chunks
        }

    async def ask(
        self,
        principal: Principal,
        allowed: AllowedSources,
        wanted: Iterable[DocumentOf],
        policy: Policy,
        deadline: Deadline | None = None,
    ) -> Mapping[DocumentOf, Access]:
        """Access to documents as a whole, as a policy decides it; one of a source that is not allowed has none.

        Args:
            principal: the caller.
            allowed: the sources that may be read.
            wanted: the documents, each with the number of its source.
            policy: what is to be shown of them.
            deadline: by default a new one for this call.
        """
        refs = dict.fromkeys(wanted, policy is not Policy.PAST)
        answers = await self._verdicts(principal, allowed, refs, policy, deadline or self.deadline())
        asked = {source_id for source_id, _ in answers}
        remote = {each.source_id for each in allowed.sources if each.source_id in asked and self.is_remote(each)}
        return {
            (source_id, ref): policy.access(verified.verdict, remote=source_id in remote)
            for (source_id, ref), verified in answers.items()
        }

    async def _verdicts(
        self,
        principal: Principal,
        allowed: AllowedSources,
        wanted: Mapping[DocumentOf, bool],
        policy: Policy,
        deadline: Deadline,
    ) -> Mapping[DocumentOf, Verified]:
        """Ask each source about its documents, unless it said of one a moment ago what counts still.

        Each type is asked about separately, so an app that does not answer withholds nothing of the others.

        Args:
            principal: the caller.
            allowed: the sources that are asked.
            wanted: the documents, the most wanted first, and whether a remembered verdict counts for each.
            policy: how they are asked.
            deadline: of the page.
        """
        sources = {int(source.source_id): source for source in allowed.sources}
        answers: dict[DocumentOf, Verified] = {}
        of_type: dict[Asked, list[DocumentRef]] = defaultdict(list)
        for (source_id, ref), remembers in wanted.items():
            remembered = self._kept_verdict(principal, source_id, ref, deadline) if remembers else None
            if remembered is not None:
                answers[source_id, ref] = remembered
            elif source_id in sources:
                of_type[source_id, ref.doc_type].append(ref)
        rounds = [self._ask(sources[asked[0]], refs, deadline, principal, policy) for asked, refs in of_type.items()]
        for (asked, refs), verdicts in zip(of_type.items(), await asyncio.gather(*rounds), strict=True):
            answers.update({(asked[0], ref): verdicts.get(ref, UNKNOWN) for ref in refs})
        return answers

    async def look(self, source: Source, ref: DocumentRef) -> Verified:
        """One document's verdict, with its current text if it changed; the source is asked again each time."""
        return (await self._ask(source, [ref], self.deadline())).get(ref, UNKNOWN)

    async def _ask(
        self,
        source: Source,
        refs: Sequence[DocumentRef],
        deadline: Deadline,
        caller: Principal | None = None,
        policy: Policy = Policy.PASSAGES,
    ) -> dict[DocumentRef, Verified]:
        """Ask a source about documents of one type; those without a verdict in time are left out.

        Each verdict that arrives counts and is remembered for the caller, whatever happens to the others. Those of a
        slow source are awaited beyond the deadline, for the next question.
        """
        past = policy is Policy.PAST
        asked = (int(source.source_id), refs[0].doc_type)
        time = asyncio.timeout_at(deadline.of(asked))
        try:
            connector = self._connector_of(source)
        except Exception as error:  # noqa: BLE001 - as when it is asked
            unverified(source, error)
            return {}
        keeps = connector.remote and not past and refs[0].doc_type not in connector.always_asked
        keeper = caller.key if caller is not None and keeps else None
        joined = self._rounds.pending(keeper, int(source.source_id), refs) if self._remembers else {}
        began, answers = deadline.clock(), False

        def heard(ref: DocumentRef, verified: Verified) -> None:
            nonlocal answers
            if verified.verdict is Verdict.UNKNOWN:
                answers = answers and not connector.overloaded()
                return
            if verified.verdict is Verdict.OK and keeper is not None:
                self._vouched[keeper, source.source_id, ref] = _KeptVerdict(verified, deadline.clock())
            self._waiting_time.took(asked, deadline.clock() - began)
            # A source that has refused requests as too many gets no more time than usual.
            answers = not connector.overloaded()
            if answers and time.when() is not None and not time.expired() and not waited.is_set():
                time.reschedule(deadline.prolong(asked))

        alone = [ref for ref in refs if ref not in joined]
        new = CheckRound(source, connector, alone, heard, past=past, reread=policy is Policy.PASSAGES)
        waited = asyncio.Event()
        new.task = asyncio.create_task(self._listen(new, waited)) if new.refs else None
        rounds = {id(each): each.task for each in (new, *joined.values()) if each.task is not None}
        try:
            async with time:
                await asyncio.wait(rounds.values())
        except TimeoutError as error:
            unverified(source, error)
        finally:
            waited.set()
            if new.task is not None and not new.task.done():
                await self._leave(new, new.task, keeper)
        if time.expired():
            deadline.waited = max(deadline.waited, deadline.clock() - began)
            if keeper is None and connector.remote and not new.found:
                self._waiting_time.took(asked, deadline.waited)  # at least; what arrives later is not heard
        self._waiting_time.learn(asked, slow=answers and time.expired())
        await self._note_behind(new)
        return {ref: each.found[ref] for ref, each in joined.items() if ref in each.found} | new.found

    async def _listen(self, checks: CheckRound, waited: asyncio.Event) -> None:
        await checks.listen()
        if waited.is_set():
            await self._note_behind(checks)

    async def _leave(self, checks: CheckRound, task: "asyncio.Task[None]", keeper: str | None) -> None:
        """Let a round that takes too long go on for the next question of the same caller, or end it."""
        if keeper is not None and self._remembers:
            self._rounds.keep(keeper, checks, task)
            return
        task.cancel()
        await asyncio.wait([task])

    async def _note_behind(self, checks: CheckRound) -> None:
        """Forget the verdicts on documents that a round found changed or gone, and queue them."""
        behind = checks.behind()
        if behind:
            self._forget(checks.source, behind)
            await self._recheck(checks.source, behind)

    def stop(self) -> None:
        """Stop asking."""
        self._rounds.stop()

    def notes(self, allowed: AllowedSources, deadline: Deadline) -> tuple[str, ...]:
        """What kept sources from vouching for all: what their servers said of themselves, and how long was waited."""
        troubles: list[str] = []
        for source in allowed.sources:
            try:
                trouble = self._connector_of(source).trouble()
            except CitemarkError:
                continue
            troubles += [f"{source.name}: {trouble}"] if trouble else []
        if deadline.waited and not troubles:
            troubles.append(
                f"Sources were given {deadline.waited:.1f} s to confirm access (at most {LONGEST_SLOW:.0f} s if they "
                "are slow); ask again in a moment for what they are still asked about."
            )
        return tuple(troubles)

    def _kept_verdict(
        self, principal: Principal, source_id: int, ref: DocumentRef, deadline: Deadline
    ) -> Verified | None:
        """What a source said of a document a moment ago; its age counts for the page."""
        kept = self._vouched.get((principal.key, source_id, ref))
        if kept is None:
            return None
        deadline.remembered = max(deadline.remembered, deadline.clock() - kept.at)
        return kept.verified

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
