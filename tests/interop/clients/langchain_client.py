"""langchain-mcp-adapters: the tools as LangChain calls them."""

# pyright: basic, reportMissingImports=false
# The library lives in an environment of its own, out of the type checker's sight.

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import visit
from langchain_mcp_adapters.client import MultiServerMCPClient


class LangChain:
    def __init__(self, client: Any, protocol: str) -> None:
        self._client, self._protocol = client, protocol

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self._client.get_tools()]

    async def call(self, name: str, arguments: dict[str, Any]) -> visit.Result:
        tool = next(tool for tool in await self._client.get_tools() if tool.name == name)
        message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
        structured = (message.artifact or {}).get("structured_content")
        blocks = [block if isinstance(block, str) else str(block.get("text", block)) for block in message.content]
        return visit.Result("\n".join(blocks), structured, message.status == "error")

    async def read(self, uri: str) -> str:
        return (await self._client.get_resources("citemark", uris=[uri]))[0].as_string()

    def protocol(self) -> str:
        return self._protocol


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[LangChain]:
    client: Any = MultiServerMCPClient(
        {"citemark": {"transport": "streamable_http", "url": url, "headers": visit.HEADERS}}
    )
    async with client.session("citemark", auto_initialize=False) as session:
        protocol = (await session.initialize()).protocolVersion
    yield LangChain(client, protocol)


visit.run("langchain-mcp-adapters", connect)
