"""What every Python client does with the server. Runs in the client's own environment: standard library only."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Protocol

SAYS = "Use citric acid [1]."
"""What the model of a client answers when it is asked."""

TOKEN = os.environ.get("CITEMARK_TOKEN")
"""What the server wants to see."""

HEADERS = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}

_PASSAGE = re.compile(r"citemark://scratch/[\w-]+/[\w-]+")


@dataclass(frozen=True)
class Result:
    """What a client's user gets of a call. `structured` is None where the client passes none on."""

    text: str
    structured: Any
    is_error: bool


class Client(Protocol):
    """One client library behind the four things that are tried. Where it can have a model, that says `SAYS`."""

    async def tools(self) -> list[str]: ...

    async def call(self, name: str, arguments: dict[str, Any]) -> Result: ...

    async def read(self, uri: str) -> str: ...

    def protocol(self) -> str: ...


async def visit(client: Client, question: str) -> dict[str, Any]:
    """List, search, quote, read on, make a mistake, and have the question answered."""
    tools = await client.tools()
    search = await client.call("kb_search", {"query": question})
    evidence = await client.call("kb_retrieve_evidence", {"question": question})
    found = _PASSAGE.search(json.dumps(asdict(search)))
    return {
        "protocol": client.protocol(),
        "tools": tools,
        "search": asdict(search),
        "evidence": asdict(evidence),
        "scratch": await client.read(found[0]) if found else "",
        "error": asdict(await client.call("kb_search", {"query": question, "top_k": 99})),
        "answer": asdict(await client.call("kb_answer", {"question": question})),
    }


def run(package: str, connect: Callable[[str], AbstractAsyncContextManager[Client]]) -> None:
    """Visit the server that the command line names, and print what was seen as one JSON object."""
    url, question, *_ = sys.argv[1:]

    async def work() -> dict[str, Any]:
        async with connect(url) as client:
            return await visit(client, question)

    print(json.dumps({"version": version(package), **asyncio.run(work())}))  # noqa: T201 - the answer


def text_of(blocks: Any) -> str:
    """The text blocks of a result, and the addresses of its links."""
    return "\n".join(getattr(block, "text", None) or str(getattr(block, "uri", "")) for block in blocks)
