"""The route at which a server carries out commands of its owner's command line (`cli/running_server.py`)."""

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from citemark import __version__
from citemark.cli.running_server import COMMAND_PATH
from citemark.settings_files import settings_print
from citemark.tools.http_guards import BearerToken
from citemark.tools.server import Health

if TYPE_CHECKING:
    from citemark.cli.command_context import AnsweredCommand
    from citemark.services.app_context import AppContext


class CommandIndex(Protocol):
    """An index that opens while its server runs."""

    def health(self) -> Health:
        """Whether it is open."""
        ...

    async def app(self) -> "AppContext":
        """All its use cases, once it is open."""
        ...


class _Asked(BaseModel):
    """A command as it is sent, by which version and with which settings."""

    model_config = ConfigDict(strict=True)

    version: str
    settings: str
    command: str
    arguments: dict[str, Any]
    json_: bool


def command_route(
    index: CommandIndex, token: str | None, commands: "Callable[[], Mapping[str, AnsweredCommand]]"
) -> Route:
    """The route; only requests with the owner's token are served, as with everything that the owner may do.

    A command from another version or with other settings than the server began with is refused with 409, one before
    the index is open with 503: whoever asks opens the index instead.
    """
    owner, settings = BearerToken(token), settings_print(os.environ, lambda _: None)

    async def carry_out(request: Request) -> Response:
        if not owner.holds(request.headers):
            return PlainTextResponse("Not for you", 401, {"www-authenticate": 'Bearer realm="citemark"'})
        try:
            body = json.loads(await request.body())
            asked = _Asked.model_validate({**body, "json_": body["json"]})
        except (ValueError, TypeError, KeyError, RecursionError, ValidationError):
            return PlainTextResponse("Not a command", 400)
        if (asked.version, asked.settings) != (__version__, settings):
            return PlainTextResponse("Another version, or other settings", 409)
        if index.health().status != "ready":
            return PlainTextResponse("Not open yet", 503)
        from citemark.cli.answered_commands import carried_out  # noqa: PLC0415 - a server that nobody asks so needs none

        command = commands().get(asked.command)
        if command is None:
            return PlainTextResponse("No such command", 404)
        return JSONResponse(await carried_out(await index.app(), command, asked.arguments, json=asked.json_))

    return Route(COMMAND_PATH, endpoint=carry_out, methods=["POST"])
