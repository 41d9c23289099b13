"""Commands about what is on this machine, with their options. What a command does is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.command_context import Json, launcher_of
from citemark.cli.consent import DryRun, Mode

SERVICE = typer.Typer(
    help="Have the system start `serve --http`, for all hosts of this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

System = Annotated[bool, typer.Option("--system", help="The service of the system instead of this user's.")]


@SERVICE.command("install")
def service_install(
    context: typer.Context,
    *,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of the server.")] = 8765,
    system: Annotated[
        str | None, typer.Option("--system", metavar="ACCOUNT", help="A service of the system, run by this account.")
    ] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Only print the file.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    json: Json = False,
) -> None:
    """Write a unit of systemd, or an agent of launchd, and start it."""
    from citemark.cli.service.service_command import ServiceRequest, install_service  # noqa: PLC0415

    request = ServiceRequest(port, system, only_print, yes)
    raise SystemExit(install_service(launcher_of(context).command(json=json), request))


@SERVICE.command("remove")
def service_remove(context: typer.Context, *, system: System = False, json: Json = False) -> None:
    """Stop the service and remove its file."""
    from citemark.cli.service.service_command import remove_service  # noqa: PLC0415

    raise SystemExit(remove_service(launcher_of(context).command(json=json), system=system))


def stop(
    context: typer.Context,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Servers that hosts have started, and commands, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Stop the servers of this index: `serve --http`, `sync --watch` and `work`."""
    from citemark.cli.service.stop_command import stop_command  # noqa: PLC0415

    raise SystemExit(stop_command(launcher_of(context).command(json=json), everything=everything))


Keys = Annotated[
    Path | None,
    typer.Option(
        "--keys", metavar="FOLDER", help="Another folder, for the keys of stored passwords and of serve --http."
    ),
]


def backup(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Of the backup; it must not exist yet.")],
    *,
    keys: Keys = None,
    json: Json = False,
) -> None:
    """Copy the whole index to a folder, also while it is in use."""
    from citemark.cli.backup_command import back_up  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(back_up(entry.command(json=json), entry, folder, keys))


def restore(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Of the backup.")],
    *,
    keys: Keys = None,
    json: Json = False,
) -> None:
    """Put a backup in the place of an index that is not there yet."""
    from citemark.cli.backup_command import restore as run  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(run(entry.command(json=json), entry, folder, keys))


Roles = list[str] | None


def migrate(
    context: typer.Context,
    *,
    writer: Annotated[
        Roles, typer.Option("--writer", metavar="ROLE", help="Let a role of the database serve and index.")
    ] = None,
    reader: Annotated[
        Roles, typer.Option("--reader", metavar="ROLE", help="Let a role read what questions read on replicas.")
    ] = None,
    json: Json = False,
) -> None:
    """Bring the schema of a shared database up to date, as its owner, and let roles use it."""
    from citemark.cli.migrate_command import migrate as run  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(run(entry.command(json=json), entry, writer or (), reader or ()))


def init(
    context: typer.Context,
    *,
    partitions: Annotated[
        int,
        typer.Option(
            min=0, max=128, metavar="NUMBER", help="Divide its tables by source, for tens of millions of passages."
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Make an index without a source; `add` makes one too, in one part."""
    from citemark.cli.init_command import init as run  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(run(entry.command(json=json), entry, partitions))


def uninstall(
    context: typer.Context,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove everything without asking.")] = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Show what Citemark has on this machine, and remove each part after a question."""
    from citemark.cli.uninstall_command import uninstall_command  # noqa: PLC0415

    raise SystemExit(uninstall_command(launcher_of(context).command(json=json), Mode(yes, dry_run)))
