"""Pages of commits: revisions that are valid for a second of the year 100, or for several consecutive ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from citemark.model.baselines import RECORDS_BEGIN, REPOSITORY_EPOCH, BaselineSource
from citemark.model.errors import BackendUnavailable, InvalidArgument, SkippableSourceError
from citemark.model.ids import RevisionId, SourceId, Version
from citemark.model.pages import Page
from citemark.model.readers import TextVersion, readers_from_text
from citemark.store.baselines import BaselineStore
from citemark.store.database import Database, Params, UnacceptableValue
from citemark.store.pages import write_past_page

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page as it was recorded for a commit: its revision, and the versions of its content and of what made it."""

    revision_id: RevisionId
    version: Version
    made_with: TextVersion


@dataclass(frozen=True, slots=True)
class RecordedCommit:
    """A commit of a source: its second (None if none was recorded yet), and its pages by type and id."""

    at: datetime | None = None
    pages: Mapping[tuple[str, str], RecordedPage] = field(default_factory=dict[tuple[str, str], RecordedPage])


@dataclass(frozen=True, slots=True)
class CommitPart:
    """A source's part of a new commit: its hash, and what it shares with the source's latest commit, at `latest`."""

    commit_id: str
    kept: Sequence[RevisionId]
    latest: datetime | None


class OvertakenCommit(Exception):
    """A source's latest commit is no longer the one that this one was compared with; it must be compared again."""


class RepositoryPages:
    """Writes pages of commits, and names the state that they form together."""

    def __init__(self, database: Database, baselines: BaselineStore) -> None:
        self._database = database
        self._baselines = baselines

    async def begin(self, tenant: str, name: str, source_ids: Sequence[SourceId]) -> datetime:
        """Take the next second for a baseline; from now on, purges spare what is written at it.

        A baseline of that name that another process began and did not finish is started again.

        Raises:
            InvalidArgument: there is a finished baseline of that name.
        """
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["baseline_unfinished_drop"], {"tenant": tenant, "name": name})
            row = await (await connection.execute(queries["repository_second"])).fetchone()
            if row is None:
                raise BackendUnavailable("The database did not assign a second to the commit; try again.")
            at = REPOSITORY_EPOCH + row["second"] * _SECOND
            sources = [BaselineSource(source_id) for source_id in source_ids]
            await self._baselines.record(connection, tenant, name, at, None, sources)
        return at

    async def abandon(self, tenant: str, name: str, at: datetime) -> None:
        """Drop a baseline that was begun at this second, unless it is finished; the next purge removes what it held."""
        await self._database.fetch("baseline_abandon", {"tenant": tenant, "name": name, "at": at})

    async def latest(self, source_id: SourceId) -> RecordedCommit:
        """A source's most recently recorded commit."""
        row = await self._database.one("repository_latest", _latest_params([source_id]))
        if row is None:
            return RecordedCommit()
        pages = {
            (page["doc_type"], page["native_id"]): RecordedPage(
                RevisionId(page["revision_id"]),
                Version(page["version"]),
                TextVersion(page["text_version"], readers_from_text(page["readers"])),
            )
            for page in await self._database.fetch("repository_pages", {"source_id": source_id, "at": row["at"]})
        }
        return RecordedCommit(row["at"], pages)

    async def write(self, page: Page, version: Version, at: datetime, until: datetime) -> RevisionId:
        """Write a page that is valid from `at` to `until`.

        Raises:
            SkippableSourceError: PostgreSQL cannot hold the page's text.
            InvalidArgument: the source was removed in the meantime.
        """
        try:
            return RevisionId(await write_past_page(self._database, page, version, at, until))
        except UnacceptableValue as error:
            raise SkippableSourceError(error.message) from None

    async def finish(self, tenant: str, name: str, at: datetime, parts: Mapping[SourceId, CommitPart]) -> None:
        """Extend the unchanged pages of each source's latest commit to this one, and make the baseline visible.

        Commits of a source are finished one at a time, each as the successor of the one before: extended over a commit
        that it was not compared with, a page would appear in that one, or disappear from it.

        Raises:
            OvertakenCommit: a commit of one of the sources was recorded or deleted since this one was compared.
            InvalidArgument: another process has begun the same baseline again.
        """
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["history_hold"], {"source_ids": sorted(parts)})
            params = {
                "tenant": tenant,
                "name": name,
                "at": at,
                "source_ids": list(parts),
                "commit_ids": [part.commit_id for part in parts.values()],
            }
            if await (await connection.execute(queries["baseline_finish"], params)).fetchone() is None:
                raise InvalidArgument(f"Another process began the baseline {name!r} again; its result counts.")
            cursor = await connection.execute(queries["repository_latest"], _latest_params(list(parts), making=at))
            latest = {row["source_id"]: row["at"] for row in await cursor.fetchall()}
            if any(latest.get(source_id) != part.latest for source_id, part in parts.items()):
                raise OvertakenCommit
            for source_id, part in parts.items():
                # They are all there: no purge takes what the latest commit holds.
                params = {"source_id": source_id, "revision_ids": list(part.kept), "until": at + _SECOND}
                await connection.execute(queries["repository_pages_keep"], params)


def _latest_params(source_ids: Sequence[SourceId], making: datetime | None = None) -> Params:
    return {"source_ids": source_ids, "begin": RECORDS_BEGIN, "making": making}
