"""The interface between the index and its sources.

A source is three small classes and a value that names them:

* a `Scanner` lists every document cheaply, each with a version that changes whenever its content may have changed;
* a `Processor` fetches one document and turns it into text;
* a `Verifier` decides, at query time, whether the caller may still open given documents.

A factory bundles them into a `Connector`; the value that describes the kind of source (`sources/kinds.py`) names the
factory, and an app of a Nextcloud account is registered in `features/nextcloud/source/connector.py` in the same way.
`docs/connector.py` is the shortest complete example. Errors are those of `citemark.model.errors`:
`SkippableSourceError` (this document), `RetriableSourceError` (later) and `FatalSourceError` (a person has to act).
Every connector must pass the suite in `tests/contract/source_contract.py`; a subclass with one fixture is all that a
new source needs, with flags for what it cannot do.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.ids import NativeId


class Scanner(Protocol):
    """Lists the documents of a source without reading them."""

    def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """List the source.

        Documents whose version differs from the indexed one are fetched next; documents that a complete scan does not
        list are deleted from the index. If part of the source cannot be listed, end with `ScanEnd(complete=False)`,
        so that nothing is deleted by mistake.

        Returns:
            A stream of `Listed` (one per document) and `Problem` (what a person should know about a document or folder
            that is not indexed; `TooLarge` for one that only its size keeps from being read), and exactly one `ScanEnd`
            as the last item.

        Raises:
            RetriableSourceError: the source cannot be listed now.
            FatalSourceError: the source cannot be listed at all.
        """
        ...


class Processor(Protocol):
    """Fetches one document and extracts its text."""

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch the current content of a document.

        Args:
            doc_type: the type under which the scanner listed it.
            native_id: its id at the source, unique within the type.

        Returns:
            The text, its version, and what is known about the document. The version must be that of the text
            returned, which may be newer than the one listed. None if the document no longer exists.

        Raises:
            SkippableSourceError: this document cannot be read; the message is shown as its problem.
            RetriableSourceError: try again later, after `retry_after` seconds where that is known.
            FatalSourceError: the whole source is unusable.
        """
        ...


Verdicts: TypeAlias = AsyncGenerator[tuple[DocumentRef, Verdict], None]
"""A stream of verdicts, each with the reference it applies to."""


class Verifier(Protocol):
    """Checks at query time whether the caller may open documents, and whether they have changed."""

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each reference as soon as it is known, starting with the first references.

        Anything uncertain is UNKNOWN, never OK. Does not raise. A caller that runs out of time closes the generator
        early and uses the verdicts it has received by then.

        Args:
            refs: indexed documents, the most important first; all belong to this source.
        """
        ...


class Watcher(Protocol):
    """Reports that something in the source may have changed; a scan then finds out what."""

    def root_identity(self) -> str | None:
        """Identify what is currently found at the source's root (for a folder: its device and inode).

        May block; does not raise. None while there is nothing.
        """
        ...

    def outdated(self) -> bool:
        """Tell whether the source has gained parts that the current `changes` stream does not cover."""
        ...

    def changes(self) -> AsyncGenerator[None, None]:
        """Watch what the last scan listed: yield once when ready, then after each change.

        The stream ends when it has to be started again. Changes may be missed, so scans at intervals remain necessary.

        Raises:
            UnwatchableSource: the operating system does not report changes here.
        """
        ...


def _never() -> bool:
    return False


def _no_trouble() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Connector:
    """One configured source, ready for use. Without a watcher it is scanned at intervals.

    Attributes:
        scanner: lists its documents.
        processor: fetches them.
        verifier: checks access to them.
        watcher: reports changes, where the source can.
        grace: how long complete scans must miss a document before it is deleted; None leaves that to the indexer.
        remote: the documents are on another machine. They are then fetched concurrently, vectors are computed in the
            meantime, and verdicts are cached for a short time.
        overloaded: whether the source has ever refused requests because there were too many; queries then wait no
            longer for it than usual.
        trouble: what the source's server says of itself that keeps it from answering now, as a sentence; "" if nothing.
        reader_versions: the versions of the readers that turn its documents into text, by name. If one is raised, the
            documents that were made or given up by that reader, or are now listed for it, are read again.
        always_asked: types of documents whose verdicts are not remembered, because parts of them can be hidden.
    """

    scanner: Scanner
    processor: Processor
    verifier: Verifier
    watcher: Watcher | None = None
    grace: timedelta | None = None
    remote: bool = False
    overloaded: Callable[[], bool] = _never
    trouble: Callable[[], str] = _no_trouble
    reader_versions: Mapping[str, int] = field(default_factory=dict[str, int])
    always_asked: frozenset[str] = frozenset()


class ScanState(Protocol):
    """State that a scanner keeps between scans, as JSON: a cache of listings, which may be lost at any time."""

    async def load(self, key: str) -> Any | None:
        """Return the value saved under `key`, or None."""
        ...

    async def save(self, key: str, value: Any) -> None:
        """Store a value that JSON can represent; None deletes it."""
        ...


_FOREGROUND: ContextVar[bool] = ContextVar("foreground", default=False)
"""Whether a person is waiting for a request to a source; connectors let such requests pass before background work.

A context variable rather than an argument: it concerns the HTTP client and the rate limiter at the bottom, and the two
processors that then bypass their prefetch cache, but none of the dozen layers in between, and tasks started inside the
block inherit it.
"""


@contextmanager
def foreground() -> Generator[None, None, None]:
    """Mark everything asked of sources inside the block, also by tasks started there, as awaited by a person."""
    token = _FOREGROUND.set(True)
    try:
        yield
    finally:
        _FOREGROUND.reset(token)


def foreground_waiting() -> bool:
    """Tell whether a person is waiting for the current task."""
    return _FOREGROUND.get()
