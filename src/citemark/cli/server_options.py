"""Commands about serving and hosts, with their arguments and options. What a command does is imported when it runs."""

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from citemark.cli.command_context import Json, launcher_of

HTTP_PORT = 8765
"""Above the system ports, and not assigned to any common service."""

_WAITING = (
    "citemark speaks MCP here and waits for a host, an AI program that starts it and writes to its standard input.\n"
    "`citemark install HOST` adds it to one; `citemark serve --http` serves clients on this machine. Ctrl-C ends it.\n"
)


def serve(
    context: typer.Context,
    *,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on this machine instead of stdio.")] = False,
    host: Annotated[
        str | None, typer.Option(help="With --http: an address of this machine; 127.0.0.1 by default.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="With --http: 8765 by default, 0: any.")] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="With --http: serve every account and program of this machine.")
    ] = False,
    anybody: Annotated[
        bool,
        typer.Option("--without-authentication", help="With --no-token and a --host: serve every machine, too."),
    ] = False,
) -> None:
    """Serve MCP over stdio to the host that started this command, or over HTTP to clients with a token."""
    entry = launcher_of(context)
    if http:
        address = "127.0.0.1" if host is None else host, HTTP_PORT if port is None else port
        if anybody and not no_token:
            raise typer.BadParameter("--without-authentication belongs to --no-token.")
        _leave(entry.serve_http(*address, with_token=not no_token, anybody=anybody))
    if host is not None or port is not None or no_token or anybody:
        raise typer.BadParameter("--host, --port, --no-token and --without-authentication belong to --http.")
    if sys.stdin.isatty():
        sys.stderr.write(_WAITING)
    _leave(entry.serve())


def _leave(code: int) -> NoReturn:
    from citemark.shutdown import leave  # noqa: PLC0415 - `--help` need not load it

    leave(code)


def install(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Argument(help="Such as claude-code, vscode or codex; without one, those of this machine.")
    ] = None,
    *,
    name: Annotated[str, typer.Option(help="Name of the server in the host.")] = "citemark",
    config: Annotated[Path | None, typer.Option(help="The host's configuration file, if it is elsewhere.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the server.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Register the address of `citemark serve --http`.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="With --http: 8765 by default.")] = None,
    link: Annotated[bool, typer.Option("--link", help="Only print a link that adds the server.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    json: Json = False,
) -> None:
    """Add this citemark to an AI host: show the change, ask, write, keep a backup."""
    from citemark.cli.install.install_command import InstallRequest, install_command  # noqa: PLC0415

    entry = launcher_of(context)
    if port is not None and not http:
        raise typer.BadParameter("--port belongs to --http.")
    where = (port or HTTP_PORT) if http else None
    request = InstallRequest(host=host, name=name, config=config, remove=remove, yes=yes, port=where, link=link)
    raise SystemExit(install_command(entry.command(json=json), request))


def trust(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A citemark.toml, or its folder.")] = Path(),
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Stop trusting it.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what is trusted.")] = False,
    json: Json = False,
) -> None:
    """Let a citemark.toml that came with a folder be read there, until it changes."""
    from citemark.cli.trust_command import trust_command  # noqa: PLC0415

    raise SystemExit(trust_command(launcher_of(context).command(json=json), None if listed else path, remove=remove))


def doctor(context: typer.Context, *, json: Json = False) -> None:
    """Check the installation, the database, the model and the sources."""
    from citemark.cli.doctor_command import doctor_command  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(doctor_command(entry.command(json=json)))
