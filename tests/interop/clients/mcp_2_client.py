"""The Python SDK since 2.0, which is the server's own."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import visit
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent


class Session:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any]) -> visit.Result:
        found = await self._client.call_tool(name, arguments)
        return visit.Result(visit.text_of(found.content), found.structured_content, bool(found.is_error))

    async def read(self, uri: str) -> str:
        return visit.text_of((await self._client.read_resource(uri)).contents)

    def protocol(self) -> str:
        return self._client.protocol_version


async def model(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=visit.SAYS), model="scripted")


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[Session]:
    mode: Any = sys.argv[3]
    async with (
        httpx2.AsyncClient(headers=visit.HEADERS, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, sampling_callback=model) as client,
    ):
        yield Session(client)


visit.run("mcp", connect)
