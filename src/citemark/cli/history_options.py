"""Commands about states of the past, with their arguments and options."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, Quiet, launcher_of
from citemark.cli.consent import DryRun, Mode, Yes
from citemark.model.errors import InvalidArgument

BaselineName = Annotated[str, typer.Argument(help="Name of the baseline.")]
OnlySources = Annotated[
    list[str] | None, typer.Option("--source", help="Name of a source (repeatable); all by default.")
]
State = Annotated[str, typer.Argument(help="A baseline, a moment in ISO 8601, or HEAD.")]


def baseline_create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name for the state; git:TAG or git:PATTERN reads commits.")],
    *,
    source: OnlySources = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Of a moment (ISO 8601) instead of now.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Name the present state, so that it can be asked about later."""
    from citemark.cli.baseline_command import create_baseline  # noqa: PLC0415

    names = tuple(source or ())
    launcher_of(context).command(json=json, quiet=quiet).run(
        lambda run, app: create_baseline(run, app, name, names, as_of)
    )


def baseline_list(context: typer.Context, *, json: Json = False) -> None:
    """List the baselines, the oldest first."""
    from citemark.cli.baseline_command import list_baselines  # noqa: PLC0415

    launcher_of(context).command(json=json).run(list_baselines)


def baseline_show(context: typer.Context, name: BaselineName, *, json: Json = False) -> None:
    """Show what a baseline is of."""
    from citemark.cli.baseline_command import show_baseline  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: show_baseline(run, app, name))


def baseline_delete(
    context: typer.Context, name: BaselineName, *, yes: Yes = False, dry_run: DryRun = False, json: Json = False
) -> None:
    """Forget a baseline; the next purge removes the history that only it kept. Asks if there is any."""
    from citemark.cli.baseline_command import delete_baseline  # noqa: PLC0415

    mode = Mode(yes, dry_run)
    launcher_of(context).command(json=json).run(lambda run, app: delete_baseline(run, app, name, mode))


def baseline_diff(
    context: typer.Context,
    before: State,
    after: State = "HEAD",
    *,
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None,
    path_prefix: Annotated[str | None, typer.Option(help="Only documents whose path begins so.")] = None,
    json: Json = False,
) -> None:
    """Show which documents differ between two states, and where."""
    from citemark.cli.baseline_command import diff_baselines  # noqa: PLC0415

    launcher_of(context).command(json=json).run(
        lambda run, app: diff_baselines(run, app, (before, after), source, path_prefix)
    )


def history_show(context: typer.Context, *, json: Json = False) -> None:
    """Show how long each source keeps what was superseded, and what there is."""
    from citemark.cli.history_command import show_history  # noqa: PLC0415

    if context.invoked_subcommand is None:
        launcher_of(context).command(json=json).run(show_history)


def history_keep(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Name of the source.")],
    how_long: Annotated[str, typer.Argument(help="Days; forever; baselines (what they name); or none.")],
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Set how long a source keeps what was superseded; asks before more than a tenth of it is forgotten."""
    from citemark.cli.history_command import keep_history  # noqa: PLC0415

    mode = Mode(yes, dry_run)
    launcher_of(context).command(json=json).run(lambda run, app: keep_history(run, app, source, how_long, mode))


def history_purge(
    context: typer.Context,
    *,
    source: OnlySources = None,
    before: Annotated[
        str | None, typer.Option(help="Forget what was superseded before this moment (ISO 8601), whatever is kept.")
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Forget superseded states that are older than their source keeps; baselines hold theirs."""
    from citemark.cli.history_command import purge_history  # noqa: PLC0415

    names, mode = tuple(source or ()), Mode(yes, dry_run)
    launcher_of(context).command(json=json).run(lambda run, app: purge_history(run, app, names, before, mode))


def open_citation(
    context: typer.Context,
    citation: Annotated[
        list[str],
        typer.Argument(
            help="A citation as printed or as JSON; a passage_id or scratch URI; a path; or SOURCE DOCUMENT REVISION."
        ),
    ],
    *,
    editor: Annotated[bool, typer.Option("--editor", help="Open the file in VISUAL or EDITOR, at the line.")] = False,
    desktop: Annotated[bool, typer.Option("--desktop", help="Open the file or its page as the desktop does.")] = False,
    json: Json = False,
) -> None:
    """Show the lines that a citation is of, as they were at its revision, or open its document."""
    from citemark.cli.open_command import Starting, open_command  # noqa: PLC0415
    from citemark.cli.programs import run_program  # noqa: PLC0415

    command, starting = launcher_of(context).command(json=json), Starting()
    if editor and desktop:
        raise SystemExit(command.fail(InvalidArgument("Give --editor or --desktop, not both.")))
    program = "editor" if editor else "desktop" if desktop else None
    code = command.attempt(lambda run, app: open_command(run, app, tuple(citation), program, starting))
    # The index is closed by now, so an editor may stay open for hours.
    if code == 0 and starting.command:
        try:
            code = run_program(starting.command)
        except InvalidArgument as error:
            code = command.fail(error)
    raise SystemExit(code)
