"""`citemark doctor`: tries every part and reports findings that say what to do."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from citemark import __version__
from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.counting import counted
from citemark.cli.install.found_hosts import FoundHost, found_hosts
from citemark.cli.multilingual_offer import documents_by_language, multilingual_offer
from citemark.cli.service.service_command import service_file
from citemark.embedding.providers.recipe import recipe_of
from citemark.folders import data_dir, socket_file
from citemark.logs import configure_logs
from citemark.model.errors import CitemarkError
from citemark.model.ids import SourceId
from citemark.model.left_out import kinds_text
from citemark.model.vectors import MOST_DIMENSIONS, TooManyDimensions
from citemark.services.app_context import AppContext
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings, load_settings
from citemark.tools.bridge.local_http import connected

_LOW_DISK = 1_000_000_000
"""Bytes; PostgreSQL stops when the disk is full, and a sync of a large folder writes some hundred megabytes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its name, whether it passed, and what was seen or what to do.

    `advice`: it works, and something would make it better. `warning`: it works, but documents or tools are missing.
    """

    check: str
    ok: bool
    message: str
    advice: bool = False
    warning: bool = False

    @property
    def mark(self) -> str:
        """The mark shown before the finding."""
        if not self.ok:
            return "FAIL"
        if self.warning:
            return "warn"
        return "note" if self.advice else "ok  "


def doctor_command(run: CommandContext) -> int:
    """Run every check and print the findings; the exit code is 1 if one failed."""
    findings = asyncio.run(_examine(run))
    lines = [f"{finding.mark} {finding.check}: {finding.message}" for finding in findings]
    healthy = all(finding.ok for finding in findings)
    data = {"healthy": healthy, "findings": [asdict(finding) for finding in findings]}
    run.show(data, "\n".join(lines))
    return 0 if healthy else FAILED


async def _examine(run: CommandContext) -> list[Finding]:
    findings = [
        Finding("citemark", ok=True, message=f"version {__version__} on Python {sys.version.split()[0]}"),
    ]
    try:
        settings = load_settings()
        configure_logs(settings.log_level)
        findings += [_disk(settings), hosts_finding(found_hosts()), service_finding(service_file())]
        findings.append(server_finding(data_dir(settings.data_dir)))
        async with run.open_index(settings) as app:
            for name, check in (
                ("database", _database),
                ("model", model_finding),
                ("sources", _sources),
                ("documents", _documents),
                ("languages", language_finding),
                ("search", _search),
                ("tools", tools_finding),
            ):
                findings.append(await _tried(name, check, app))
    except CitemarkError as error:
        findings.append(Finding("index", ok=False, message=error.message))
    return findings


async def _tried(name: str, check: Callable[[AppContext], Awaitable[Finding]], app: AppContext) -> Finding:
    try:
        return await check(app)
    except (CitemarkError, OSError) as error:
        return Finding(name, ok=False, message=str(error))


def _disk(settings: Settings) -> Finding:
    if settings.database_url is not None:
        return Finding("disk", ok=True, message="the database is elsewhere")
    folder = data_dir(settings.data_dir)
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    return Finding("disk", ok=free > _LOW_DISK, message=f"{free / 1e9:.1f} GB free for {folder}")


def hosts_finding(found: Sequence[FoundHost]) -> Finding:
    """Whether each host that has Citemark can start it, or reads its configuration at all."""
    wrong = [f"{each.config} cannot be read: {each.wrong}" for each in found if each.wrong]
    wrong += [
        f"{each.host.title} starts {program}, which is not there; `citemark install {each.host.key}` mends that"
        for each in found
        for program in each.programs
        if Path(program).is_absolute() and not os.access(program, os.X_OK)
    ]
    having = [each.host.title for each in found if each.names]
    lacking = [each.host.key for each in found if not each.names and not each.wrong]
    summary = f"in {', '.join(having)}" if having else "in none"
    summary += f"; `citemark install` adds it to {', '.join(lacking)}" if lacking else ""
    return Finding("hosts", ok=True, warning=bool(wrong), message="; ".join([*wrong, summary]))


def service_finding(file: Path) -> Finding:
    """Whether the service, if there is one, starts a program that is there."""
    if not file.exists():
        return Finding("service", ok=True, message="none; `citemark service install` makes one for all hosts")
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        return Finding("service", ok=True, warning=True, message=f"{file} cannot be read: {error.strerror}")
    program = re.search(r'^ExecStart="([^"]+)"|<array>\s*<string>([^<]+)</string>', text, re.MULTILINE)
    path = "" if program is None else program[1] or program[2]
    if os.access(path, os.X_OK):
        return Finding("service", ok=True, message=f"{file} starts {path}")
    again = "`citemark service install` writes it again"
    return Finding("service", ok=True, warning=True, message=f"{file} starts {path or 'nothing'}, not there; {again}")


def server_finding(folder: Path) -> Finding:
    """Whether a server of this index answers bridges."""
    path = socket_file(folder)
    try:
        connected(path).close()
    except OSError as error:
        none_runs = isinstance(error, FileNotFoundError | ConnectionRefusedError)
        why = "no `serve --http` of this index runs" if none_runs else f"{path}: {error.strerror or error}"
        return Finding("bridge", ok=True, message=f"{why}; `citemark bridge` then serves by itself")
    return Finding("bridge", ok=True, message=f"the server at {path} answers `citemark bridge`")


async def _database(app: AppContext) -> Finding:
    row = await app.status.database()
    return Finding(
        "database",
        ok=True,
        message=f"PostgreSQL {row.server}, pgvector {row.pgvector}, {row.size_bytes / 1e6:.0f} MB"
        + (f" in {row.partitions} partitions" if row.partitions else ""),
    )


async def model_finding(app: AppContext) -> Finding:
    """Hash the bundled model's files, and ask the configured model once; if either fails, its message is the finding.

    Raises:
        DamagedModel: a file of the bundled model is not the one that was shipped.
        EmbeddingFailed: the configured model cannot be asked.
    """
    await asyncio.to_thread(app.bundled_model.verify_files)
    embedder = app.embedder
    identity = await asyncio.to_thread(lambda: embedder.identity)
    took = -perf_counter()
    await asyncio.to_thread(embedder.embed_query, "doctor")
    took += perf_counter()
    if identity.dimensions > MOST_DIMENSIONS:
        return Finding("model", ok=False, message=TooManyDimensions(identity.model, identity.dimensions).message)
    summary = f"{identity.model}, {identity.dimensions} dimensions, embeds a question in {took * 1000:.0f} ms"
    recipe = recipe_of(app.settings)
    if recipe is not None and recipe.exposes_key and app.settings.embedding_api_key is not None:
        summary += "; texts and key cross the network unencrypted, so give embedding_url with https if you can"
    sets = await app.status.sets()
    active = next((entry for entry in sets if entry.active), None)
    if active is not None and active.fingerprint != identity.fingerprint:
        waiting = [entry for entry in sets if entry.fingerprint == identity.fingerprint]
        todo = "goes on building its vectors" if waiting else "builds its vectors beside those, then switches"
        return Finding(
            "model", ok=False, message=f"{summary}; the index was embedded with {active.model}: `citemark sync` {todo}"
        )
    parked = 0 if active is None else (await app.status.backlog(active)).parked
    if parked:
        return Finding(
            "model", ok=False, message=f"{summary}; it refused {parked} chunks, which are found by their words alone"
        )
    return Finding("model", ok=True, message=summary)


async def _sources(app: AppContext) -> Finding:
    statuses = await app.status.sources()
    if not statuses:
        return Finding("sources", ok=True, message="none yet; `citemark add FOLDER` adds one")
    wrong = [f"{entry.name}: {entry.reason}" for entry in statuses if entry.reason]
    number, chunks = len(statuses), sum(entry.chunks for entry in statuses)
    counts = f"{number} source{'' if number == 1 else 's'}, {chunks} chunk{'' if chunks == 1 else 's'}"
    waiting = sum(entry.vectors_waiting + entry.texts_waiting for entry in statuses)
    if waiting:
        counts += f", {waiting} tasks pending (`citemark sync` does them)"
    return Finding("sources", ok=not wrong, message="; ".join([counts, *wrong]))


async def _documents(app: AppContext) -> Finding:
    """Documents of the sources that are not in the index; an unreadable file is only a warning."""
    problems: list[str] = []
    skipped: list[str] = []
    for entry in await app.status.sources():
        if entry.problems:
            problems.append(
                f"{entry.name}: {entry.problems} with problems, not found or only in an earlier version "
                f"(`citemark problems {entry.name}` lists them)"
            )
        counts = await app.sources.skipped(SourceId(entry.source_id))
        if counts:
            skipped.append(f"{entry.name}: {kinds_text(counts)} files are not read because of their type")
    message = "; ".join([*problems, *skipped]) or "all are read"
    return Finding("documents", ok=True, warning=bool(problems), message=message)


async def language_finding(app: AppContext) -> Finding:
    """Count the documents of each language, and offer the multilingual model where it would help."""
    counts = await documents_by_language(app)
    shares = ", ".join(f"{count} {language}" for language, count in counts.most_common()) or "no documents yet"
    offer = await multilingual_offer(app)
    return Finding("languages", ok=True, advice=bool(offer), message=f"{shares}; {offer}" if offer else shares)


async def _search(app: AppContext) -> Finding:
    page = await app.services.search.find(Caller.local(), SearchRequest("what is this about", min_score=0))
    return Finding("search", ok=True, message=f"answers; {counted(len(page.hits), 'hit')} for a test question")


async def tools_finding(app: AppContext) -> Finding:
    """Name the tools that do not fit the list: hosts see only the listed ones, and no reason."""
    unlisted = await app.unlisted_tools()
    if not unlisted:
        return Finding("tools", ok=True, message="all are listed")
    message = f"the list is full; these can be called and are not listed: {', '.join(unlisted)}"
    return Finding("tools", ok=True, warning=True, message=message)
