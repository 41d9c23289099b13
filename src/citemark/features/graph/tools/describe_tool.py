"""graph.describe: what the graph holds."""

from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.features.graph.results.graph_nodes import described, described_text
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.tools.schemas import GraphIn
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.features.graph.services.responses import GraphSummary


class DescribeIn(GraphIn):
    """Arguments of graph.describe."""


async def describe(call: ToolCall, asked: DescribeIn) -> ToolReply:
    """Count the nodes and edges of the graph of a scope."""
    found = await call.services.get(EXPLORATION).describe(call.caller, asked.graph_scope())
    kept = len(found.sources)
    reply = _reply(found, kept)
    while kept > 1 and not call.fits(reply):
        kept //= 2
        reply = _reply(found, kept)
    return reply


def _reply(found: "GraphSummary", kept: int) -> ToolReply:
    left_out, meta = len(found.sources) - kept, found.meta
    if left_out:
        notes = (*meta.notes, f"{left_out} more sources; kb.list_sources lists them all")
        meta = replace(meta, partial=True, limit_reason="byte_cap", notes=notes)
    out = described(found, meta, kept)
    return ToolReply(out, described_text(out, meta))
