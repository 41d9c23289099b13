"""`citemark add docs` and `add archimate`: check a source, record it and index it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.preview_command import NOT_RECORDED, show_preview
from citemark.cli.sync_command import sync_and_show
from citemark.model.architecture import ARCHIMATE, checked_capability
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.services.app_context import AppContext
from citemark.services.source_history import SOURCE_HISTORY, setting_of
from citemark.sources.docs.overlap import check_apart
from citemark.sources.docs.settings import DOCS


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The arguments of `citemark add archimate`."""

    path: Path
    capability: str
    name: str | None
    tags: tuple[str, ...]
    project_id: str | None
    environment: str | None
    repository: str | None
    language: str
    history: str = "90"
    dry_run: bool = False


async def add_archimate_source(run: CommandContext, app: AppContext, request: ModelRequest, *, sync: bool) -> int:
    """Record a model as a source and index it.

    Raises:
        InvalidArgument: the file does not exist, the capability cannot name tools, or the language is unknown.
        FatalSourceError: the file is not a model; the message says what it is instead.
    """
    capability = checked_capability(request.capability)
    path = request.path.expanduser().absolute()
    if not path.exists():
        raise InvalidArgument(
            f"{request.path} is not a file; give the exchange or .archimate file that holds the model."
        )
    config = {"path": str(path), "capability": capability}
    await app.sources.examine(ARCHIMATE, config)
    language = await language_asked(app, request.language)
    name = request.name or path.stem
    if request.dry_run:
        return await _tried(run, app, name, ARCHIMATE, config)
    source = await _recorded(app, request, language, name=name, kind=ARCHIMATE, config=config)
    return await show_added(run, app, source, sync=sync)


@dataclass(frozen=True, slots=True)
class DocsRequest:
    """The arguments of `citemark add docs`."""

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
    """A language; or `auto`, alone or with the language of documents in which none is detected (`auto:german`)."""
    history: str = "90"
    also: tuple[str, ...] = ()
    ignore: bool = True
    dry_run: bool = False


async def add_docs_source(run: CommandContext, app: AppContext, request: DocsRequest, *, sync: bool) -> int:
    """Record a folder as a source and index it; with `dry_run`, only show what would be indexed."""
    root = request.path.expanduser().absolute()
    if not root.is_dir():
        raise InvalidArgument(f"{request.path} is not a folder; give the folder that holds the documents.")
    language = await language_asked(app, request.language)
    if not request.overlapping:
        check_apart(root, request.exclude, await app.sources.all(), ignore=request.ignore)
    config: dict[str, Any] = {"root": str(root), "ignore": request.ignore}
    if request.include:
        config["include"] = list(request.include)
    if request.exclude:
        config["exclude"] = list(request.exclude)
    if request.also:
        config["also"] = list(request.also)
    if request.url:
        config["url"] = request.url
    name = request.name or root.name
    if request.dry_run:
        return await _tried(run, app, name, DOCS, config)
    source = await _recorded(app, request, language, name=name, kind=DOCS, config=config)
    return await show_added(run, app, source, sync=sync)


async def _tried(run: CommandContext, app: AppContext, name: str, kind: str, config: Mapping[str, Any]) -> int:
    """Show what a source would hold without recording it."""
    unrecorded = Source(NOT_RECORDED, Principal.local().tenant, name, kind, config)
    return show_preview(run, {name: await app.preview(unrecorded)}, f"{name} would be added.")


async def _recorded(
    app: AppContext,
    request: ModelRequest | DocsRequest,
    language: tuple[str, bool],
    *,
    name: str,
    kind: str,
    config: dict[str, Any],
) -> Source:
    """Record a source with the labels and the history that every `add` command takes.

    `language`: its language, and whether that of each document is detected.
    """
    setting = setting_of(request.history)
    source = await app.sources.add(
        NewSource(
            name=name,
            kind=kind,
            config=config,
            project_id=request.project_id,
            environment=request.environment,
            repository=request.repository,
            tags=request.tags,
            language=language[0],
            detects_language=language[1],
            keep_history=setting.keeps,
        )
    )
    await app.services.get(SOURCE_HISTORY).keep(source, setting)
    return source


async def language_asked(app: AppContext, asked: str) -> tuple[str, bool]:
    """The language of a new source, and whether that of each document is detected from its words.

    Raises:
        InvalidArgument: the language is not known.
    """
    auto, _, language = asked.partition(":")
    detects = auto.strip().lower() == "auto"
    return await app.sources.language_named((language or "english") if detects else asked), detects


async def show_added(run: CommandContext, app: AppContext, source: Source, *, sync: bool) -> int:
    """Index a source that was just recorded, or tell the user how to do so."""
    if not sync:
        run.show({"added": source.name}, f"Added {source.name}. `citemark sync {source.name}` indexes it.")
        return 0
    return await sync_and_show(run, app, {source.source_id: source}, added=source.name)
