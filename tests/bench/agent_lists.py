"""The agent's procedure of `agent_cost` over MCP, with the list of all tools and with that of the core.

It asks the same questions with the same phrasings, and calls only what its list shows, with arguments that its schema
names. No model chooses the tools, so this does not measure whether one chooses better from fewer.
"""

from collections.abc import AsyncIterator
from typing import Any

from mcp import Client
from mcp_types import TextContent
from tests.bench.absence import indexed
from tests.bench.agent_cost import FURTHER, Result, figures_of, paid, row_of
from tests.bench.locations import GOLDEN, SHARED
from tests.support.groups import groups
from tests.unit.tools.clients import connected

from citemark.evaluation.golden import GoldenQuestion, load_golden
from citemark.evaluation.phrasings import load_phrasings, phrased

_TOOL = "kb_retrieve_evidence"
_LISTS = ("all", "core")
_DOCUMENTS = groups(graph=True)


async def measure() -> dict[str, object]:
    """Calls, right answers and bytes with each list, and how many tools it has."""
    questions = phrased(load_golden(GOLDEN / "docs-dev.yaml"), load_phrasings(GOLDEN / "docs-dev-phrasings.yaml"))
    answerable = [each for each in questions if each.answerable]
    measured: dict[str, object] = {"questions": len(answerable)}
    async with indexed("docs", SHARED / "docs-mcp" / "docs") as app:
        for name in _LISTS:
            async with connected(app.services, families=_DOCUMENTS, tools=name) as client:
                listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
                rows = [row_of(await paid(each, _asked(client, listed, each))) for each in answerable]
            measured[name] = {"tools": len(listed), **figures_of(rows)}
    return measured


async def _asked(client: Client, listed: dict[str, Any], question: GoldenQuestion) -> AsyncIterator[Result]:
    if _TOOL not in listed:
        return
    for size in FURTHER:
        wanted = {"question": question.question, "also": list(question.also), "max_bytes": size}
        arguments = {name: value for name, value in wanted.items() if value and name in listed[_TOOL]["properties"]}
        found = await client.call_tool(_TOOL, arguments)
        assert not found.is_error, found.content
        (content,) = [each for each in found.content if isinstance(each, TextContent)]
        yield Result(content.text, [quote["quote"] for quote in found.structured_content["quotes"]])
