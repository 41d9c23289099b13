"""The entry point. A command loads only what it needs: `serve` must answer the first request within a second."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from citemark.app.opening_times import OpeningTimes
    from citemark.cli.command_context import GrpcOptions, Launcher
    from citemark.model.backup import Manifest
    from citemark.services.app_context import AppContext
    from citemark.settings import Settings


def main() -> None:
    """Run `citemark`."""
    try:
        _run()
    except KeyboardInterrupt:  # while it loads, or waits for a server
        from citemark.cli.stopping import STOPPED, STOPPED_WORDS  # noqa: PLC0415
        from citemark.shutdown import leave  # noqa: PLC0415

        sys.stderr.write(STOPPED_WORDS)
        leave(STOPPED)


def _run() -> None:
    if sys.argv[1:] == ["serve"] and not sys.stdin.isatty():
        _serve_a_host(serve)
    if sys.argv[1:] == ["bridge"] and not sys.stdin.isatty():
        _serve_a_host(bridge)
    from citemark.app.lean_imports import absent, uncollected  # noqa: PLC0415

    with uncollected():
        with absent("rich"):  # as for a server: no command prints tracebacks
            import_module("structlog")
        from citemark.app.features import commands_of  # noqa: PLC0415
        from citemark.cli.command_line import run  # noqa: PLC0415

    run(_launcher(), commands_of())


def _serve_a_host(way: Callable[[], int]) -> NoReturn:
    """A command as a host starts it, without the command line: loading that takes as long as all our tools."""
    from citemark.shutdown import leave  # noqa: PLC0415

    try:
        code = way()
    except Exception as error:  # noqa: BLE001 - as the command line does: Python's own report would quote texts
        raise SystemExit(_launcher().command(json=False).crash(error)) from None
    leave(code)


def _launcher() -> "Launcher":
    from citemark.app.features import answered_of, first_steps_of, measured_files_of  # noqa: PLC0415
    from citemark.cli.command_context import Launcher  # noqa: PLC0415

    return Launcher(
        open_index=open_index,
        serve=serve,
        bridge=bridge,
        serve_http=serve_http,
        serve_grpc=serve_grpc,
        back_up=back_up,
        restore=restore,
        migrate=migrate,
        make_new=make_new,
        first_steps=first_steps_of,
        measured_files=measured_files_of,
        answered=answered_of,
    )


@asynccontextmanager
async def open_index(settings: "Settings", database: str | None = None) -> "AsyncGenerator[AppContext, None]":
    """Open the index that some settings name."""
    from citemark.app.lean_imports import uncollected  # noqa: PLC0415

    with uncollected():
        from citemark.app.open_index import open_app  # noqa: PLC0415

    async with open_app(settings, database) as app:
        yield app


def serve(times: "OpeningTimes | None" = None) -> int:
    """Serve MCP over stdio until the host closes the pipe."""
    from citemark.app.lean_imports import absent, uncollected  # noqa: PLC0415
    from citemark.app.opening_times import OpeningTimes  # noqa: PLC0415

    with uncollected():
        with absent("rich"):  # structlog would load it for tracebacks in colour, which a server does not print
            import_module("structlog")
        from citemark.app.serve_stdio import serve_stdio  # noqa: PLC0415

    return serve_stdio(times or OpeningTimes())


def bridge() -> int:
    """Pass a host's messages on to the server of this index that runs, or serve MCP over stdio if none does."""
    from citemark.app.serve_bridge import serve_bridge  # noqa: PLC0415

    return serve_bridge(serve)


def serve_http(
    host: str,
    port: int,
    *,
    with_token: bool = True,
    anybody: bool = False,
    grpc: "GrpcOptions | None" = None,
    opened: "Callable[[str], None] | None" = None,
) -> int:
    """Serve MCP over Streamable HTTP until a signal ends it, and gRPC beside it where that is asked for."""
    from citemark.app.serve_grpc import GrpcDoor  # noqa: PLC0415
    from citemark.app.serve_http import serve_http as run  # noqa: PLC0415

    door = None if grpc is None else GrpcDoor(*grpc)
    return run(host, port, with_token=with_token, anybody=anybody, grpc=door, opened=opened)


def serve_grpc(grpc: "GrpcOptions", *, with_token: bool = True, anybody: bool = False) -> int:
    """Serve gRPC alone until a signal ends it."""
    from citemark.app.serve_grpc import GrpcDoor  # noqa: PLC0415
    from citemark.app.serve_grpc import serve_grpc as run  # noqa: PLC0415

    return run(GrpcDoor(*grpc), with_token=with_token, anybody=anybody)


async def back_up(settings: "Settings", folder: "Path", keys: "Path | None") -> "Manifest":
    """Copy the index that some settings name to a new folder."""
    from citemark.app.backups import back_up as run  # noqa: PLC0415

    return await run(settings, folder, keys)


async def restore(settings: "Settings", folder: "Path", keys: "Path | None") -> "Manifest":
    """Put a backup in the place of the index that some settings name."""
    from citemark.app.backups import restore as run  # noqa: PLC0415

    return await run(settings, folder, keys)


async def migrate(settings: "Settings", writers: "Sequence[str]", readers: "Sequence[str]") -> int:
    """Bring the schema of the index that some settings name up to date."""
    from citemark.app.migrating import bring_up_to_date  # noqa: PLC0415

    return await bring_up_to_date(settings, writers, readers)


async def make_new(settings: "Settings", partitions: int) -> None:
    """Make the index that some settings name, with nothing in it."""
    from citemark.app.migrating import make_new as run  # noqa: PLC0415

    await run(settings, partitions)
