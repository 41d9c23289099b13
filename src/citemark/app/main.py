"""The entry point. A command loads only what it needs: `serve` must answer the first request within a second."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from citemark.cli.command_context import GrpcOptions
    from citemark.model.backup import Manifest
    from citemark.services.app_context import AppContext
    from citemark.settings import Settings


def main() -> None:
    """Run `citemark`."""
    from citemark.app.features import commands_of, first_steps_of, measured_files_of  # noqa: PLC0415
    from citemark.cli.command_context import Launcher  # noqa: PLC0415
    from citemark.cli.command_line import run  # noqa: PLC0415

    launcher = Launcher(
        open_index=open_index,
        serve=serve,
        serve_http=serve_http,
        serve_grpc=serve_grpc,
        back_up=back_up,
        restore=restore,
        first_steps=first_steps_of,
        measured_files=measured_files_of,
    )
    run(launcher, commands_of())


@asynccontextmanager
async def open_index(settings: "Settings", database: str | None = None) -> "AsyncGenerator[AppContext, None]":
    """Open the index that some settings name."""
    from citemark.app.open_index import open_app  # noqa: PLC0415

    async with open_app(settings, database) as app:
        yield app


def serve() -> int:
    """Serve MCP over stdio until the host closes the pipe."""
    from citemark.app.serve_stdio import serve_stdio  # noqa: PLC0415

    return serve_stdio()


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
