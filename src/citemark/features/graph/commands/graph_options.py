"""`citemark graph`: its commands with their arguments and options."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, launcher_of
from citemark.features.graph.services.requests import Relation

GRAPH = typer.Typer(help="What is related to what, across all sources.", no_args_is_help=True, rich_markup_mode=None)

Nodes = Annotated[list[str], typer.Argument(help="Ids of nodes, source:kind:name; :kind:name of terms, code, people.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only edges of this type (repeatable).")]
Hops = Annotated[int, typer.Option(min=1, max=3, help="How far to go.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="Only nodes of this kind (repeatable).")]
Snippets = Annotated[bool, typer.Option("--snippets", help="With the beginning of each text.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="As of a moment (ISO 8601).")]
Baseline = Annotated[str | None, typer.Option(help="As of a baseline.")]
Outgoing = Annotated[bool, typer.Option("--outgoing", help="Only edges that leave the nodes.")]
Incoming = Annotated[bool, typer.Option("--incoming", help="Only edges that lead to them.")]


@GRAPH.command()
def describe(context: typer.Context, *, as_of: AsOf = None, baseline: Baseline = None, json: Json = False) -> None:
    """Count the nodes of each kind and the edges of each type."""
    from citemark.features.graph.commands.graph_command import describe_command, state

    launcher_of(context).command(json=json).run(lambda run, app: describe_command(run, app, state(as_of, baseline)))


@GRAPH.command()
def expand(
    context: typer.Context,
    nodes: Nodes,
    *,
    types: Types = None,
    outgoing: Outgoing = False,
    incoming: Incoming = False,
    hops: Hops = 1,
    snippets: Snippets = False,
    as_of: AsOf = None,
    baseline: Baseline = None,
    json: Json = False,
) -> None:
    """Show what nodes are related to."""
    from citemark.features.graph.commands.graph_command import expanded, nodes_command, state

    request = expanded(nodes, state(as_of, baseline), types or (), outgoing=outgoing, incoming=incoming, hops=hops)
    launcher_of(context).command(json=json).run(lambda run, app: nodes_command(run, app, request, snippets=snippets))


@GRAPH.command()
def paths(
    context: typer.Context,
    start: Annotated[str, typer.Argument(help="Id of a node.")],
    end: Annotated[str, typer.Argument(help="Id of another.")],
    *,
    types: Types = None,
    hops: Annotated[int, typer.Option(min=1, max=5, help="Longest path.")] = 3,
    most: Annotated[int, typer.Option(min=1, max=50, help="Most paths.")] = 10,
    as_of: AsOf = None,
    baseline: Baseline = None,
    json: Json = False,
) -> None:
    """Show how two nodes are connected."""
    from citemark.features.graph.commands.graph_command import paths_command, state
    from citemark.features.graph.services.requests import PathsRequest

    request = PathsRequest((start,), (end,), state(as_of, baseline), tuple(types or ()), hops, most, page_size=most)
    launcher_of(context).command(json=json).run(lambda run, app: paths_command(run, app, request))


@GRAPH.command()
def parents(
    context: typer.Context,
    nodes: Nodes,
    *,
    hops: Hops = 1,
    as_of: AsOf = None,
    baseline: Baseline = None,
    json: Json = False,
) -> None:
    """Show what contains nodes: pages, folders, wholes."""
    _related(context, nodes, Relation.PARENTS, (as_of, baseline), hops=hops, json=json)


@GRAPH.command()
def children(
    context: typer.Context,
    nodes: Nodes,
    *,
    hops: Hops = 1,
    as_of: AsOf = None,
    baseline: Baseline = None,
    json: Json = False,
) -> None:
    """Show what nodes contain: sections, pages, parts."""
    _related(context, nodes, Relation.CHILDREN, (as_of, baseline), hops=hops, json=json)


@GRAPH.command()
def entities(
    context: typer.Context,
    nodes: Nodes,
    *,
    kinds: Kinds = None,
    as_of: AsOf = None,
    baseline: Baseline = None,
    json: Json = False,
) -> None:
    """Show what sections and pages speak of."""
    _related(context, nodes, Relation.ENTITIES, (as_of, baseline), kinds=kinds or (), json=json)


@GRAPH.command()
def sections(
    context: typer.Context, nodes: Nodes, *, as_of: AsOf = None, baseline: Baseline = None, json: Json = False
) -> None:
    """Show which sections and pages speak of entities, elements or pages."""
    _related(context, nodes, Relation.SECTIONS, (as_of, baseline), json=json)


def _related(
    context: typer.Context,
    nodes: list[str],
    relation: Relation,
    when: tuple[str | None, str | None],
    *,
    hops: int = 1,
    kinds: list[str] | tuple[str, ...] = (),
    json: bool,
) -> None:
    from citemark.features.graph.commands.graph_command import nodes_command, state
    from citemark.features.graph.services.requests import NodesRequest

    request = NodesRequest(tuple(nodes), state(*when), relation, max_hops=hops, kinds=tuple(kinds))
    launcher_of(context).command(json=json).run(lambda run, app: nodes_command(run, app, request))
