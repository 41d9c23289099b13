"""What the verdict of a source on a document means for the passages that are indexed of it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from citemark.model.candidates import StoredChunk
from citemark.model.documents import Verdict
from citemark.model.text import Extracted
from citemark.retrieval.unchanged_passages import stands


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


UNKNOWN = Verified(Verdict.UNKNOWN)
