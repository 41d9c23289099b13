"""Options that every command which adds a source has."""

from typing import Annotated

import typer

Tags = Annotated[list[str] | None, typer.Option(help="Tag of the source (repeatable).")]
Project = Annotated[str | None, typer.Option(help="Project that the source belongs to.")]
Environment = Annotated[str | None, typer.Option(help="Environment that the source describes.")]
Repository = Annotated[str | None, typer.Option(help="Repository that the source comes from.")]
NoSync = Annotated[bool, typer.Option("--no-sync", help="Only record the source; index it later.")]
