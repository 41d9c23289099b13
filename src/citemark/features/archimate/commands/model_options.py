"""Commands about architecture models, with arguments and options; what runs is imported then."""

from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.adding_options import AddingOptions
from citemark.cli.asking_options import AsOf, AtBaseline
from citemark.cli.command_context import Json, launcher_of
from citemark.cli.label_options import LabelOptions
from citemark.cli.option_groups import takes_groups
from citemark.cli.source_options import History


@takes_groups
def add_archimate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Open Group exchange file (XML 3) or .archimate file of Archi.")],
    *,
    capability: Annotated[
        str,
        typer.Option(help="What the model is about; its tools answer to this name too while it is the only one."),
    ] = "architecture",
    name: Annotated[str | None, typer.Option(help="Name of the source; the file's name by default.")] = None,
    labels: LabelOptions,
    language: Annotated[
        str, typer.Option(help="Language of the model's names and texts; `auto` detects it from each text's words.")
    ] = "english",
    history: History = "90",
    way: AddingOptions,
) -> None:
    """Add an architecture model and index its elements and views."""
    from citemark.cli.add_source_command import ModelRequest, add_archimate_source

    request = ModelRequest(
        path=path,
        capability=capability,
        name=name,
        labels=labels.labels,
        language=language,
        history=history,
        dry_run=way.dry_run,
    )
    launcher_of(context).reading(json=way.json, quiet=way.quiet).run(
        lambda run, app: add_archimate_source(run, app, request, sync=not way.no_sync)
    )


def element(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Id or name of an element of an architecture model.")],
    *,
    source: Annotated[str | None, typer.Option(help="The model, if several have the id or name.")] = None,
    as_of: AsOf = None,
    baseline: AtBaseline = None,
    json: Json = False,
) -> None:
    """Show an element of an architecture model with its relationships and the views that show it."""
    from citemark.features.archimate.commands.model_commands import ElementRequested, element_command

    request = ElementRequested(name, source, as_of, baseline)
    launcher_of(context).command(json=json).run(lambda run, app: element_command(run, app, request))


def view(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Id or name of a view; without it, all views are listed.")] = None,
    file: Annotated[Path | None, typer.Argument(help="File that --svg writes; - for standard output.")] = None,
    *,
    svg: Annotated[bool, typer.Option("--svg", help="Draw the view, to FILE or standard output.")] = False,
    source: Annotated[str | None, typer.Option(help="The model, if several have the id or name.")] = None,
    as_of: AsOf = None,
    baseline: AtBaseline = None,
    json: Json = False,
) -> None:
    """Show what a view of an architecture model shows, or draw it."""
    from citemark.features.archimate.commands.model_commands import ViewRequested, view_command

    if file is not None and not svg:
        raise typer.BadParameter("a FILE goes with --svg; a name of several words needs quotation marks.")
    request = ViewRequested(name, (file or Path("-")) if svg else None, source, as_of, baseline)
    launcher_of(context).command(json=json).run(lambda run, app: view_command(run, app, request))
