"""`citemark asked` with its options. What it does is imported when it runs."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, launcher_of


def asked(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many calls, the latest first.")] = 20,
    forget: Annotated[bool, typer.Option("--forget", help="Delete all that is kept of them.")] = False,
    json: Json = False,
) -> None:
    """Show what agents asked in the last days, if the setting agent_calls has it kept."""
    from citemark.features.agents.command import forget_calls, show_calls

    command = launcher_of(context).command(json=json)
    if forget:
        command.run(forget_calls)
    command.run(lambda run, app: show_calls(run, app, limit))
