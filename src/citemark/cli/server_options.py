"""Commands about serving and hosts, with their arguments and options. What a command does is imported when it runs."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from citemark.cli.command_context import GrpcOptions, Json, launcher_of
from citemark.cli.option_groups import takes_groups

HTTP_PORT = 8765
"""Above the system ports, and not assigned to any common service."""

GRPC_ADDRESS = "127.0.0.1:50051"
"""Loopback, and the port of the query services that 535 names."""

_WAITING = (
    "citemark speaks MCP here and waits for a host, an AI program that starts it and writes to its standard input.\n"
    "`citemark install HOST` adds it to one; `citemark serve --http` serves clients on this machine. Ctrl-C ends it.\n"
)


@dataclass(frozen=True, slots=True)
class GrpcServerOptions:
    """The gRPC services beside what else is served, as typed."""

    grpc: Annotated[
        bool, typer.Option("--grpc", help="The gRPC query services for programs; alone, or beside --http.")
    ] = False
    grpc_address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help=f"With --grpc: {GRPC_ADDRESS} by default.")
    ] = None
    grpc_cert: Annotated[Path | None, typer.Option(help="With --grpc: the server's certificate (PEM) for TLS.")] = None
    grpc_key: Annotated[Path | None, typer.Option(help="With --grpc-cert: its private key (PEM).")] = None
    in_the_clear: Annotated[
        bool, typer.Option("--without-encryption", help="With --grpc: serve other machines without TLS, too.")
    ] = False

    def checked(self) -> GrpcOptions | None:
        """How to serve gRPC; None if nobody asked for it.

        Raises:
            typer.BadParameter: there are options of gRPC without it.
        """
        if self.grpc:
            return GrpcOptions(self.grpc_address or GRPC_ADDRESS, self.grpc_cert, self.grpc_key, self.in_the_clear)
        if self.grpc_address or self.grpc_cert or self.grpc_key or self.in_the_clear:
            raise typer.BadParameter(
                "--grpc-address, --grpc-cert, --grpc-key and --without-encryption belong to --grpc."
            )
        return None


@takes_groups
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
    beside: GrpcServerOptions,
) -> None:
    """Serve MCP over stdio to the host that started this command, or MCP over HTTP or gRPC to clients with a token."""
    entry = launcher_of(context)
    grpc = beside.checked()
    if anybody and not no_token:
        raise typer.BadParameter("--without-authentication belongs to --no-token.")
    if http:
        address = "127.0.0.1" if host is None else host, HTTP_PORT if port is None else port
        _leave(entry.serve_http(*address, with_token=not no_token, anybody=anybody, grpc=grpc))
    if host is not None or port is not None:
        raise typer.BadParameter("--host and --port belong to --http.")
    if grpc is not None:
        _leave(entry.serve_grpc(grpc, with_token=not no_token, anybody=anybody))
    if no_token:
        raise typer.BadParameter("--no-token belongs to --http and --grpc.")
    if sys.stdin.isatty():
        sys.stderr.write(_WAITING)
    _leave(entry.serve())


def bridge(context: typer.Context) -> None:
    """Serve MCP over stdio through the server of this index that runs (serve --http), or as serve does if none does."""
    if sys.stdin.isatty():
        sys.stderr.write(_WAITING)
    _leave(launcher_of(context).bridge())


def web(
    context: typer.Context,
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the server; 0: any.")] = HTTP_PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the link in a browser.")] = True,
) -> None:
    """Open the pages for a browser: search, read and ask, with the server that runs or a new one."""
    from citemark.cli.web_command import web_command  # noqa: PLC0415

    _leave(web_command(launcher_of(context), port, browser=browser))


def _leave(code: int) -> NoReturn:
    from citemark.shutdown import leave  # noqa: PLC0415 - `--help` need not load it

    leave(code)


@dataclass(frozen=True, slots=True)
class HostsWay:
    """How the host reaches citemark, as typed; without any of them, it starts `citemark serve`."""

    http: Annotated[bool, typer.Option("--http", help="Register the address of `citemark serve --http`.")] = False
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="With --http: 8765 by default.")] = None
    bridge: Annotated[
        bool, typer.Option("--bridge", help="Start `citemark bridge`, which uses the server that runs.")
    ] = False

    def checked_port(self) -> int | None:
        """The port of a server over HTTP; None for a program that the host starts.

        Raises:
            typer.BadParameter: options that do not belong together.
        """
        if self.port is not None and not self.http:
            raise typer.BadParameter("--port belongs to --http.")
        if self.bridge and self.http:
            raise typer.BadParameter("--bridge and --http are two ways to one server; give one of them.")
        return (self.port or HTTP_PORT) if self.http else None


@takes_groups
def install(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Argument(help="Such as claude-code, vscode or codex; without one, those of this machine.")
    ] = None,
    *,
    name: Annotated[str, typer.Option(help="Name of the server in the host.")] = "citemark",
    config: Annotated[Path | None, typer.Option(help="The host's configuration file, if it is elsewhere.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the server.")] = False,
    way: HostsWay,
    link: Annotated[bool, typer.Option("--link", help="Only print a link that adds the server.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    json: Json = False,
) -> None:
    """Add this citemark to an AI host: show the change, ask, write, keep a backup."""
    from citemark.cli.install.install_command import install_command  # noqa: PLC0415
    from citemark.cli.install.install_plan import InstallRequest  # noqa: PLC0415

    entry = launcher_of(context)
    request = InstallRequest(
        host=host,
        name=name,
        config=config,
        remove=remove,
        yes=yes,
        port=way.checked_port(),
        link=link,
        bridge=way.bridge,
    )
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
