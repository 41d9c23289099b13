"""What every command of the command line is given."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from citemark.cli.run import CommandContext

if TYPE_CHECKING:
    from citemark.services.app_context import OpenIndex
    from citemark.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


class ServeHttp(Protocol):
    """Serves over HTTP until a signal ends it; the exit code."""

    def __call__(self, host: str, port: int, *, with_token: bool = True) -> int:
        """Listen on a loopback address."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """What the composition root hands in: how to open an index, where it lives, how to serve."""

    open_index: "OpenIndex"
    data_dir: Callable[["Settings"], Path]
    serve: Callable[[], int]
    serve_http: "ServeHttp"

    def command(self, *, json: bool = False, quiet: bool = False) -> CommandContext:
        """One invocation."""
        return CommandContext(self.open_index, json=json, quiet=quiet)


def entry_of(context: typer.Context) -> Entry:
    """What the composition root handed in."""
    entry = context.find_object(Entry)
    if entry is None:
        raise RuntimeError("the composition root starts this command line")
    return entry
