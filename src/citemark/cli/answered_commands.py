"""Commands that a server can carry out for the command line: their arguments are data, and what they show is too."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from citemark.cli.command_context import AnsweredCommand, Arguments, CommandContext, exit_code_of, exit_data
from citemark.cli.search_command import TypedSearch, evidence_command, search_command
from citemark.cli.status_command import show_status
from citemark.cli.styled import Styled
from citemark.evidence.budget import EvidenceLimits
from citemark.model.errors import CitemarkError
from citemark.services.app_context import AppContext
from citemark.settings import Settings


async def _search(run: CommandContext, app: AppContext, arguments: Arguments) -> int:
    asked = TypeAdapter(TypedSearch).validate_python(arguments["asked"])
    return await search_command(run, app, asked, why=bool(arguments["why"]))


async def _evidence(run: CommandContext, app: AppContext, arguments: Arguments) -> int:
    asked = TypeAdapter(TypedSearch).validate_python(arguments["asked"])
    return await evidence_command(run, app, asked, TypeAdapter(EvidenceLimits).validate_python(arguments["limits"]))


async def _status(run: CommandContext, app: AppContext, _: Arguments) -> int:
    return await show_status(run, app)


CORE_COMMANDS: Mapping[str, AnsweredCommand] = {"search": _search, "evidence": _evidence, "status": _status}
"""Those of the core, by name."""


@dataclass(frozen=True, slots=True)
class RecordedCommand(CommandContext):
    """A command whose result is kept instead of printed."""

    shown: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def show(self, data: Mapping[str, Any], text: str | Styled) -> None:
        """Keep the one of the two that would be printed."""
        if self.json:
            self.shown.append({"data": exit_data(data)})
        elif isinstance(text, str):
            self.shown.append({"text": text})
        else:
            self.shown.append({"lines": text.pieces()})


@asynccontextmanager
async def _nothing_opened(settings: Settings, database: str | None = None) -> AsyncGenerator[AppContext, None]:
    _ = settings, database
    raise RuntimeError("a server has its index open already")
    yield


async def carried_out(app: AppContext, command: AnsweredCommand, arguments: Arguments, *, json: bool) -> dict[str, Any]:
    """What a command shows over an open index, and its exit code, as JSON holds them."""
    run = RecordedCommand(_nothing_opened, json=json, quiet=True)
    try:
        code = await command(run, app, arguments)
    except CitemarkError as error:
        failed = {"code": error.code, "message": error.message, "details": exit_data(error.details)}
        return {"exit": exit_code_of(error), "error": failed}
    return {"exit": code, "shown": run.shown}
