"""A client of the architecture tools over a world of tests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.unit.tools.clients import connected

from citemark.tools.index_contents import ToolGroups

ARCHITECTURE = groups(capabilities=("architecture",))
TWO = groups(capabilities=("architecture", "transformation"))


@asynccontextmanager
async def asking(world: World, families: ToolGroups = ARCHITECTURE, **settings: Any) -> AsyncGenerator[Client]:
    async with connected(world.services, families=families, **settings) as client:
        yield client


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(f"architecture_{name}", arguments)
    assert not result.is_error, result
    return result.structured_content
