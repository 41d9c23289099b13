"""The second phase of authorisation: every page that would be shown is vouched for by its source, now.

Fail closed: what is not certain is withheld. A changed document is read again within the deadline; its indexed text is
shown only if it still stands there word for word, under the same title and headings; what else was known of it is not.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import structlog
from cachetools import TTLCache

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable
from citemark.model.principal import Principal
from citemark.model.sources import Fence, Source
from citemark.sources.contract import Connector
from citemark.sources.waiting import somebody_waits
from citemark.store.ledger import Ledger

_log = structlog.get_logger(__name__)
_RECHECK = "recheck"


class Access(StrEnum):
    """What may happen with a chunk: shown, dropped because the source says no, or held back as uncertain.

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
            case _:
                return Access.WITHHELD

    def _holds(self, chunk: StoredChunk) -> bool:
        """Whether the page as it is now still says all that is shown of the chunk."""
        if self.body is None or chunk.title != self.title:
            return False
        return chunk.text in self.body and self.headings.issuperset(chunk.heading_path)


_UNKNOWN = Verified(Verdict.UNKNOWN)


class AccessCheck:
    """Asks sources in parallel under one deadline, with a short memory per principal."""

    def __init__(
        self, connector_of: Callable[[Source], Connector], ledger: Ledger, *, deadline: float, memory: float
    ) -> None:
        self._connector_of = connector_of
        self._ledger = ledger
        self._deadline = deadline
        self._vouched = TTLCache[tuple[str, int, DocumentRef], Verified](10_000, memory)

    @property
    def deadline(self) -> float:
        """Seconds within which the check of one page is over."""
        return self._deadline

    async def check(
        self, principal: Principal, fence: Fence, chunks: Sequence[StoredChunk], *, until: float | None = None
    ) -> Mapping[int, Access]:
        """Access by chunk id. Never raises: what fails withholds its own chunks and no others.

        Args:
            principal: who asks.
            fence: where the chunks come from; a chunk of another source is withheld.
            chunks: what would be shown.
            until: the event loop's time at which to stop asking; one full deadline from now by default.
        """
        until = asyncio.get_running_loop().time() + self._deadline if until is None else until
        wanted: dict[tuple[int, str], set[DocumentRef]] = defaultdict(set)
        refs = {chunk.chunk_id: DocumentRef(chunk.doc_type, chunk.native_id, chunk.version) for chunk in chunks}
        answers: dict[tuple[int, DocumentRef], Verified] = {}
        sources = {int(source.source_id): source for source in fence.sources}
        for chunk in chunks:
            ref = refs[chunk.chunk_id]
            remembered = self._vouched.get((principal.key, chunk.source_id, ref))
            if remembered is not None:
                answers[chunk.source_id, ref] = remembered
            elif chunk.source_id in sources:
                # Each type by itself, so that an app that does not answer withholds nothing of the others.
                wanted[chunk.source_id, ref.doc_type].add(ref)
        rounds = [
            self._ask(sources[number], sorted(asked, key=lambda r: (r.native_id, r.version)), until)
            for (number, _), asked in wanted.items()
        ]
        for (source_id, _), verdicts in zip(wanted, await asyncio.gather(*rounds), strict=True):
            for ref, verified in verdicts.items():
                answers[source_id, ref] = verified
                if verified.verdict is Verdict.OK:
                    self._vouched[principal.key, source_id, ref] = verified
        return {
            chunk.chunk_id: answers.get((chunk.source_id, refs[chunk.chunk_id]), _UNKNOWN).access(chunk)
            for chunk in chunks
        }

    async def look(self, source: Source, ref: DocumentRef) -> Verified:
        """One document's verdict, with its text as it is now where it changed; asked anew each time."""
        until = asyncio.get_running_loop().time() + self._deadline
        return (await self._ask(source, [ref], until))[ref]

    async def _ask(self, source: Source, refs: Sequence[DocumentRef], until: float) -> dict[DocumentRef, Verified]:
        """A verdict for each ref; what was not heard in time stays unknown, what was heard counts."""
        found = dict.fromkeys(refs, _UNKNOWN)
        try:
            async with asyncio.timeout_at(until):
                connector = self._connector_of(source)
                verdicts = await connector.verifier.verify(refs)
                found = {ref: Verified(verdicts.get(ref, Verdict.UNKNOWN)) for ref in refs}
                changed = [ref for ref, entry in found.items() if entry.verdict is Verdict.CHANGED]
                with somebody_waits():
                    await asyncio.gather(*(self._reread(source, connector, ref, found) for ref in changed))
        except Exception as error:  # noqa: BLE001 - connectors are foreign code, and whatever fails in one must not show a text
            _unverified(source, error)
        behind = [ref for ref, entry in found.items() if entry.verdict in (Verdict.CHANGED, Verdict.GONE)]
        await self._recheck(source, behind)
        return found

    async def _reread(
        self, source: Source, connector: Connector, ref: DocumentRef, found: dict[DocumentRef, Verified]
    ) -> None:
        """A document that cannot be read any more withholds itself and no other."""
        try:
            fetched = await connector.processor.fetch(ref.doc_type, ref.native_id)
        except Exception as error:  # noqa: BLE001 - the same boundary, for one document
            _unverified(source, error)
            return
        if fetched is None:
            found[ref] = Verified(Verdict.GONE)
        else:
            extracted = fetched.extracted
            headings = frozenset(part for section in extracted.sections for part in section.heading_path)
            found[ref] = Verified(Verdict.CHANGED, extracted.body, extracted.title, headings)

    async def _recheck(self, source: Source, refs: Sequence[DocumentRef]) -> None:
        """The index is behind its source here: queue these documents whatever the last scan said."""
        try:
            for ref in refs:
                await self._ledger.mark_stale(source.source_id, ref, _RECHECK)
        except BackendUnavailable:
            _log.warning("recheck_not_queued", source=source.name, action="verify")


def _unverified(source: Source, error: Exception) -> None:
    _log.warning("access_unverified", source=source.name, reason=type(error).__name__, action="verify")
