"""How a command that adds or changes a source goes on: what it does, and what it prints."""

from dataclasses import dataclass
from typing import Annotated

import typer

from citemark.cli.command_context import Json, Quiet
from citemark.cli.consent import DryRun, Mode, Yes


@dataclass(frozen=True, slots=True, kw_only=True)
class AddingOptions:
    """Of a command that adds a source and loses nothing."""

    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record the source; index it later.")] = False
    dry_run: DryRun = False
    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangingOptions:
    """Of a command that may drop documents from the index, and asks before."""

    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record the change; index later.")] = False
    yes: Yes = False
    dry_run: DryRun = False
    json: Json = False
    quiet: Quiet = False

    @property
    def mode(self) -> Mode:
        """Whether it asks, and whether it does anything."""
        return Mode(self.yes, self.dry_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingInOptions(ChangingOptions):
    """Of a command that logs in to an account, too."""

    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only log in; index later.")] = False
