"""Adding architecture models."""

from dataclasses import dataclass
from pathlib import Path

from citemark.cli.run import CommandContext
from citemark.cli.sources import language_asked, show_added
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.model.architecture import ARCHIMATE, checked_capability
from citemark.model.errors import InvalidArgument
from citemark.model.sources import NewSource
from citemark.services.app_context import AppContext
from citemark.settings import Settings
from citemark.sources.archimate.model_file import read_snapshot


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What `citemark add archimate` was given."""

    path: Path
    capability: str
    name: str | None
    tags: tuple[str, ...]
    project_id: str | None
    environment: str | None
    repository: str | None
    language: str


async def add_archimate_source(run: CommandContext, app: AppContext, request: ModelRequest, *, sync: bool) -> int:
    """Record a model as a source and index it.

    Raises:
        InvalidArgument: there is no file, the capability cannot name tools, or the language is unknown.
        FatalSourceError: the file is no model, with what it is instead.
    """
    capability = checked_capability(request.capability)
    path = request.path.expanduser().absolute()
    if not path.is_file():
        raise InvalidArgument(f"{request.path} is no file; give the exchange or .archimate file that holds the model.")
    await _readable(path, app.settings)
    language, detects = await language_asked(app, request.language)
    source = await app.stores.sources.add(
        NewSource(
            name=request.name or path.stem,
            kind=ARCHIMATE,
            config={"path": str(path), "capability": capability},
            project_id=request.project_id,
            environment=request.environment,
            repository=request.repository,
            tags=request.tags,
            language=language,
            detects_language=detects,
        )
    )
    return await show_added(run, app, source, sync=sync)


async def _readable(path: Path, settings: Settings) -> None:
    """Read a model once, so that a wrong file is told before it is a source."""
    parsers = ParserPool(Limits(seconds=settings.parse_seconds, memory_mib=settings.parse_memory_mib))
    try:
        await read_snapshot(path, parsers)
    finally:
        await parsers.close()
