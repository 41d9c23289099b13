"""The command about what depends on something, with arguments and options; what runs is imported then."""

from typing import Annotated

import typer

from citemark.cli.asking_options import AsOf, AtBaseline
from citemark.cli.command_context import Json, launcher_of


def impact(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Id or name of an element, or the id of any node of the graph.")],
    *,
    source: Annotated[str | None, typer.Option(help="The model, if several have the id or name.")] = None,
    max_hops: Annotated[int, typer.Option(min=1, max=3, help="How many relationships away.")] = 3,
    as_of: AsOf = None,
    baseline: AtBaseline = None,
    json: Json = False,
) -> None:
    """Show what depends on an element, and which texts, views and cards mention any of that."""
    from citemark.features.graph.commands.impact_command import ImpactRequested, impact_command

    request = ImpactRequested(name, source, max_hops, as_of, baseline)
    launcher_of(context).command(json=json).run(lambda run, app: impact_command(run, app, request))
