"""`citemark source`: changing sources, as the command line reads it."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, Quiet, launcher_of


def set_source(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    *,
    new_name: Annotated[
        str | None, typer.Option("--name", help="Call it so from now on; citations with an old name stay valid.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Glob of files to take (repeatable), instead of those before.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Glob of files to leave out (repeatable), instead of those before.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Tag of the source (repeatable), instead of those before.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project that the source belongs to.")] = None,
    environment: Annotated[str | None, typer.Option(help="Environment that the source describes.")] = None,
    repository: Annotated[str | None, typer.Option(help="Repository that the source comes from.")] = None,
    url: Annotated[str | None, typer.Option(help="Address under which a folder is published.")] = None,
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record the change; index later.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Change a source; what is indexed of it stays. An empty value ('') takes a setting away."""
    from citemark.cli.change_source_command import SourceChange, change_source  # noqa: PLC0415

    change = SourceChange(
        name=new_name,
        include=_given(include),
        exclude=_given(exclude),
        tags=_given(tag),
        project_id=project,
        environment=environment,
        repository=repository,
        url=url,
    )
    launcher_of(context).command(json=json, quiet=quiet).run(
        lambda run, app: change_source(run, app, name, change, sync=not no_sync)
    )


def _given(values: list[str] | None) -> tuple[str, ...] | None:
    """The values of a repeatable option without empty ones; None where it was not given."""
    return tuple(value for value in values if value) if values else None
