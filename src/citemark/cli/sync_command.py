"""`citemark sync`: once, or with --watch, which follows changes and prints a line for each event."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.counting import counted
from citemark.cli.left_out_lines import left_out_lines, quoted
from citemark.cli.multilingual_offer import multilingual_offer
from citemark.cli.preview_command import show_preview
from citemark.cli.problem_lines import problem_lines
from citemark.indexing.follower import FollowEvent
from citemark.indexing.indexer import WorkDone
from citemark.indexing.sync import SyncReport
from citemark.logs import unlogged
from citemark.model.clock import system_clock
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.app_context import AppContext

_MOST_PROBLEMS = 100
"""The most problems of a source that are shown after a sync."""


async def sync_sources(run: CommandContext, app: AppContext, names: Sequence[str], *, dry_run: bool = False) -> int:
    """Sync the named sources, or all; with `dry_run`, only show what that would do."""
    sources, paused = await _updated_sources(app, names)
    if dry_run:
        return show_preview(run, {source.name: await app.preview(source) for source in sources.values()})
    await app.try_refused_logins()
    notes = [
        f"{name} is paused and was left out; `citemark source resume {quoted(name)}` ends that." for name in paused
    ]
    return await sync_and_show(run, app, sources, alone=bool(names), notes=notes)


async def _updated_sources(app: AppContext, names: Sequence[str]) -> tuple[dict[SourceId, Source], list[str]]:
    """The named sources, or all that are kept up to date with the names of those that are paused.

    Raises:
        InvalidArgument: there is no source of a given name, it is paused, or there is none to update.
    """
    chosen = await chosen_sources(app, names)
    paused = [source.name for source in chosen.values() if source.paused]
    updated = {key: source for key, source in chosen.items() if not source.paused}
    if paused and (names or not updated):
        told = ", ".join(paused)
        raise InvalidArgument(
            f"Paused: {told}. Nothing is read from it until `citemark source resume {quoted(paused[0])}`.",
            name=paused[0],
        )
    return updated, paused


async def chosen_sources(app: AppContext, names: Sequence[str]) -> dict[SourceId, Source]:
    """The named sources, or all.

    Raises:
        InvalidArgument: there is no source of a given name, or no source at all.
    """
    if names:
        chosen = [await app.sources.named(name) for name in names]
    else:
        every = await app.sources.all()
        chosen = [source for source in every if source.followed]
        if every and not chosen:
            raise InvalidArgument("Every source is switched off, so there is nothing to read.")
    if not chosen:
        raise InvalidArgument("There are no sources yet; `citemark add FOLDER` adds one.")
    return {source.source_id: source for source in chosen}


async def sync_and_show(
    run: CommandContext,
    app: AppContext,
    sources: dict[SourceId, Source],
    added: str | None = None,
    *,
    alone: bool = True,
    notes: Sequence[str] = (),
) -> int:
    """Sync and print what was done and what is wrong; the exit code is 1 if a listing was incomplete.

    If `alone`, it ends when these sources are embedded, whatever waits of others. `notes` are told besides.
    """
    # What could not be read is shown after the sync.
    with run.progress() as bar, unlogged("document_failed"):
        report = await app.sync(sources, bar.step if bar is not None else lambda _: None, alone=alone)
    found = {
        source.name: await app.sources.problems(source.source_id, _MOST_PROBLEMS + 1) for source in sources.values()
    }
    problems = [
        {"source": name, **asdict(problem)} for name, reported in found.items() for problem in reported[:_MOST_PROBLEMS]
    ]
    broken = {
        source.name: (await app.sources.broken_links(source.source_id, 1))[1] if report.documents else 0
        for source in sources.values()
    }
    lines = [
        f"  {line}"
        for name, reported in found.items()
        for line in problem_lines(quoted(name), reported[:_MOST_PROBLEMS], more=len(reported) > _MOST_PROBLEMS)
    ]
    lines += [
        f"  {name}: {counted(count, 'broken link')}; `citemark problems {quoted(name)}` lists them"
        for name, count in broken.items()
        if count
    ]
    lines += [line for name, scan in report.scans.items() for line in left_out_lines(name, scan.left_out)]
    told = [*notes, *await first_notes(app, sources.values())]
    if added is not None and (offer := await multilingual_offer(app)):
        told.append(offer)
    run.show(
        {"added": added, **_as_dict(report), "problems": problems, "notes": told},
        "\n".join([_as_text(report), *lines, *told]),
    )
    return 0 if all(scan.complete or scan.elsewhere for scan in report.scans.values()) else 1


def _as_dict(report: SyncReport) -> dict[str, Any]:
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "vectors": report.vectors,
        "failed": report.failed,
        "removed": report.removed,
        "sources": {
            name: {
                "listed": scan.listed,
                "changed": scan.wanted,
                "outdated": scan.outdated,
                "gone": scan.gone,
                "absent": scan.absent,
                "complete": scan.complete,
                "reason": scan.reason,
                "skipped": dict(scan.skipped),
                "left_out": None if scan.left_out is None else scan.left_out.as_json(),
            }
            for name, scan in report.scans.items()
        },
    }


def _as_text(report: SyncReport) -> str:
    lines = [
        f"{name}: {scan.listed} listed, {scan.wanted} new or changed, {scan.gone} gone"
        + (f", {scan.absent} missing and removed if they stay away" if scan.absent else "")
        + (f", {scan.outdated} to be read again by this version" if scan.outdated else "")
        + ("" if scan.complete else f" (incomplete: {scan.reason})")
        + (f" ({scan.reason})" if scan.complete and scan.reason else "")
        for name, scan in report.scans.items()
    ]
    removed = f", {report.removed} removed" if report.removed else ""
    lines.append(
        f"{counted(report.documents, 'document')} read{removed}, {counted(report.chunks, 'chunk')} searchable, "
        f"{counted(report.vectors, 'vector')} made"
    )
    return "\n".join(lines)


async def first_notes(app: AppContext, sources: Iterable[Source]) -> list[str]:
    """What their kinds tell the owner of sources, each note once."""
    notes = {source.source_id: app.kinds.of(source).note(source) for source in sources}
    return [note for source_id, note in notes.items() if note and await app.sources.tell_once(source_id)]


async def watch_sources(run: CommandContext, app: AppContext, names: Sequence[str]) -> int:
    """Follow the named sources, or all, until Ctrl-C or SIGTERM; both are the normal way to end, so exit with 0.

    The first scan is already part of following, so that changes made while a large folder is being embedded are not
    left for later.
    """
    sources, _ = await _updated_sources(app, names)
    lines = _Lines(run)
    shown = [source.name for source in sources.values()]
    lines.show({"event": "started", "sources": shown}, f"following {', '.join(shown)}; Ctrl-C ends it")
    try:
        await app.keep(names or None, heard=lines.heard, worked=lines.worked)
    except asyncio.CancelledError:
        lines.show({"event": "stopped"}, "stopped; finished work is kept")
    return 0


async def work_alone(run: CommandContext, app: AppContext) -> int:
    """Follow and index every source, including those added later, until Ctrl-C or SIGTERM; exit with 0."""
    lines = _Lines(run)
    lines.show({"event": "started"}, "following every source; Ctrl-C ends it")
    try:
        await app.keep(heard=lines.heard, worked=lines.worked)
    except asyncio.CancelledError:
        lines.show({"event": "stopped"}, "stopped; finished work is kept")
    return 0


@dataclass(slots=True)
class _Lines:
    """Prints what happens: JSON lines, or the local time and a sentence."""

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
            text = f"{counted(worked.documents, 'document')} read, {counted(worked.chunks, 'chunk')} searchable"
            text += f", {worked.removed} removed" if worked.removed else ""
            self.show({"event": "read", **counts}, text + (f", {worked.failed} failed" if worked.failed else ""))
        if worked.vectors:
            self.show({"event": "embedded", "vectors": worked.vectors}, f"{counted(worked.vectors, 'vector')} made")

    def show(self, data: dict[str, Any], text: str) -> None:
        now = system_clock()
        self.run.show({"at": now, **data}, f"{now.astimezone():%H:%M:%S} {text}")
