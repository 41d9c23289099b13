"""graph.describe: what the graph holds."""

from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.text.escaping import one_line
from citemark.tools.graph.schemas import GraphIn
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_out import ResponseMetaOut, meta_fields, with_remarks

if TYPE_CHECKING:
    from citemark.services.graph.responses import GraphSummary


class DescribeIn(GraphIn):
    """Arguments of graph.describe."""

    lists_read_context = False


class DescribeOut(ResponseMetaOut):
    """What the graph holds: nodes by kind, edges by type."""

    nodes: dict[str, int]
    edges: dict[str, int]
    sources: list[str]


async def describe(call: ToolCall, asked: DescribeIn) -> ToolReply:
    """Count the nodes and edges of the graph of a scope."""
    found = await call.services.graph.describe(call.caller, asked.graph_scope())
    kept = len(found.sources)
    reply = _reply(found, kept)
    while kept > 1 and not call.fits(reply):
        kept //= 2
        reply = _reply(found, kept)
    return reply


def _reply(found: "GraphSummary", kept: int) -> ToolReply:
    sources, left_out, meta = list(found.sources[:kept]), len(found.sources) - kept, found.meta
    if left_out:
        notes = (*meta.notes, f"{left_out} more sources; kb.list_sources lists them all")
        meta = replace(meta, partial=True, limit_reason="byte_cap", notes=notes)
    out = DescribeOut(nodes=dict(found.nodes), edges=dict(found.edges), sources=sources, **meta_fields(meta))
    lines = [
        f"Sources: {', '.join(map(one_line, sources))}",
        f"Nodes: {_counted(out.nodes)}",
        f"Edges: {_counted(out.edges)}",
    ]
    return ToolReply(out, with_remarks(lines, meta))


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {number}" for name, number in sorted(numbers.items())) or "none"
