"""Run by the Python of an mcp 1.x SDK: has a model, asks one question over stdio, prints the result as JSON."""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


async def ask(command: list[str], env: dict[str, str], question: str, says: str) -> Any:
    async def model(context: Any, params: Any) -> Any:
        made: Any = types.CreateMessageResult
        return made(role="assistant", content=types.TextContent(type="text", text=says), model="scripted")

    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with (
        stdio_client(server) as (read, write, *_),
        ClientSession(read, write, sampling_callback=model) as opened,
    ):
        session: Any = opened
        await session.initialize()
        return (await session.call_tool("kb_answer", {"question": question})).structuredContent


if __name__ == "__main__":
    print(json.dumps(asyncio.run(ask(**json.loads(sys.argv[1])))))  # noqa: T201 - the answer
