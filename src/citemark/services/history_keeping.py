"""Keeps what was superseded in sources as long as their settings say, and purges what is older."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from citemark.model.baselines import HistorySetting, Purged
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.retrieval.ports import SourceReader
from citemark.services.source_history import BASELINES, HeldPast
from citemark.store.history import HistoryStore, KeptHistory
from citemark.store.segments import SegmentStore

_MOST_NAMED = 20

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """The history of one source."""

    source: Source
    kept: KeptHistory


@dataclass(frozen=True, slots=True)
class SourcePurge:
    """The result of a purge of one source, or its preview; `before` is None if everything is kept."""

    source: Source
    before: datetime | None
    purged: Purged


class HistoryService:
    """Shows, configures and purges the history of this machine's sources."""

    def __init__(
        self,
        history: HistoryStore,
        segments: SegmentStore,
        sources: SourceReader,
    ) -> None:
        self._history = history
        self._segments = segments
        self._sources = sources

    async def show(self) -> list[ShownHistory]:
        """The history of each source, by name."""
        sources = {source.source_id: source for source in await self._sources.all(Principal.local().tenant)}
        found = [ShownHistory(sources[kept.source_id], kept) for kept in await self._history.kept(list(sources))]
        return sorted(found, key=lambda each: each.source.name)

    async def held(self, source: Source) -> HeldPast:
        """What is kept of the past of a source."""
        (kept,) = await self._history.kept([source.source_id])
        return HeldPast(kept.revisions, (*kept.baselines, *kept.unfinished))

    async def forgotten_by(self, source: Source, setting: HistorySetting) -> tuple[Purged, int]:
        """What a setting would remove now or at the next purge, and how many superseded revisions there are.

        Raises:
            InvalidArgument: the source is to keep nothing, but it is part of a baseline.
        """
        (kept,) = await self._history.kept([source.source_id])
        if not setting.keeps and (kept.baselines or kept.unfinished):
            raise _in_baselines(source, kept)
        if setting.days is None and setting.keeps:
            return Purged(), kept.revisions
        before = kept.at - timedelta(days=setting.days or 0)
        return await self._history.count(source.source_id, before), kept.revisions

    async def keep(self, source: Source, setting: HistorySetting) -> None:
        """Change how long a source keeps what is superseded; if it keeps nothing, its existing history is purged now.

        Raises:
            InvalidArgument: the source is to keep nothing, but it is part of a baseline.
        """
        at = await self._history.settle(source.source_id, setting)
        if at is None:
            (kept,) = await self._history.kept([source.source_id])
            raise _in_baselines(source, kept)
        if not setting.keeps:
            await self._forget(source, at)

    async def purge(
        self, sources: Sequence[Source], before: datetime | None = None, *, dry_run: bool = False
    ) -> list[SourcePurge]:
        """Purge what was superseded before a moment or longer ago than its source keeps, unless a baseline needs it."""
        done: list[SourcePurge] = []
        kept = {each.source_id: each for each in await self._history.kept([source.source_id for source in sources])}
        for source in sources:
            until = before or kept[source.source_id].before
            if until is None:
                done.append(SourcePurge(source, None, Purged()))
                continue
            counted = await self._history.count(source.source_id, until)
            if not dry_run:
                await self._forget(source, until)
            done.append(SourcePurge(source, until, counted))
        return done

    async def purge_overdue(self) -> int:
        """Purge what is older than its source keeps; return the number of revisions removed."""
        sources = {source.source_id: source for source in await self._sources.all(Principal.local().tenant)}
        removed = 0
        for source_id, before in await self._history.overdue():
            if source_id in sources:
                removed += await self._forget(sources[source_id], before)
        return removed

    async def _forget(self, source: Source, before: datetime) -> int:
        removed = await self._history.purge(source.source_id, before)
        if removed:
            await self._segments.drop_purged([source.source_id])
            _log.info("history_purged", source=source.name, revisions=removed, action="purge")
        return removed


def _in_baselines(source: Source, kept: KeptHistory) -> InvalidArgument:
    """The error that names the baselines for which a source has to keep its history."""
    names = [*kept.baselines, *(f"{name} (unfinished)" for name in kept.unfinished)][:_MOST_NAMED]
    return InvalidArgument(
        f"{source.name} is in baselines ({', '.join(names)}), which need its history: delete them first, or "
        f"keep `{BASELINES}` alone.",
        baselines=[*kept.baselines, *kept.unfinished][:_MOST_NAMED],
    )
