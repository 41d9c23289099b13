"""The Python SDK before 2.0."""

# pyright: basic, reportMissingImports=false
# The library lives in an environment of its own, out of the type checker's sight.

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import visit
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client


class Session:
    def __init__(self, session: Any, protocol: str) -> None:
        self._session, self._protocol = session, protocol

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any]) -> visit.Result:
        found = await self._session.call_tool(name, arguments)
        return visit.Result(visit.text_of(found.content), found.structuredContent, found.isError)

    async def read(self, uri: str) -> str:
        return visit.text_of((await self._session.read_resource(uri)).contents)

    def protocol(self) -> str:
        return self._protocol


async def model(context: Any, params: Any) -> Any:
    made: Any = types.CreateMessageResult
    return made(role="assistant", content=types.TextContent(type="text", text=visit.SAYS), model="scripted")


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[Session]:
    async with (
        httpx.AsyncClient(headers=visit.HEADERS, timeout=60) as http,
        streamable_http_client(url, http_client=http) as (read, write, *_),
        ClientSession(read, write, sampling_callback=model) as session,
    ):
        hello: Any = await session.initialize()
        yield Session(session, hello.protocolVersion)


visit.run("mcp", connect)
