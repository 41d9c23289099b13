"""What a call may take of the database."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.unit.tools.clients import connected
from tests.unit.tools.double import DoubleServices


@pytest.mark.requirement("overlong-statements-are-ended")
async def test_no_statement_of_a_call_or_a_read_may_take_longer_than_a_call() -> None:
    services, limits, asked = DoubleServices(), list[float](), list[int]()

    @contextmanager
    def limited(seconds: float) -> Generator[None]:
        limits.append(seconds)
        yield
        asked.append(len(services.searches))

    services.statements_within = limited
    async with connected(services, tool_timeout=7) as client:
        hit = (await client.call_tool("kb_search", {"query": "port"})).structured_content["results"][0]
        await client.read_resource(hit["scratch_uri"])
    assert limits == [7, 7]
    assert asked == [1, 1]
