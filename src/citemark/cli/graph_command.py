"""The commands of `citemark graph`: nodes, edges and paths as lines, each edge with the place that states it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.missing import missing_data, with_missing
from citemark.cli.search_command import cited, local_files
from citemark.cli.styled import Styled, bold, faint
from citemark.model.citation import iso
from citemark.services.app_context import AppContext
from citemark.services.catalog import LocalFiles
from citemark.services.empty import no_path, nothing_related
from citemark.services.graph.requests import Direction, GraphScope, NodesRequest, PathsRequest
from citemark.services.graph.responses import EdgeCard, NodeCard
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.services.state_pairs import state_asked
from citemark.text.citation_line import line_of
from citemark.text.escaping import one_line

_EVERYTHING = 1000
"""The page size; a terminal has no pages, so this is more than one walk can return."""


def state(as_of: str | None, baseline: str | None) -> GraphScope:
    """The state of the graph that is asked about.

    Raises:
        InvalidArgument: both are given, or the moment is malformed.
    """
    return GraphScope(read_context=state_asked(as_of, baseline))


def expanded(
    nodes: Sequence[str], scope: GraphScope, types: Sequence[str], *, outgoing: bool, incoming: bool, hops: int
) -> NodesRequest:
    """A walk around nodes; along edges of both directions if neither or both are requested."""
    direction: Direction = "both" if outgoing == incoming else "outgoing" if outgoing else "incoming"
    return NodesRequest(tuple(nodes), scope, rel_types=tuple(types), direction=direction, max_hops=hops)


async def describe_command(run: CommandContext, app: AppContext, scope: GraphScope) -> int:
    """Show the nodes and edges that the graph contains.

    Raises:
        BackendUnavailable: the graph contains nothing.
    """
    summary = await app.services.graph.describe(Caller.local(), scope)
    text = Styled()
    text.line(bold("Nodes"))
    text.extend(f"  {kind}: {number}" for kind, number in sorted(summary.nodes.items()))
    text.line(bold("Edges"))
    text.extend(f"  {kind}: {number}" for kind, number in sorted(summary.edges.items()))
    data = {"sources": list(summary.sources), "nodes": dict(summary.nodes), "edges": dict(summary.edges)}
    run.show({**data, **_meta(summary.meta)}, _ended(text, summary.meta))
    return 0


async def nodes_command(run: CommandContext, app: AppContext, request: NodesRequest, *, snippets: bool = False) -> int:
    """Show what is related to some nodes.

    Raises:
        InvalidArgument: there is no such node, type or state.
    """
    files = await local_files(app)
    request = replace(request, include_snippet=snippets, page_size=_EVERYTHING)
    page = await app.services.graph.nodes(Caller.local(), request)
    meta = page.meta
    if not page.edges:
        scope = request.graph_scope.scope
        meta = await app.services.catalog.explained(Caller.local(), scope, meta, nothing_related())
    titles = {card.node_id: card.title for card in page.nodes}
    text = Styled()
    for card in page.nodes:
        _node(text, card)
    if page.edges:
        text.line()
    for edge in page.edges:
        _edge(text, edge, titles)
    data = {
        "nodes": [_node_data(card) for card in page.nodes],
        "edges": [_edge_data(card, files) for card in page.edges],
        "total": page.total,
    }
    run.show({**data, **_meta(meta)}, _ended(text, meta))
    return 0 if page.edges else NOTHING_FOUND


async def paths_command(run: CommandContext, app: AppContext, request: PathsRequest) -> int:
    """Show how two nodes are connected.

    Raises:
        InvalidArgument: there is no such node, type or state.
    """
    files = await local_files(app)
    page = await app.services.graph.paths(Caller.local(), request)
    meta = page.meta
    if not page.paths:
        nothing = no_path(request.max_hops, cut=meta.partial)
        meta = await app.services.catalog.explained(Caller.local(), request.graph_scope.scope, meta, nothing)
    titles = {card.node_id: card.title for card in page.nodes.values()}
    text = Styled()
    for number, path in enumerate(page.paths, start=1):
        names = " - ".join(page.nodes[node].title for node in path.nodes)
        text.line(f"{number}. ", bold(names))
        for edge in path.edges:
            _edge(text, edge, titles)
    data = {
        "paths": [
            {
                "nodes": [_node_data(page.nodes[node]) for node in path.nodes],
                "edges": [_edge_data(card, files) for card in path.edges],
            }
            for path in page.paths
        ],
        "total": page.total,
    }
    run.show({**data, **_meta(meta)}, _ended(text, meta))
    return 0 if page.paths else NOTHING_FOUND


def _node(text: Styled, card: NodeCard) -> None:
    kind = card.element_type or card.node.kind
    far = f", {card.hops} hop{'' if card.hops == 1 else 's'}" if card.hops else ""
    text.line(bold(card.title), f"  ({kind}{far})  ", faint(card.node_id))
    if card.snippet:
        text.line("  ", faint(card.snippet))


def _edge(text: Styled, card: EdgeCard, titles: dict[str, str]) -> None:
    start, end = (titles.get(each, each) for each in (card.start_id, card.end_id))
    name = f' "{card.edge.name}"' if card.edge.name else ""
    where = line_of(card.citation, named=True).rpartition(", as of ")[0]
    text.line(f"  {one_line(f'{start} --{card.edge.type}--> {end}{name}')}  ", faint(f"[{where}]"))


def _node_data(card: NodeCard) -> dict[str, Any]:
    return {
        "id": card.node_id,
        "kind": card.node.kind,
        "title": card.title,
        **({"type": card.element_type} if card.element_type else {}),
        **({"hops": card.hops} if card.hops else {}),
        **({"snippet": card.snippet} if card.snippet else {}),
    }


def _edge_data(card: EdgeCard, files: LocalFiles) -> dict[str, Any]:
    return {
        "from": card.start_id,
        "type": card.edge.type,
        "to": card.end_id,
        **({"name": card.edge.name} if card.edge.name else {}),
        **cited(card.citation, files),
    }


def _ended(text: Styled, meta: ResponseMeta) -> Styled:
    if meta.empty is not None:
        text.line(meta.empty.text)
    text.extend(meta.notes)
    text.line()
    text.line(faint(f"As of {iso(meta.read_context.as_of.replace(microsecond=0))}"))
    return with_missing(text, meta)


def _meta(meta: ResponseMeta) -> dict[str, Any]:
    return {
        "as_of": iso(meta.read_context.as_of),
        "baseline_id": meta.read_context.baseline_id,
        "partial": meta.partial,
        "withheld_unverified": meta.withheld_unverified,
        "notes": list(meta.notes),
        **missing_data(meta),
    }
