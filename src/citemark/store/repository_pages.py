"""Pages of commits: revisions that are valid for a second of the year 100, or for several consecutive ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from citemark.model.baselines import RECORDS_BEGIN, REPOSITORY_EPOCH, BaselineSource
from citemark.model.errors import BackendUnavailable, InvalidArgument, SkippableSourceError
from citemark.model.ids import RevisionId, SourceId, Version
from citemark.model.pages import Page
from citemark.store.baselines import BaselineStore
from citemark.store.database import Database, UnacceptableValue
from citemark.store.pages import write_past_page

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page as it was recorded for a commit: its revision, and the versions of its content and of what read it."""

    revision_id: RevisionId
    version: Version
    text_version: int


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

    async def latest(self, source_id: SourceId) -> dict[tuple[str, str], RecordedPage]:
        """The pages of a source's most recently recorded commit, by type and id."""
        params = {"source_id": source_id, "begin": RECORDS_BEGIN}
        return {
            (row["doc_type"], row["native_id"]): RecordedPage(
                RevisionId(row["revision_id"]), Version(row["version"]), row["text_version"]
            )
            for row in await self._database.fetch("repository_pages_latest", params)
        }

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

    async def finish(
        self,
        tenant: str,
        name: str,
        at: datetime,
        kept: Mapping[SourceId, Sequence[RevisionId]],
        commits: Mapping[SourceId, str],
    ) -> None:
        """Extend the unchanged pages of an earlier commit to this one, and make the baseline visible.

        Raises:
            InvalidArgument: another process has begun the same baseline again, or a purge removed what was to be kept.
        """
        queries = self._database.queries
        async with self._database.transaction() as connection:
            for source_id, revision_ids in kept.items():
                params = {
                    "source_id": source_id,
                    "revision_ids": list(revision_ids),
                    "until": at + _SECOND,
                }
                row = await (await connection.execute(queries["repository_pages_keep"], params)).fetchone()
                if row is None or row["kept"] != len(revision_ids):
                    raise InvalidArgument(
                        f"What {name!r} shares with an earlier baseline was purged in the meantime; try again."
                    )
            row = await (
                await connection.execute(
                    queries["baseline_finish"],
                    {
                        "tenant": tenant,
                        "name": name,
                        "at": at,
                        "source_ids": list(commits),
                        "commit_ids": list(commits.values()),
                    },
                )
            ).fetchone()
            if row is None:
                raise InvalidArgument(f"Another process began the baseline {name!r} again; its result counts.")
