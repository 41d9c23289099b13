"""graph.describe: what the graph holds."""

from citemark.model.escaping import one_line
from citemark.tools.graph.schemas import GraphIn
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_out import ResponseMetaOut, meta_fields, remarks


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
    out = DescribeOut(
        nodes=dict(found.nodes), edges=dict(found.edges), sources=list(found.sources), **meta_fields(found.meta)
    )
    lines = [
        f"Sources: {', '.join(map(one_line, found.sources))}",
        f"Nodes: {_counted(out.nodes)}",
        f"Edges: {_counted(out.edges)}",
    ]
    return ToolReply(out, "\n".join([*lines, *remarks(found.meta)]))


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {number}" for name, number in sorted(numbers.items())) or "none"
