"""How far the sources of a question have been read, which decides whether anything may be called absent.

Nothing is absent while something waits: a document that is listed and not read yet may hold what was not found in the
others, and so may one that changed, or whose source did not confirm it. A document that could not be read at all is
counted beside a claim of absence and does not forbid it, because it would forbid every claim until somebody mends it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

MOST_COUNTED = 1000
"""Documents of a source that wait are counted up to here: each question counts them, and a long queue takes long."""

_NAMED = 3
"""The most sources that a line names; it only counts the rest."""


@dataclass(frozen=True, slots=True)
class SourceReading:
    """How far one source has been read.

    Attributes:
        source_id: the source.
        name: its name.
        listed: how many documents its last scan found, with those that it could not list because they cannot be read.
        waiting: listed documents that were never read, counted up to one more than `MOST_COUNTED`.
        changed: documents that changed since they were read, likewise.
        failed: documents that could not be read.
        unlisted: whether there may be documents that no scan has listed: the first scan has not ended, the last one
            was incomplete or broke off, or the source is switched off.
        unflushed: whether words of documents read just now cannot be searched yet.
        paused: whether it is not listed or read again until it goes on, so that later changes are not known.
        refused: whether its server no longer accepts the stored password, so that nothing of it can be confirmed.
    """

    source_id: int
    name: str
    listed: int = 0
    waiting: int = 0
    changed: int = 0
    failed: int = 0
    unlisted: bool = False
    unflushed: bool = False
    refused: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """How far all sources of a question have been read, and how many of its hits were withheld."""

    sources: tuple[SourceReading, ...] = ()
    withheld: int = 0

    def withholding(self, hits: int) -> "Reading":
        """The same, after `hits` were found that their source could not confirm."""
        return replace(self, withheld=hits)

    @property
    def waiting(self) -> int:
        """Documents that were never read; at least one for each source that has some without saying how many."""
        return sum(each.waiting or int(each.unlisted or each.unflushed or each.paused) for each in self.sources)

    @property
    def changed(self) -> int:
        """Documents that changed since they were read."""
        return sum(each.changed for each in self.sources)

    @property
    def unconfirmed(self) -> int:
        """Withheld hits; at least one if nothing of some source can be confirmed."""
        return self.withheld or int(any(each.refused for each in self.sources))

    @property
    def failed(self) -> int:
        """Documents that could not be read."""
        return sum(each.failed for each in self.sources)

    @property
    def documents(self) -> int:
        """Documents that were read, if nothing waits."""
        return sum(max(0, each.listed - each.failed) for each in self.sources)

    @property
    def settled(self) -> bool:
        """Whether what was not found may be called absent."""
        return not (self.waiting or self.changed or self.unconfirmed)

    @property
    def so_far(self) -> str:
        """The end of "there is no such document", which limits it to what has been read while anything waits."""
        return "" if self.settled else " in what has been read so far"

    @property
    def searched(self) -> str:
        """In how many documents nothing was found, with those beside them that could not be read."""
        count = self.documents
        read = f"none of {count:,} document{'' if count == 1 else 's'} read" if count else "no document read"
        return f"{read}; {self.failed:,} could not be read"

    @property
    def incomplete(self) -> Mapping[str, int]:
        """What is missing from a result, as every result states it; empty if nothing is."""
        counts = {
            "waiting": self.waiting,
            "changed": self.changed,
            "withheld": self.unconfirmed,
            "failed": self.failed,
        }
        return counts if any(counts.values()) else {}

    @property
    def line(self) -> str:
        """What is missing, in one line for a reader; empty if all that is missing could not be read."""
        if self.settled:
            return ""
        return f"Incomplete: {'; '.join([*self._documents_missing(), *self._sources_missing()])}."

    def _documents_missing(self) -> list[str]:
        waiting = sum(each.waiting for each in self.sources)
        hits = f"{self.withheld} hit{'' if self.withheld == 1 else 's'} withheld: the source could not confirm access"
        return [
            *([f"{_counted(waiting)} {'waits' if waiting == 1 else 'wait'} to be read"] if waiting else []),
            *([f"{_counted(self.changed)} changed and not read again yet"] if self.changed else []),
            *([f"{_counted(self.failed)} could not be read"] if self.failed else []),
            *([hits] if self.withheld else []),
        ]

    def _sources_missing(self) -> list[str]:
        states = (
            ("not completely listed", [each for each in self.sources if each.unlisted]),
            ("paused, so that later changes are not known", [each for each in self.sources if each.paused]),
            ("being indexed just now", [each for each in self.sources if each.unflushed and not each.unlisted]),
            ("closed to Citemark, which needs a new login", [each for each in self.sources if each.refused]),
        )
        return [
            f"{_names(sources)} {'is' if len(sources) == 1 else 'are'} {state}" for state, sources in states if sources
        ]


def _counted(count: int) -> str:
    more = "more than " if count > MOST_COUNTED else ""
    number = min(count, MOST_COUNTED)
    return f"{more}{number:,} document{'' if count == 1 else 's'}"


def _names(sources: Sequence[SourceReading]) -> str:
    shown = ", ".join(each.name for each in sources[:_NAMED])
    return shown if len(sources) <= _NAMED else f"{shown} and {len(sources) - _NAMED} more"


ALL_READ = Reading()
"""The state of reading of a result from which nothing can be missing."""
