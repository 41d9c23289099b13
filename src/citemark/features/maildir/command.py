"""`citemark add maildir`."""

from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.adding_options import AddingOptions
from citemark.cli.command_context import launcher_of
from citemark.cli.label_options import LabelOptions
from citemark.cli.option_groups import takes_groups
from citemark.cli.source_options import History, Ocr


@takes_groups
def add_maildir(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Maildir, mbox file, or folder that holds such mailboxes.")],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the source; the folder's name by default.")] = None,
    labels: LabelOptions,
    language: Annotated[
        str, typer.Option(help="Language of all mails, or `auto` to detect it from each one's words.")
    ] = "auto",
    history: History = "90",
    ocr: Ocr = False,
    way: AddingOptions,
) -> None:
    """Add mailboxes on this machine and index their mails."""
    from citemark.cli.add_source_command import Proposal, SourceRequest, add_source, with_ocr
    from citemark.features.maildir.kind import MAILDIR

    place = path.expanduser().absolute()
    request = SourceRequest(
        name=name,
        labels=labels.labels,
        language=language,
        history=history,
        dry_run=way.dry_run,
    )
    launcher_of(context).reading(json=way.json, quiet=way.quiet).run(
        lambda run, app: add_source(
            run,
            app,
            Proposal(MAILDIR, place.name, with_ocr(app, {"path": str(place)}, asked=ocr)),
            request,
            sync=not way.no_sync,
        )
    )
