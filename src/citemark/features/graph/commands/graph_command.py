"""The commands of `citemark graph`: nodes, edges and paths as lines, each edge with the place that states it."""

from collections.abc import Sequence
from dataclasses import replace

from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.missing import with_missing
from citemark.cli.search_command import local_files
from citemark.cli.styled import Styled, bold, faint
from citemark.features.graph.results.graph_nodes import described, nodes_out, paths_out
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.services.requests import Direction, GraphScope, NodesRequest, PathsRequest
from citemark.features.graph.services.responses import EdgeCard, NodeCard
from citemark.model.citation import iso
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.asked_states import state_asked
from citemark.services.empty import no_path, nothing_related
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
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
    summary = await app.services.get(EXPLORATION).describe(Caller.local(), scope)
    text = Styled()
    text.line(bold("Nodes"))
    text.extend(f"  {kind}: {number}" for kind, number in sorted(summary.nodes.items()))
    text.line(bold("Edges"))
    text.extend(f"  {kind}: {number}" for kind, number in sorted(summary.edges.items()))
    run.show(as_json(described(summary, summary.meta), await local_files(app)), _ended(text, summary.meta))
    return 0


async def nodes_command(run: CommandContext, app: AppContext, request: NodesRequest, *, snippets: bool = False) -> int:
    """Show what is related to some nodes.

    Raises:
        InvalidArgument: there is no such node, type or state.
    """
    files = await local_files(app)
    request = replace(request, include_snippet=snippets, page_size=_EVERYTHING)
    page = await app.services.get(EXPLORATION).nodes(Caller.local(), request)
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
    run.show(as_json(nodes_out(page, meta), files), _ended(text, meta))
    return 0 if page.edges else NOTHING_FOUND


async def paths_command(run: CommandContext, app: AppContext, request: PathsRequest) -> int:
    """Show how two nodes are connected.

    Raises:
        InvalidArgument: there is no such node, type or state.
    """
    files = await local_files(app)
    page = await app.services.get(EXPLORATION).paths(Caller.local(), request)
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
    run.show(as_json(paths_out(page, meta), files), _ended(text, meta))
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


def _ended(text: Styled, meta: ResponseMeta) -> Styled:
    if meta.empty is not None:
        text.line(meta.empty.text)
    text.extend(meta.notes)
    text.line()
    text.line(faint(f"As of {iso(meta.read_context.as_of.replace(microsecond=0))}"))
    return with_missing(text, meta)
