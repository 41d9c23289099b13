"""A client in the same process as the server it speaks to."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from mcp import Client
from mcp.client.extension import ClientExtension
from mcp.client.session import SamplingFnT
from mcp_types import CallToolResult, Implementation, TextContent
from tests.support.answering_services import put_answers
from tests.support.groups import catalog
from tests.unit.tools.double import DoubleServices

from citemark.app.host_app_pages import APP_PAGES
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.index_contents import ToolGroups
from citemark.tools.server import build_server

Mode = Literal["auto", "legacy"]


@asynccontextmanager
async def connected(
    services: Services | None = None,
    *,
    mode: Mode = "auto",
    client_name: str = "tests",
    caller: Caller | None = None,
    families: ToolGroups | None = None,
    answers: AnswerService | None = None,
    sampling: SamplingFnT | None = None,
    extensions: Sequence[ClientExtension] = (),
    **settings: Any,
) -> AsyncGenerator[Client]:
    """A client of a server over `services`; with `answers` it has the tools that generate, with `sampling` a model."""
    opened = services or DoubleServices()
    if answers is not None:
        put_answers(opened, answers)

    async def provide() -> Services:
        return opened

    offer = catalog(families, answering=answers is not None)
    server = build_server(provide, Settings(**settings), caller or Caller.local(), offer, app_pages=APP_PAGES)
    info = Implementation(name=client_name, version="1")
    async with Client(server, mode=mode, client_info=info, sampling_callback=sampling, extensions=extensions) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """The text channel."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def code_of(result: CallToolResult) -> str:
    """The code of a failure."""
    assert result.is_error, result
    return result.structured_content["error"]["code"]
