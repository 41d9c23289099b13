"""Adding a source of any kind: record it and index it; and `citemark add docs` and `add archimate`, which check it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.preview_command import NOT_RECORDED, show_preview
from citemark.cli.sync_command import sync_and_show
from citemark.extraction.text_recognition import TextRecognition
from citemark.model.architecture import ARCHIMATE, checked_capability
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.model.source_labels import UNLABELLED, SourceLabels
from citemark.model.sources import NewSource, Source
from citemark.services.app_context import AppContext
from citemark.services.source_history import SOURCE_HISTORY, setting_of
from citemark.sources.docs.overlap import check_apart
from citemark.sources.docs.settings import DOCS


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """What every command that adds a source takes, besides where the source is and what its kind has of its own.

    Attributes:
        name: of the source; None for the one that its kind proposes.
        language: a language; or `auto`, alone or with the language of documents in which none is detected
            (`auto:german`).
        history: how long superseded states are kept, as written.
        dry_run: whether to show only what would be indexed.
    """

    name: str | None = None
    labels: SourceLabels = UNLABELLED
    language: str = "auto"
    history: str = "90"
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A source as its kind proposes it: the name that it has unless another is asked for, and its configuration."""

    kind: str
    name: str
    config: Mapping[str, Any]


async def add_source(
    run: CommandContext, app: AppContext, proposal: Proposal, request: SourceRequest, *, sync: bool
) -> int:
    """Record a source of any kind and, with `sync`, index it; a dry run only shows what would be indexed.

    Raises:
        InvalidArgument: the language or the history is not known, or the name is taken.
        FatalSourceError: what the configuration names is not what a source of this kind reads.
    """
    await app.sources.examine(proposal.kind, proposal.config)
    language, detects = await language_asked(app, request.language)
    name = request.name or proposal.name
    if request.dry_run:
        unrecorded = Source(NOT_RECORDED, Principal.local().tenant, name, proposal.kind, proposal.config)
        return show_preview(run, {name: await app.preview(unrecorded)}, f"{name} would be added.")
    setting = setting_of(request.history)
    source = await app.sources.add(
        NewSource(
            name=name,
            kind=proposal.kind,
            config=proposal.config,
            labels=request.labels,
            language=language,
            detects_language=detects,
            keep_history=setting.keeps,
        )
    )
    await app.services.get(SOURCE_HISTORY).keep(source, setting)
    return await show_added(run, app, source, sync=sync)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest(SourceRequest):
    """The arguments of `citemark add archimate`."""

    path: Path
    capability: str


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
    return await add_source(run, app, Proposal(ARCHIMATE, path.stem, config), request, sync=sync)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsRequest(SourceRequest):
    """The arguments of `citemark add docs`."""

    path: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    url: str | None = None
    overlapping: bool = False
    ignore: bool = True
    ocr: bool = False


async def add_docs_source(run: CommandContext, app: AppContext, request: DocsRequest, *, sync: bool) -> int:
    """Record a folder as a source and index it; with `dry_run`, only show what would be indexed."""
    root = request.path.expanduser().absolute()
    if not root.is_dir():
        raise InvalidArgument(f"{request.path} is not a folder; give the folder that holds the documents.")
    if not request.overlapping:
        check_apart(root, request.exclude, await app.sources.all(), ignore=request.ignore)
    patterns = {"include": request.include, "exclude": request.exclude, "also": request.also}
    config: dict[str, Any] = {"root": str(root), "ignore": request.ignore}
    config |= {key: list(globs) for key, globs in patterns.items() if globs}
    if request.url:
        config["url"] = request.url
    proposal = Proposal(DOCS, root.name, with_ocr(app, config, asked=request.ocr))
    return await add_source(run, app, proposal, request, sync=sync)


def with_ocr(app: AppContext, config: Mapping[str, Any], *, asked: bool) -> Mapping[str, Any]:
    """A configuration that asks for text recognition, if the person did.

    Raises:
        InvalidArgument: it is not installed.
    """
    if not asked:
        return config
    check_recognition(app)
    return {**config, "ocr": True}


def check_recognition(app: AppContext) -> None:
    """Refuse text recognition where what the settings choose is not installed.

    Raises:
        InvalidArgument: it is not; the message says what to install.
    """
    recognition = TextRecognition.chosen(app.settings)
    if not recognition.is_installed:
        raise InvalidArgument(recognition.missing)


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
