"""fastmcp's own client."""

# pyright: basic, reportMissingImports=false
# The library lives in an environment of its own, out of the type checker's sight.

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import visit
from fastmcp import Client


class FastMCP:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self._client.list_tools()]

    async def call(self, name: str, arguments: dict[str, Any]) -> visit.Result:
        found = await self._client.call_tool(name, arguments, raise_on_error=False)
        return visit.Result(visit.text_of(found.content), found.structured_content, found.is_error)

    async def read(self, uri: str) -> str:
        return visit.text_of(await self._client.read_resource(uri))

    def protocol(self) -> str:
        return self._client.protocol_version


async def model(*_: Any) -> str:
    return visit.SAYS


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[FastMCP]:
    async with Client(url, auth=visit.TOKEN, sampling_handler=model) as client:
        yield FastMCP(client)


visit.run("fastmcp", connect)
