"""Writes what a source was at a commit of its repository: states that HEAD never had, next to those that it had.

Commits are recorded one after the other, each at a second of its own in the year 100. A page that is the same in two
consecutive commits is one revision that spans both seconds; only what differs is read, cut and embedded.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import assert_never

from citemark.embedding.contract import Tokenizer
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.page_builder import TEXT_VERSION, build_page
from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import FatalSourceError, SkippableSourceError
from citemark.model.ids import RevisionId, Version
from citemark.model.pages import Page
from citemark.model.readers import TextVersion
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.store.repository_pages import RecordedCommit, RecordedPage, RepositoryPages

SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class RecordedState:
    """What was done for one commit of one source.

    Attributes:
        written: pages that were read and written.
        kept: pages that the commit before has in the same form.
        latest: the second of that commit; None if there is none.
        problems: files that cannot be read, and why.
    """

    written: int
    kept: tuple[RevisionId, ...]
    latest: datetime | None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class RepositoryStates:
    """Records commits of one source, the oldest first.

    `_before` is the commit recorded last, while the same object records several commits.
    """

    source: Source
    pages: RepositoryPages
    tokenizer: Tokenizer
    detector: LanguageDetector
    _before: RecordedCommit = field(default_factory=RecordedCommit)

    async def begin(self) -> None:
        """Load the pages that the source's last commit was recorded with; again if that is another one meanwhile."""
        self._before = await self.pages.latest(self.source.source_id)

    async def record(self, connector: Connector, blobs: Mapping[str, str], at: datetime) -> RecordedState:
        """Write the state that `connector` lists, as of the moment `at`.

        Args:
            connector: reads the folder that holds the commit's files.
            blobs: the hash of each file's content by path; documents that are not files are identified by version.
            at: the second at which the commit is recorded.

        Raises:
            SourceError: the folder cannot be listed, for example because the model was not a model at that commit.
        """
        listed, problems = await _listed(connector)
        kept: dict[tuple[str, str], RecordedPage] = {}
        written: dict[tuple[str, str], RecordedPage] = {}
        for each in listed:
            key = (each.doc_type, str(each.native_id))
            version = Version(blobs.get(each.native_id, each.version))
            before = self._before.pages.get(key)
            if before is not None and before.version == version and _is_of_today(before, each, connector):
                kept[key] = before
                continue
            try:
                page = await self._page(connector, each)
                if page is not None:
                    revision_id = await self.pages.write(page, version, at, at + SECOND)
                    written[key] = RecordedPage(revision_id, version, page.made_with)
            except SkippableSourceError as error:
                problems.append(Problem(each.native_id, error.message))
        latest = self._before.at
        self._before = RecordedCommit(at, {**kept, **written})
        return RecordedState(len(written), tuple(page.revision_id for page in kept.values()), latest, tuple(problems))

    async def _page(self, connector: Connector, listed: Listed) -> Page | None:
        fetched = await connector.processor.fetch(listed.doc_type, listed.native_id)
        if fetched is None:
            return None
        language = await asyncio.to_thread(self.detector.language_of, fetched.extracted, self.source)
        names = (*listed.readers, *fetched.extracted.readers)
        return await asyncio.to_thread(
            build_page,
            fetched,
            self.source.source_id,
            self.tokenizer,
            language=language,
            made_with=TextVersion.of(TEXT_VERSION, names, connector.reader_versions),
        )


def _is_of_today(page: RecordedPage, listed: Listed, connector: Connector) -> bool:
    """Whether today's readers would make the same of the page's file."""
    names = (*listed.readers, *page.made_with.readers)
    return page.made_with.covers(TextVersion.of(TEXT_VERSION, names, connector.reader_versions))


async def _listed(connector: Connector) -> tuple[Sequence[Listed], list[Problem]]:
    """What a complete scan lists.

    Raises:
        FatalSourceError: the scan is not complete.
    """
    listed: list[Listed] = []
    problems: list[Problem] = []
    async for entry in connector.scanner.scan():
        match entry:
            case Listed():
                listed.append(entry)
            case Problem():
                problems.append(entry)
            case ScanEnd():
                if not entry.complete:
                    raise FatalSourceError(f"The files of the commit cannot be listed: {entry.reason}")
            case _:
                assert_never(entry)
    return listed, problems
