"""The services behind the tools, opened in the background so that a server can list its tools before that is done."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from citemark.evidence.requests import Caller, CitationRef, QuoteLimits, SearchRequest
from citemark.model.scope import ReadContext, RequestScope

if TYPE_CHECKING:  # the results drag in what only the pipeline needs
    from citemark.answering.answers import Answers
    from citemark.evidence.accounts.desk import AccountDesk
    from citemark.evidence.architecture.desk import ArchitectureDesk
    from citemark.evidence.local_files import LocalFiles
    from citemark.evidence.results import Evidence, Excerpt, Scratch, SearchPage, SourceList, Verification


class UseCases(Protocol):
    """What `citemark.evidence.desk.Desk` does; its docstrings say what is raised."""

    async def search(self, caller: Caller, request: SearchRequest) -> "SearchPage":
        """One page of hits."""
        ...

    async def read_excerpt(
        self,
        caller: Caller,
        passage_id: str,
        *,
        start_char: int,
        max_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext,
    ) -> "Excerpt":
        """A bounded piece of a passage."""
        ...

    async def expand_excerpt(
        self,
        caller: Caller,
        passage_id: str,
        *,
        before_tokens: int,
        after_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext,
    ) -> "Excerpt":
        """A passage's best span with the text around it."""
        ...

    async def extract_evidence(
        self,
        caller: Caller,
        question: str,
        passage_ids: Sequence[str],
        limits: QuoteLimits,
        *,
        scope: RequestScope,
        read_context: ReadContext,
    ) -> "Evidence":
        """Quotes of given passages."""
        ...

    async def retrieve_evidence(self, caller: Caller, request: SearchRequest, limits: QuoteLimits) -> "Evidence":
        """Search, then quotes."""
        ...

    async def verify_quote(self, caller: Caller, ref: CitationRef, quote: str) -> "Verification":
        """Whether a quotation is still in its document."""
        ...

    async def local_files(self, caller: Caller) -> "LocalFiles":
        """The files on this machine that citations are from."""
        ...

    async def list_sources(self, caller: Caller, cursor: str | None) -> "SourceList":
        """The sources that the caller may read."""
        ...

    async def read_passage(self, caller: Caller, session_id: str, passage_id: str) -> "Scratch":
        """A passage's whole text."""
        ...

    @property
    def architecture(self) -> "ArchitectureDesk":
        """The use cases of architecture models."""
        ...

    @property
    def accounts(self) -> "AccountDesk":
        """The use cases of Nextcloud accounts."""
        ...


ServicesProvider: TypeAlias = Callable[[], Awaitable[UseCases]]
"""Opens the database and the model; may take seconds, and may fail and be asked again."""

AnswersProvider: TypeAlias = Callable[[], Awaitable["Answers"]]
"""Gives the use case that generates, once the desk is open."""


class LazyServices:
    """A desk that is being opened in the background while tools are already listed."""

    def __init__(self, provider: ServicesProvider) -> None:
        self._provider = provider
        self._opening: asyncio.Task[UseCases] | None = None

    def start(self) -> None:
        """Start opening, unless that is under way or done; after a failure, start again."""
        if self._opening is None or (self._opening.done() and self._failed(self._opening)):
            self._opening = asyncio.create_task(self._open(), name="citemark-open-desk")

    async def get(self) -> UseCases:
        """The desk once it is open; giving up the wait does not stop the opening.

        Raises:
            CitemarkError: it cannot be opened now; the next call tries again.
        """
        self.start()
        assert self._opening is not None  # noqa: S101 - start() set it
        return await asyncio.shield(self._opening)

    async def stop(self) -> None:
        """Give up opening; a desk that is open belongs to its provider."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
            self._failed(self._opening)

    async def _open(self) -> UseCases:
        return await self._provider()

    @staticmethod
    def _failed(task: asyncio.Task[UseCases]) -> bool:
        """Whether nothing came of it; asking also keeps asyncio from reporting the failure as never seen."""
        return task.cancelled() or task.exception() is not None


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the index behind a server. `reason` says why it is unavailable, where that is known."""

    status: Literal["ready", "opening", "unavailable"]
    reason: str | None = None
