"""`citemark sync --watch`: a sync that goes on, one line for each thing that happens."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from citemark.cli.run import CommandContext
from citemark.cli.sources import chosen_sources
from citemark.indexing.follower import FollowEvent
from citemark.indexing.indexer import WorkDone
from citemark.model.clock import system_clock
from citemark.model.ids import SourceId
from citemark.services.app_context import AppContext


async def watch_sources(run: CommandContext, app: AppContext, names: Sequence[str]) -> int:
    """Follow the sources named, or all, until Ctrl-C or SIGTERM: both are how this is meant to end, so exit 0.

    The first scan is part of the following: what changes while a large folder is being embedded is not left for later.
    """
    sources = await chosen_sources(app, names)
    lines = _Lines(run)
    shown = [source.name for source in sources.values()]
    lines.show({"event": "started", "sources": shown}, f"following {', '.join(shown)}; Ctrl-C ends it")
    try:
        await app.keep(names or None, heard=lines.heard, worked=lines.worked)
    except asyncio.CancelledError:
        lines.show({"event": "stopped"}, "stopped; what was done is kept")
    return 0


@dataclass(slots=True)
class _Lines:
    """Writes what happens: JSON lines, or the local time and a sentence."""

    run: CommandContext
    _reasons: dict[SourceId, str] = field(default_factory=dict[SourceId, str])

    def heard(self, followed: FollowEvent) -> None:
        name, report = followed.source.name, followed.report
        if followed.watching:
            self.show(
                {"event": "watching", "source": name, "by": followed.watching},
                f"{name}: followed by {followed.watching}",
            )
        if report is None or report.elsewhere:
            return
        if report.wanted or report.outdated or report.gone:
            data = {"event": "scanned", "source": name, "listed": report.listed}
            text = f"{name}: {report.wanted} new or changed, {report.gone} gone"
            if report.outdated:
                text += f", {report.outdated} to be read again by this version"
            counts = {"changed": report.wanted, "outdated": report.outdated, "gone": report.gone}
            self.show({**data, **counts}, text)
        if report.reason != self._reasons.get(followed.source.source_id, ""):
            self._reasons[followed.source.source_id] = report.reason
            data = {"event": "trouble", "source": name, "complete": report.complete, "reason": report.reason}
            self.show(data, f"{name}: {report.reason or 'complete again'}")

    def worked(self, worked: WorkDone) -> None:
        if worked.documents or worked.removed or worked.failed:
            counts = {
                "documents": worked.documents,
                "chunks": worked.chunks,
                "removed": worked.removed,
                "failed": worked.failed,
            }
            text = f"{worked.documents} documents read, {worked.chunks} chunks searchable"
            text += f", {worked.removed} removed" if worked.removed else ""
            self.show({"event": "read", **counts}, text + (f", {worked.failed} failed" if worked.failed else ""))
        if worked.vectors:
            self.show({"event": "embedded", "vectors": worked.vectors}, f"{worked.vectors} vectors made")

    def show(self, data: dict[str, Any], text: str) -> None:
        now = system_clock()
        self.run.show({"at": now, **data}, f"{now.astimezone():%H:%M:%S} {text}")
