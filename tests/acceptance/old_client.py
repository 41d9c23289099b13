"""Run by the Python of an mcp 1.x SDK: asks a server over stdio or HTTP, prints what it saw as one JSON object."""

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def streams(where: dict[str, Any]) -> AbstractAsyncContextManager[Any]:
    if "url" in where:
        http: Any = import_module("httpx").AsyncClient(
            headers={"authorization": f"Bearer {where['token']}"}, timeout=60
        )
        return streamable_http_client(where["url"], http_client=http)
    command = where["command"]
    return stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=where["env"]))


async def visit(question: str, **where: Any) -> dict[str, Any]:
    async with streams(where) as (read, write, *_), ClientSession(read, write) as opened:
        session: Any = opened
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        found = await session.call_tool("kb_retrieve_evidence", {"question": question})
        search = await session.call_tool("kb_search", {"query": question})
        uri = search.structuredContent["results"][0]["scratch_uri"]
        wrong = await session.call_tool("kb_search", {"query": question, "top_k": 99})
        return {
            "protocol": hello.protocolVersion,
            "tools": [tool.name for tool in tools],
            "evidence": found.structuredContent,
            "text": found.content[0].text,
            "scratch": (await session.read_resource(uri)).contents[0].text,
            "wrong": {"isError": wrong.isError, "structured": wrong.structuredContent},
            "prompts": [prompt.name for prompt in (await session.list_prompts()).prompts],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(visit(**json.loads(sys.argv[1])))))  # noqa: T201 - the answer
