"""States of the past: what a source keeps of them, and those that somebody gave a name."""

from dataclasses import dataclass
from datetime import UTC, datetime

from citemark.model.ids import SourceId

REPOSITORY_EPOCH = datetime(100, 1, 1, tzinfo=UTC)
"""Commits are recorded at moments from here on, one second each, where no question about a time ever looks.

So the same conditions on intervals read a commit, a baseline and a moment, and no commit mixes with what was recorded.
"""

RECORDS_BEGIN = datetime(1900, 1, 1, tzinfo=UTC)
"""Nothing but commits is recorded before this moment."""

GIT_PREFIX = "git:"
"""How the name of a baseline begins that is a commit or tag of a repository."""


@dataclass(frozen=True, slots=True)
class BaselineSource:
    """A source of a baseline; `commit_id` where it was read from a repository."""

    source_id: SourceId
    commit_id: str | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named state of some sources, which never changes.

    Attributes:
        name: what `read_context` calls it.
        at: the moment on record whose state it is.
        made_at: when it was made (UTC).
        sources: which sources it is of.
    """

    name: str
    at: datetime
    made_at: datetime
    sources: tuple[BaselineSource, ...]

    @property
    def of_repository(self) -> bool:
        """Whether it is a commit of a repository and not a moment of this index."""
        return self.at < RECORDS_BEGIN


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """How far back one source can be read.

    Attributes:
        source_id: which.
        keeps: whether it keeps history at all.
        since: the moment from which on every state is whole; earlier ones were purged. None where nothing was.
        begins: when a document of it was recorded: one before the moment that was asked about where there is one, else
            the first. None where it has no documents.
        changed: whether anything was recorded after the moment that was asked about.
    """

    source_id: SourceId
    keeps: bool
    since: datetime | None
    begins: datetime | None
    changed: bool


@dataclass(frozen=True, slots=True)
class HistorySetting:
    """How long a source keeps superseded states, beside those that baselines hold.

    `keeps` is off where nothing is kept; `days` is None for ever, 0 for baselines alone.
    """

    keeps: bool = True
    days: int | None = 90


@dataclass(frozen=True, slots=True)
class Purged:
    """Revisions that a purge takes, those that it leaves to baselines, and the bytes of text that go."""

    revisions: int = 0
    held: int = 0
    bytes: int = 0
