"""What the verdict of a source on a document means for the passages that are indexed of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from types import MappingProxyType

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


class Policy(Enum):
    """What is to be shown of a document, which decides how its source is asked and what the verdict means.

    PASSAGES: indexed passages; a document that has changed is read again, to see which still stand in it
        (`Verified.access`).
    INDEXED: what is known of the document besides its text, as it was indexed. One that has changed on another machine
        may no longer be accessible to this reader, and is withheld until it is read again.
    PAST: past texts, whatever the document says today; the verdict must be of this moment.
    """

    PASSAGES = "passages"
    INDEXED = "indexed"
    PAST = "past"

    def access(self, verdict: Verdict, *, remote: bool = True) -> Access:
        """What a verdict on a document means, if its text is not looked at; what the table does not name is withheld.

        Args:
            verdict: of the source.
            remote: whether the source is on another machine; what has changed on this one is the user's own.
        """
        meaning = _MEANING[self] if remote else {**_MEANING[self], **_ON_THIS_MACHINE.get(self, {})}
        return meaning.get(verdict, Access.WITHHELD)


_FOUND: Mapping[Verdict, Access] = MappingProxyType(
    {Verdict.OK: Access.SHOWN, Verdict.GONE: Access.DROPPED, Verdict.EXCLUDED: Access.DROPPED}
)
_MEANING: Mapping[Policy, Mapping[Verdict, Access]] = MappingProxyType(
    {
        Policy.PASSAGES: _FOUND,
        Policy.INDEXED: _FOUND,
        Policy.PAST: {Verdict.OK: Access.SHOWN, Verdict.GONE: Access.DROPPED},
    }
)
_ON_THIS_MACHINE: Mapping[Policy, Mapping[Verdict, Access]] = MappingProxyType(
    {Policy.INDEXED: {Verdict.CHANGED: Access.SHOWN}}
)


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
        if self.verdict in (Verdict.CHANGED, Verdict.REDUCED) and self.now is not None and stands(self.now, chunk):
            return Access.STANDS
        return Policy.PASSAGES.access(self.verdict)

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
