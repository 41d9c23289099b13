"""Asking before something is lost, and saying what that is.

Every command that can lose more than a tenth of a source goes through `agreed`.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from citemark.cli.command_context import CommandContext
from citemark.model.errors import InvalidArgument

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before something is lost.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would happen.")]

NOTHING_CHANGED = "Nothing was changed.\n"


@dataclass(frozen=True, slots=True)
class Loss:
    """What a command would take away.

    Attributes:
        summary: one sentence without its full stop, such as "This removes 302 of 302 documents of handbook".
        lines: details for a person.
        data: the same for programs.
    """

    summary: str
    lines: Sequence[str] = ()
    data: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The sentence and the details."""
        return "\n".join([f"{self.summary}.", *(f"  {line}" for line in self.lines)])


@dataclass(frozen=True, slots=True)
class Mode:
    """How a command that may lose something is run: agreed to in advance (`--yes`), or only shown (`--dry-run`)."""

    yes: bool = False
    dry_run: bool = False


ASKING = Mode()
"""The person is asked."""


async def agreed(run: CommandContext, loss: Loss, mode: Mode) -> bool:
    """Whether the person agrees to a loss; asks on a terminal.

    Raises:
        InvalidArgument: nobody can be asked, and --yes was not given.
    """
    if mode.yes:
        return True
    if run.json or not sys.stdin.isatty():
        raise InvalidArgument(
            f"{loss.summary}. Nothing was changed: --yes does it, --dry-run only shows it.",
            **{"needs": "--yes", **(loss.data or {})},
        )
    sys.stderr.write(f"{loss.text}\n")
    answer = await asyncio.to_thread(input, "Go on? [y/N] ")
    if answer.strip().lower() in {"y", "yes"}:
        return True
    sys.stderr.write(NOTHING_CHANGED)
    return False
