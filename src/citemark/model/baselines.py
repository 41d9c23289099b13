"""Past states: how much of them a source keeps, and baselines, the past states that were given a name."""

from dataclasses import dataclass
from datetime import UTC, datetime

from citemark.model.ids import SourceId

REPOSITORY_EPOCH = datetime(100, 1, 1, tzinfo=UTC)
"""Commits are recorded at artificial moments from here on, one second apart; no question about a time reaches them.

This way the same interval conditions select a commit, a baseline or a moment, and no commit gets mixed up with what was
recorded in real time.
"""

RECORDS_BEGIN = datetime(1900, 1, 1, tzinfo=UTC)
"""Only commits are recorded before this moment."""

GIT_PREFIX = "git:"
"""The prefix of a baseline's name if the baseline is a commit or tag of a repository."""


@dataclass(frozen=True, slots=True)
class BaselineSource:
    """A source that a baseline covers; `commit_id` is set if the state was read from a repository."""

    source_id: SourceId
    commit_id: str | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named state of some sources, which never changes.

    Attributes:
        name: the name by which `read_context` refers to it.
        at: the recorded moment whose state it names.
        made_at: when it was created (UTC).
        sources: the sources that it covers.
    """

    name: str
    at: datetime
    made_at: datetime
    sources: tuple[BaselineSource, ...]

    @property
    def of_repository(self) -> bool:
        """Whether it is a commit of a repository rather than a moment of this index."""
        return self.at < RECORDS_BEGIN


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """How far back one source can be read.

    Attributes:
        source_id: the source.
        keeps: whether the source keeps history at all.
        since: the moment before which parts of the states were removed, besides what a source without history has
            replaced. None if nothing was.
        begins: when a document of the source was recorded: one recorded by the moment in question if there is one,
            otherwise the first. None if the source has no documents.
        changed: whether anything was recorded after the moment in question.
    """

    source_id: SourceId
    keeps: bool
    since: datetime | None
    begins: datetime | None
    changed: bool


@dataclass(frozen=True, slots=True)
class HistorySetting:
    """How long a source keeps superseded states, besides those that baselines need.

    `keeps` is False if no history is kept. `days` is None to keep states forever, and 0 to keep only those of
    baselines.
    """

    keeps: bool = True
    days: int | None = 90


@dataclass(frozen=True, slots=True)
class Purged:
    """The revisions that a purge removes, those it keeps for baselines (`held`), and the bytes of text removed."""

    revisions: int = 0
    held: int = 0
    bytes: int = 0
