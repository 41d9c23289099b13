"""Commands for the first minute, with their options. What a command does is imported when it runs."""

import typer

from citemark.cli.command_context import Json, Quiet, launcher_of


def welcome(context: typer.Context) -> None:
    """Say what Citemark is and, in a terminal, ask what to begin with."""
    from citemark.cli.welcome_command import welcome_command  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(welcome_command(entry.reading(json=False, quiet=False), entry.first_steps()))


def demo(context: typer.Context, *, json: Json = False, quiet: Quiet = False) -> None:
    """Show what Citemark does: ten bundled documents, three questions, nothing left behind."""
    from citemark.cli.demo.demo_command import demo_command  # noqa: PLC0415

    raise SystemExit(demo_command(launcher_of(context).command(json=json, quiet=quiet)))
