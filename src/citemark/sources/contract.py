"""What a connector implements: three small classes, and one registration line in `app.py`."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.ids import NativeId


class Scanner(Protocol):
    """Lists what the source holds, cheaply."""

    def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every document, problems on the way, and exactly one ScanEnd as the last item.

        Raises:
            FatalSourceError: the source cannot be listed at all.
        """
        ...


class Processor(Protocol):
    """Fetches one document and makes text of it."""

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The document's content now; None when it is gone.

        Raises:
            SkippableSourceError: this document cannot be read.
            RetriableSourceError: try again later.
            FatalSourceError: the whole source is unusable.
        """
        ...


Verdicts: TypeAlias = AsyncGenerator[tuple[DocumentRef, Verdict], None]
"""What a source says of documents, one after the other."""


class Verifier(Protocol):
    """Says whether the caller may open documents at the source right now."""

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict on each ref as soon as it is known, and ask about the first refs first.

        Anything that is not certain is UNKNOWN, never OK. Does not raise. Whoever runs out of time closes it before its
        end: each verdict until then counts.
        """
        ...


class Watcher(Protocol):
    """Tells that something in the source may have changed; what it was, a scan finds out."""

    def root_identity(self) -> str | None:
        """A token of what stands at the source's place now, None while nothing does. May block; does not raise."""
        ...

    def outdated(self) -> bool:
        """Whether the source has come to hold parts that the latest `changes` does not listen to."""
        ...

    def changes(self) -> AsyncGenerator[None, None]:
        """Listen to what the last scan saw: yield once it does, then after each change.

        Ends when it has to be begun anew. Some changes may go untold, so scans at intervals are needed all the same.

        Raises:
            UnwatchableSource: the system does not tell of changes here.
        """
        ...


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Connector:
    """One configured source, ready for use. Without a watcher it is scanned at intervals.

    `grace` is for how long complete listings must lack a document before it counts as deleted; without one, whoever
    scans decides. `remote`: another machine is waited for, so documents are fetched side by side, vectors are made
    meanwhile, and verdicts are remembered for a short while. `overloaded` says whether the source has ever refused
    because it was asked too much at once: then nobody waits longer for it than usual.
    """

    scanner: Scanner
    processor: Processor
    verifier: Verifier
    watcher: Watcher | None = None
    grace: timedelta | None = None
    remote: bool = False
    overloaded: Callable[[], bool] = _never


class ScanState(Protocol):
    """What a scanner remembers between scans: a cache of what was listed under a token, and nothing but that."""

    async def load(self, key: str) -> Any | None:
        """The value that was saved under `key`, as JSON keeps it; None for none."""
        ...

    async def save(self, key: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        ...
