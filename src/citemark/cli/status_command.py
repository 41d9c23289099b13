"""`citemark sources`, `status` and `problems`: what is indexed, how fast the rest comes, and what is wrong."""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.counting import counted
from citemark.cli.left_out_lines import group_lines, left_out_lines, quoted, remedy
from citemark.cli.problem_lines import problem_lines
from citemark.cli.sync_command import chosen_sources, first_notes
from citemark.model.ids import SourceId
from citemark.model.left_out import LeftOut
from citemark.model.sources import Source
from citemark.model.status import SourceStatus
from citemark.services.app_context import AppContext

NO_SOURCES = (
    "There are no sources yet. `citemark add FOLDER` adds a folder of documents, `citemark add nextcloud URL` an\n"
    "account, and `citemark demo` shows what to expect."
)

_SHOWN = 20
"""The most problems of a source that its status shows."""


async def list_sources(run: CommandContext, app: AppContext) -> int:
    """List the sources with their settings and counts."""
    counts = {status.source_id: status for status in await app.status.sources()}
    sources = await app.sources.all()
    data: list[dict[str, Any]] = [
        {
            "name": source.name,
            "kind": source.kind,
            "config": dict(source.config),
            **source.labels.data(),
            "language": source.language,
            "detects_language": source.detects_language,
            "documents": counts[source.source_id].documents,
            "languages": dict(counts[source.source_id].languages),
            "chunks": counts[source.source_id].chunks,
        }
        for source in sources
    ]
    lines = [
        f"{row['name']}: {row['kind']} {_location(row['config'])}, "
        f"{counted(row['documents'], 'document')}{_languages(row['languages'])}, {counted(row['chunks'], 'chunk')}"
        + (f", tags {', '.join(row['tags'])}" if row["tags"] else "")
        + (f"\n  about it: {row['about']}" if row["about"] else "")
        for row in data
    ]
    run.show({"sources": data}, "\n".join(lines) or NO_SOURCES)
    return 0


async def show_status(run: CommandContext, app: AppContext) -> int:
    """Show both counts (searchable by words, with vectors), the rates, the time left and the problems."""
    await app.try_refused_logins()
    statuses = await app.status.sources()
    database = await app.status.database()
    sets = await app.status.sets()
    active = next((entry for entry in sets if entry.active), None)
    building = [(entry, (await app.status.backlog(entry)).waiting) for entry in sets if not entry.active]
    unlisted = list(await app.unlisted_tools())
    left_out = {status.source_id: await app.sources.left_out(SourceId(status.source_id)) for status in statuses}
    notes = await first_notes(app, await app.sources.all())
    data = {
        "sources": [
            {**asdict(status), "seconds_left": status.seconds_left, "left_out": _counts(left_out[status.source_id])}
            for status in statuses
        ],
        "database_bytes": database.size_bytes,
        "partitions": database.partitions,
        "model": active.model if active is not None else app.embedder.model,
        "building": [{"model": entry.model, "vectors_waiting": waiting} for entry, waiting in building],
        "unlisted_tools": unlisted,
        "notes": notes,
    }
    lines = [_line(status) for status in statuses] or [NO_SOURCES]
    for status in statuses:
        problems = await app.sources.problems(SourceId(status.source_id), _SHOWN + 1)
        shown = problem_lines(quoted(status.name), problems[:_SHOWN], more=len(problems) > _SHOWN)
        lines += [f"  {line}" for line in shown]
        lines += left_out_lines(status.name, left_out[status.source_id])[:1]
    divided = f" in {database.partitions} partitions" if database.partitions else ""
    lines.append(f"database {database.size_bytes / 1e6:.0f} MB{divided}, model {data['model']}")
    lines += [f"{entry.model} takes over when {waiting} more vectors are ready" for entry, waiting in building]
    lines += [f"tools that can be called but do not fit the list: {', '.join(unlisted)}"] if unlisted else []
    run.show(data, "\n".join([*lines, *notes]))
    return 0


def _counts(left_out: LeftOut | None) -> dict[str, Any] | None:
    return None if left_out is None else left_out.as_json()


async def list_left_out(run: CommandContext, app: AppContext, names: Sequence[str]) -> int:
    """List what the named sources, or all, hold and do not index: counts, examples, and what would include them."""
    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for source in (await chosen_sources(app, names)).values():
        left_out = await app.sources.left_out(source.source_id)
        groups = () if left_out is None else left_out.groups
        of_account = left_out is not None and left_out.of_account
        shown = {} if left_out is None else left_out.as_json(examples=True)
        for group, entry in zip(groups, shown.get("groups", ()), strict=True):
            entry["option"] = remedy(source.name, group, of_account=of_account)
            lines += group_lines(source.name, group, of_account=of_account)
        data.append({"source": source.name, "counted": left_out is not None, **shown})
        if left_out is None and app.kinds.of(source).counts_left_out:
            lines.append(f"{source.name}: not counted yet; `citemark sync {quoted(source.name)}` counts")
    run.show({"sources": data}, "\n".join(lines) or "Nothing is left out.")
    return 0


def _location(config: Mapping[str, Any]) -> str:
    """Where a source is: a folder, the file of a model, or an account."""
    if "server" in config:
        return f"{config.get('user', '')}@{config['server']}"
    return str(config.get("root") or config.get("path") or "")


def _languages(counts: Mapping[str, int]) -> str:
    """How many documents are in which language, unless all are in English."""
    if not counts.keys() - {"english"}:
        return ""
    return f" ({', '.join(f'{count} {language}' for language, count in counts.items())})"


def _line(status: SourceStatus) -> str:
    parts = [
        f"{status.name}: {counted(status.documents, 'document')}{_languages(status.languages)}",
        f"{counted(status.chunks, 'chunk')} searchable by words",
        f"{status.vectors} with vectors",
    ]
    if status.by_meaning < status.documents:
        parts.append(f"{status.by_meaning} documents found by meaning")
    if status.texts_waiting:
        parts.append(f"{counted(status.texts_waiting, 'document')} waiting")
    if status.vectors_waiting:
        left = status.seconds_left
        rate = f"{status.vectors_per_second:.0f}/s" if status.vectors_per_second else "not being embedded now"
        parts.append(
            f"{counted(status.vectors_waiting, 'vector')} waiting ({rate}" + (f", {left:.0f} s left)" if left else ")")
        )
    if status.failed:
        parts.append(f"{status.failed} failed")
    if status.reason:
        parts.append(status.reason)
    if status.paused:
        parts.append(f"paused until `citemark source resume {quoted(status.name)}`")
    else:
        elsewhere = f" on {status.machine}" if status.machine not in {"", socket.gethostname()} else ""
        parts.append(f"followed by {status.watching}{elsewhere}" if status.watching else "not followed now")
    if status.last_complete_scan is None:
        parts.append("no complete scan yet")
    else:
        parts.append(f"last complete scan {status.last_complete_scan.astimezone():%Y-%m-%d %H:%M:%S}")
    return ", ".join(parts)


async def list_problems(run: CommandContext, app: AppContext, names: Sequence[str], limit: int) -> int:
    """List problems, notices and broken links of the named sources, or of all: with at most `limit` of each."""
    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for source in (await chosen_sources(app, names)).values():
        entry, shown = await _problems_of(app, source, limit)
        data.append(entry)
        lines += shown
    run.show({"sources": data}, "\n".join(lines) or "Nothing is wrong.")
    return 0


async def _problems_of(app: AppContext, source: Source, limit: int) -> tuple[dict[str, Any], list[str]]:
    found = await app.sources.problems(source.source_id, limit + 1)
    reported = found[:limit]
    noticed = await app.sources.notices(source.source_id, limit + 1)
    links, broken = await app.sources.broken_links(source.source_id, limit)
    lines = [f"{source.name}: {problem.native_id}: {problem.message}" for problem in reported]
    if len(found) > limit:
        lines.append(f"{source.name}: more problems; --limit shows more")
    lines += [f"{source.name}: {notice.native_id}: {notice.message}" for notice in noticed[:limit]]
    if len(noticed) > limit:
        lines.append(f"{source.name}: more notices; --limit shows more")
    lines += [f"{source.name}: {link.native_id}: {link.message}" for link in links]
    if broken > len(links):
        more = broken - len(links)
        lines.append(f"{source.name}: {more} more broken link{'' if more == 1 else 's'}; --limit shows more")
    entry = {
        "source": source.name,
        "problems": [asdict(problem) for problem in reported],
        "more_problems": len(found) > limit,
        "notices": [asdict(notice) for notice in noticed[:limit]],
        "more_notices": len(noticed) > limit,
        "broken_links": [{**asdict(link), "message": link.message} for link in links],
        "broken_links_total": broken,
    }
    return entry, lines
