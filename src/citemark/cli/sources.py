"""Adding, removing and syncing sources."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citemark.cli.overlap import check_apart
from citemark.cli.run import CommandContext
from citemark.indexing.sync import SyncReport
from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.services.app_context import AppContext
from citemark.sources.docs.settings import DOCS

_MOST_KINDS = 6
"""Types of files that a line names; a folder may hold hundreds."""


@dataclass(frozen=True, slots=True)
class DocsRequest:
    """What `citemark add docs` was given."""

    path: Path
    name: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    tags: tuple[str, ...]
    project_id: str | None
    environment: str | None
    repository: str | None
    url: str | None
    overlapping: bool
    language: str
    """A language; or `auto`, alone or with the language of documents that do not tell theirs (`auto:german`)."""


async def add_docs_source(run: CommandContext, app: AppContext, request: DocsRequest, *, sync: bool) -> int:
    """Record a folder as a source and index it."""
    root = request.path.expanduser().absolute()
    if not root.is_dir():
        raise InvalidArgument(f"{request.path} is no folder; give the folder that holds the documents.")
    language, detects = await language_asked(app, request.language)
    if not request.overlapping:
        check_apart(root, request.exclude, await app.stores.sources.all(Principal.local().tenant))
    config: dict[str, Any] = {"root": str(root)}
    if request.include:
        config["include"] = list(request.include)
    if request.exclude:
        config["exclude"] = list(request.exclude)
    if request.url:
        config["url"] = request.url
    source = await app.stores.sources.add(
        NewSource(
            name=request.name or root.name,
            kind=DOCS,
            config=config,
            project_id=request.project_id,
            environment=request.environment,
            repository=request.repository,
            tags=request.tags,
            language=language,
            detects_language=detects,
        )
    )
    return await show_added(run, app, source, sync=sync)


async def language_asked(app: AppContext, asked: str) -> tuple[str, bool]:
    """The language of a new source, and whether each document's own words decide.

    Raises:
        InvalidArgument: it is no language that is known.
    """
    auto, _, named = asked.partition(":")
    detects = auto.strip().lower() == "auto"
    return await app.stores.database.language_named((named or "english") if detects else asked), detects


async def show_added(run: CommandContext, app: AppContext, source: Source, *, sync: bool) -> int:
    """Index a source that was just recorded, or say how."""
    if not sync:
        run.show({"added": source.name}, f"Added {source.name}. `citemark sync {source.name}` indexes it.")
        return 0
    return await sync_and_show(run, app, {source.source_id: source}, added=source.name)


async def remove_source(run: CommandContext, app: AppContext, name: str) -> int:
    """Delete a source with all that came from it, and the app password of an account at its server."""
    source = await app.stores.sources.named(Principal.local().tenant, name)
    revoked = await _revoked(app, source) if source.kind == NEXTCLOUD else None
    sets = [entry.set_id for entry in await app.stores.vectors.sets()]
    await app.stores.sources.remove(source.source_id, sets)
    lines = [f"Removed {name}, its texts, vectors and history."]
    if revoked is not None:
        lines.append(revoked.text)
    told = {} if revoked is None else {"password_revoked": not revoked.reason, "reason": revoked.reason}
    run.show({"removed": name, **told}, "\n".join(lines))
    return 0


@dataclass(frozen=True, slots=True)
class _Revoked:
    """What became of an app password at its server; without a reason it is gone there."""

    reason: str

    @property
    def text(self) -> str:
        if not self.reason:
            return "Its app password was revoked at the server."
        return (
            f"Its app password could not be revoked: {self.reason} If your Nextcloud still shows it under Security, "
            "Devices & sessions, take it away there."
        )


async def _revoked(app: AppContext, source: Source) -> _Revoked:
    try:
        await app.revoke_password(source)
    except CitemarkError as error:
        return _Revoked(error.message)
    return _Revoked("")


async def sync_sources(run: CommandContext, app: AppContext, names: Sequence[str]) -> int:
    """Sync the sources named, or all."""
    return await sync_and_show(run, app, await chosen_sources(app, names))


async def chosen_sources(app: AppContext, names: Sequence[str]) -> dict[SourceId, Source]:
    """The sources named, or all.

    Raises:
        InvalidArgument: there is none of a name, or none at all.
    """
    tenant = Principal.local().tenant
    if names:
        chosen = [await app.stores.sources.named(tenant, name) for name in names]
    else:
        chosen = [source for source in await app.stores.sources.all(tenant) if source.followed]
    if not chosen:
        raise InvalidArgument("There is no source yet; `citemark add docs PATH` makes one.")
    return {source.source_id: source for source in chosen}


async def sync_and_show(
    run: CommandContext, app: AppContext, sources: dict[SourceId, Source], added: str | None = None
) -> int:
    """Sync and print what was done and what is wrong; the exit code is 1 when a listing was incomplete."""
    with run.progress() as bar:
        report = await app.sync(sources, bar.step if bar is not None else lambda _: None)
    problems = [
        {"source": source.name, **asdict(problem)}
        for source in sources.values()
        for problem in await app.stores.sources.problems(source.source_id)
    ]
    broken = {
        source.name: (await app.stores.links.broken(source.source_id, 1))[1] if report.documents else 0
        for source in sources.values()
    }
    lines = [
        f"  {name}: {count} links lead nowhere; `citemark problems {name}` lists them"
        for name, count in broken.items()
        if count
    ]
    run.show(
        {"added": added, **_as_dict(report), "problems": problems}, "\n".join([_as_text(report, problems), *lines])
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
            }
            for name, scan in report.scans.items()
        },
    }


def _as_text(report: SyncReport, problems: Sequence[dict[str, Any]]) -> str:
    lines = [
        f"{name}: {scan.listed} listed, {scan.wanted} new or changed, {scan.gone} gone"
        + (f", {scan.absent} missing and removed if they stay away" if scan.absent else "")
        + (f", {scan.outdated} to be read again by this version" if scan.outdated else "")
        + ("" if scan.complete else f" (incomplete: {scan.reason})")
        + (f" ({scan.reason})" if scan.complete and scan.reason else "")
        + (f"; not read: {kinds_text(scan.skipped)} (`--include` reads text of any type)" if scan.skipped else "")
        for name, scan in report.scans.items()
    ]
    removed = f", {report.removed} removed" if report.removed else ""
    lines.append(
        f"{report.documents} documents read{removed}, {report.chunks} chunks searchable, {report.vectors} vectors made"
    )
    lines += [f"  problem: {problem['source']}: {problem['native_id']}: {problem['message']}" for problem in problems]
    return "\n".join(lines)


def kinds_text(counts: Mapping[str, int]) -> str:
    """Counts of files by suffix, the most first: "12 .png, 3 without suffix, 2 others"."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    parts = [f"{count} {suffix or 'without suffix'}" for suffix, count in ordered[:_MOST_KINDS]]
    others = sum(count for _, count in ordered[_MOST_KINDS:])
    return ", ".join([*parts, f"{others} others"] if others else parts)
