"""Baselines made from tags or commits of the git repository that a source is in."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeAlias

import structlog

from citemark.extraction.sandbox.process import Limits
from citemark.indexing.repository_states import RepositoryStates
from citemark.model.baselines import GIT_PREFIX
from citemark.model.documents import Problem
from citemark.model.errors import InvalidArgument, SourceError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.sources.commit_folder import CommitFolder
from citemark.sources.contract import Connector
from citemark.sources.git_objects import DamagedObject
from citemark.sources.git_repository import (
    IncompleteClone,
    NoSuchFolder,
    NotInRepository,
    RepositoryCommit,
    UnknownCommit,
)
from citemark.sources.git_trees import TreeFile
from citemark.sources.kinds import RepositoryPart, SourceKinds
from citemark.sources.repository_process import RepositoryProcess
from citemark.store.baselines import BaselineStore
from citemark.store.repository_pages import CommitPart, OvertakenCommit, RepositoryPages

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class MadeBaseline:
    """A baseline made from a commit; `written` counts the pages read, `kept` those that an earlier commit also has."""

    name: str
    commits: Mapping[str, str]
    written: int
    kept: int
    problems: Mapping[str, Sequence[Problem]] = field(default_factory=dict[str, Sequence[Problem]])


class _Alongside:
    """Runs follow-up rounds alongside the main work, one at a time, and a last round when that work is done."""

    def __init__(self, round_: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self._round = round_
        self._running: asyncio.Task[object] | None = None

    async def __aenter__(self) -> Self:
        return self

    def begin(self) -> None:
        """Report that there is something to follow up; starts a round unless one is running."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._round())

    async def __aexit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if self._running is None:
            return
        if failed is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            return
        await self._running
        await self._round()


@dataclass(slots=True)
class _OpenSource:
    """A source whose repository is open, the folder where its commits are laid out, and its commits by name."""

    source: Source
    part: RepositoryPart
    repository: RepositoryProcess
    folder: CommitFolder
    connector: Connector
    states: RepositoryStates
    commits: dict[str, RepositoryCommit] = field(default_factory=dict[str, RepositoryCommit])

    async def files_of(self, name: str) -> list[TreeFile]:
        """The files of one of its commits that belong to the source; none if its folder or model was not there yet.

        Raises:
            IncompleteClone: the clone lacks some of it.
            DamagedObject: a part of it is damaged.
            TooManyFiles: it has more files than are read.
        """
        try:
            taken = self.part.takes(self.source.config)
            return await asyncio.to_thread(self.repository.files, self.commits[name], taken)
        except NoSuchFolder:
            return []


_Found: TypeAlias = tuple[_OpenSource, Sequence[TreeFile]]
"""A source, and its files in one commit."""


class NothingAtCommit(InvalidArgument):
    """No source has any file in a commit; `name` is the commit, or the pattern of the tags."""

    def __init__(self, name: str, sources: Sequence[str], *, several: bool) -> None:
        subject = f"No tag that matches {name!r} and is without a baseline" if several else repr(name)
        files = "any files" if several else "no files"
        super().__init__(f"{subject} has {files} of {', '.join(map(repr, sources))}.", tag=name)


class RepositoryBaselineService:
    """Records commits as baselines, without touching the repository."""

    def __init__(
        self,
        *,
        pages: RepositoryPages,
        baselines: BaselineStore,
        kinds: SourceKinds,
        connector_over: Callable[[Source, Path], Connector],
        states_of: Callable[[Source], RepositoryStates],
        embed: Callable[[], Coroutine[Any, Any, object]],
        max_file_bytes: int,
        limits: Limits,
    ) -> None:
        """Store the collaborators.

        Args:
            pages: writes the pages of commits.
            baselines: knows which baselines exist already.
            kinds: say how the files of a source are found in a commit.
            connector_over: makes a connector that reads a source's files from another folder.
            states_of: records the commits of one source.
            embed: makes what was written searchable by words, and embeds it.
            max_file_bytes: documents that are larger are reported as problems, and not written to disk.
            limits: what reading a repository may take, in time for each request and in memory.
        """
        self._pages = pages
        self._baselines = baselines
        self._kinds = kinds
        self._connector_over = connector_over
        self._states_of = states_of
        self._embed = embed
        self._max_file_bytes = max_file_bytes
        self._limits = limits

    async def create(
        self,
        tenant: str,
        names: Sequence[str],
        sources: Sequence[Source],
        *,
        pattern: str | None = None,
        made: Callable[[MadeBaseline], None] = lambda _: None,
    ) -> list[MadeBaseline]:
        """Make baselines of tags or commits, the oldest first.

        Args:
            tenant: the owner of the baselines.
            names: tags, branches or hashes; each baseline is named `git:` followed by one of these.
            sources: the sources to read. One that is not in a repository is left out, and from each baseline those that
                lack the tag or have no files in it.
            pattern: besides `names`, take every tag that matches this (`*` and `?`); tags that already have a baseline
                are skipped, and those in which no source has files.
            made: called after each baseline.

        Raises:
            InvalidArgument: no source is in a repository, none has the tag or files in it, there is already a baseline
                of it, or the repository is incomplete or damaged.
        """
        done: list[MadeBaseline] = []
        with ExitStack() as stack:
            opened = await asyncio.to_thread(self._open_sources, stack, sources)
            names_in_order = await self._names_to_record(tenant, names, pattern, opened)
            for each in opened:
                await each.states.begin()
            async with _Alongside(self._embed) as embedding:
                for name in names_in_order:
                    having = [each for each in opened if name in each.commits]
                    found = [(each, files) for each in having if (files := await each.files_of(name))]
                    if not found and name in names:
                        raise NothingAtCommit(name, [each.source.name for each in opened], several=False)
                    if not found:
                        _log.info("commit_without_files", what=name, action="skipped")
                        continue
                    baseline = await self._record(tenant, name, found)
                    done.append(baseline)
                    made(baseline)
                    embedding.begin()
            if pattern is not None and not done:
                raise NothingAtCommit(pattern, [each.source.name for each in opened], several=True)
        return done

    def _open_sources(self, stack: ExitStack, sources: Sequence[Source]) -> list[_OpenSource]:
        opened: list[_OpenSource] = []
        refused: NotInRepository | None = None
        for source in sources:
            part = self._kinds.of(source).repository
            if part is None:
                continue
            try:
                repository = stack.enter_context(RepositoryProcess.around(part.folder(source.config), self._limits))
            except NotInRepository as error:
                refused = refused or error
                continue
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="citemark-commit-")))
            connector = self._connector_over(source, folder)
            states = self._states_of(source)
            files = CommitFolder(folder, repository, part.max_bytes or self._max_file_bytes)
            opened.append(_OpenSource(source, part, repository, files, connector, states))
        if not opened:
            raise refused or InvalidArgument("Only folders of documents and models can be in a repository.")
        return opened

    async def _names_to_record(
        self, tenant: str, names: Sequence[str], pattern: str | None, opened: Sequence[_OpenSource]
    ) -> list[str]:
        """The names to make baselines of, the oldest commit first; also fills in the commits of each source."""
        known = {baseline.name for baseline in await self._baselines.all_baselines(tenant)}
        for name in names:
            if GIT_PREFIX + name in known:
                raise InvalidArgument(f"There is already a baseline {GIT_PREFIX + name!r}.", name=GIT_PREFIX + name)
            refused: UnknownCommit | IncompleteClone | DamagedObject | None = None
            for each in opened:
                try:
                    each.commits[name] = await asyncio.to_thread(each.repository.commit, name)
                except (UnknownCommit, IncompleteClone, DamagedObject) as error:
                    refused = refused or error
            if refused is not None and not any(name in each.commits for each in opened):
                raise refused
        if pattern is not None:
            for each in opened:
                tags = await asyncio.to_thread(each.repository.tags)
                found = {tag.name: tag for tag in tags if fnmatchcase(tag.name, pattern)}
                each.commits |= {name: tag for name, tag in found.items() if GIT_PREFIX + name not in known}
            if not names and not any(each.commits for each in opened):
                raise InvalidArgument(f"No tag that matches {pattern!r} is without a baseline.", pattern=pattern)
        times = {name: commit.at for each in opened for name, commit in each.commits.items()}
        return sorted(times, key=lambda name: (times[name], name))

    async def _record(self, tenant: str, name: str, found: Sequence[_Found]) -> MadeBaseline:
        """Record a commit, again whenever another process has finished one meanwhile: it may share other pages then."""
        title = GIT_PREFIX + name
        while True:
            at = await self._pages.begin(tenant, title, [each.source.source_id for each, _ in found])
            try:
                return await self._record_at(tenant, name, found, at)
            except OvertakenCommit:
                for each, _ in found:
                    _log.info("commit_overtaken", source=each.source.name, action="baseline")
                    await each.states.begin()
            except BaseException:
                await self._pages.abandon(tenant, title, at)
                raise

    async def _record_at(self, tenant: str, name: str, found: Sequence[_Found], at: datetime) -> MadeBaseline:
        title = GIT_PREFIX + name
        parts: dict[SourceId, CommitPart] = {}
        problems: dict[str, Sequence[Problem]] = {}
        written = 0
        for each, files in found:
            commit = each.commits[name]
            blobs = await asyncio.to_thread(each.folder.show, files, commit.at)
            try:
                state = await each.states.record(each.connector, blobs, at)
            except SourceError as error:
                raise InvalidArgument(f"{each.source.name!r} cannot be read at {name!r}: {error.message}") from None
            parts[each.source.source_id] = CommitPart(commit.commit_id, state.kept, state.latest)
            written += state.written
            if state.problems:
                problems[each.source.name] = state.problems
        await self._pages.finish(tenant, title, at, parts)
        by_name = {each.source.name: each.commits[name].commit_id for each, _ in found}
        return MadeBaseline(title, by_name, written, sum(len(part.kept) for part in parts.values()), problems)
