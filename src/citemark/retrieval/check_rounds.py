"""Rounds of questions to sources, which may go on after the page that they were begun for has been shown."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import assert_never, cast

import structlog

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.sources import Source
from citemark.retrieval.access import Verified
from citemark.sources.contract import Connector, foreground

_LATEST = 30.0
"""Seconds after which verdicts are not awaited any more, by nobody: a server that slow will not answer."""

_log = structlog.get_logger(__name__)


class CheckRound:
    """The documents that a source is asked about together, and the verdicts that have arrived.

    `past`: past texts are to be shown, so the current texts do not matter. `reread`: documents that have changed are
    fetched. `heard` is called for each verdict, and again with the current text of a document that changed.
    """

    def __init__(
        self,
        source: Source,
        connector: Connector,
        refs: Sequence[DocumentRef],
        heard: Callable[[DocumentRef, Verified], None],
        *,
        past: bool,
        reread: bool,
    ) -> None:
        self.source = source
        self.refs = refs
        self.found: dict[DocumentRef, Verified] = {}
        self.task: asyncio.Task[None] | None = None
        self._connector = connector
        self._heard_by = heard
        self._past = past
        self._reread = reread
        self._noted: set[DocumentRef] = set()

    async def listen(self) -> None:
        """Ask, and note what is heard until all is. Never raises: what fails has no verdict."""
        try:
            async with asyncio.timeout(_LATEST), asyncio.TaskGroup() as rereads:
                with foreground():
                    async with aclosing(self._connector.verifier.verify(self.refs)) as verdicts:
                        async for ref, verdict in verdicts:
                            if self._past:
                                self._heard(ref, Verified(_of_the_past(verdict, remote=self._connector.remote)))
                                continue
                            self._heard(ref, Verified(verdict))
                            if verdict in (Verdict.CHANGED, Verdict.REDUCED) and self._reread:
                                rereads.create_task(self._read_again(ref))
        except Exception as error:  # noqa: BLE001 - connectors are foreign code, and whatever fails in one must not show a text
            unverified(self.source, error)

    def behind(self) -> list[DocumentRef]:
        """The documents that were found changed or gone; each is told once."""
        behind = (ref for ref, each in self.found.items() if each.verdict not in (Verdict.OK, Verdict.UNKNOWN))
        fresh = [] if self._past else [ref for ref in behind if ref not in self._noted]
        self._noted.update(fresh)
        return fresh

    def _heard(self, ref: DocumentRef, verified: Verified) -> None:
        self.found[ref] = verified
        self._heard_by(ref, verified)

    async def _read_again(self, ref: DocumentRef) -> None:
        """Note a changed document as it is now; one that can no longer be read has only itself withheld."""
        try:
            fetched = await self._connector.processor.fetch(ref.doc_type, ref.native_id)
        except Exception as error:  # noqa: BLE001 - the same boundary, for one document
            unverified(self.source, error)
            return
        if fetched is None:
            self._heard(ref, Verified(Verdict.GONE))
        else:
            self._heard(ref, Verified(Verdict.CHANGED, fetched.extracted))


class RunningRounds:
    """Rounds that go on after their deadline: what they still hear counts for the next question, which waits for it."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, int, DocumentRef], CheckRound] = {}

    def keep(self, caller: str, checks: CheckRound, task: "asyncio.Task[None]") -> None:
        """Let a round go on."""
        keys = [(caller, int(checks.source.source_id), ref) for ref in checks.refs]
        self._running.update(dict.fromkeys(keys, checks))

        def ended(_: object) -> None:
            for key in keys:
                if self._running.get(key) is checks:
                    del self._running[key]

        task.add_done_callback(ended)

    def pending(self, caller: str | None, source_id: int, refs: Sequence[DocumentRef]) -> dict[DocumentRef, CheckRound]:
        """The rounds in which documents are being asked about for a caller, without a verdict yet."""
        if caller is None:
            return {}
        running = {ref: self._running.get((caller, source_id, ref)) for ref in refs}
        return {ref: each for ref, each in running.items() if each is not None and ref not in each.found}

    def stop(self) -> None:
        """End all rounds."""
        for checks in list(self._running.values()):
            if checks.task is not None:
                checks.task.cancel()


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


def unverified(source: Source, error: Exception) -> None:
    """Log that a source has not vouched for its documents, and why."""
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cast("Sequence[BaseException]", cause.exceptions)[0]
    _log.warning("access_unverified", source=source.name, reason=type(cause).__name__, action="verify")
