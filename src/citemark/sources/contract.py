"""What a connector implements: three small classes, and one registration line in `app.py`."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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


class Verifier(Protocol):
    """Says whether the asker may open documents at the source right now."""

    async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
        """A verdict for each ref; anything that is not certain is UNKNOWN, never OK. Does not raise."""
        ...


@dataclass(frozen=True, slots=True)
class Connector:
    """One configured source, ready for use."""

    scanner: Scanner
    processor: Processor
    verifier: Verifier
