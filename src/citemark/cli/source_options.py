"""Commands about sources, with their arguments and options.

What a command does is imported when it runs, so that --help and other commands do not load it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.adding_options import AddingOptions, ChangingOptions
from citemark.cli.command_context import Json, Quiet, launcher_of
from citemark.cli.consent import DryRun, Mode, Yes
from citemark.cli.label_options import ChangedLabelOptions, LabelOptions
from citemark.cli.option_groups import takes_groups

KEPT = "How long superseded states are kept: days, forever, baselines (what they name) or none."
History = Annotated[str, typer.Option(help=KEPT)]

Ocr = Annotated[
    bool,
    typer.Option("--ocr", help="Recognise text in scanned pages and pictures too; needs citemark[ocr] or Tesseract."),
]

Also = Annotated[
    list[str] | None,
    typer.Option(
        help="Glob of files to take besides (repeatable; adds to those set before): other types, read as text, and "
        "what would be left out, by its name. 'folder/' takes the documents in a folder."
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(help="Glob of files to take instead of all types that are read (repeatable). --also adds to them."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """Which files of a folder are taken."""

    also: Also = None
    include: Include = None
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out (repeatable).")] = None
    no_ignore: Annotated[
        bool, typer.Option("--no-ignore", help="Take what .gitignore names, build outputs and vendored packages too.")
    ] = False
    ocr: Ocr = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFileOptions:
    """Which files of a source are taken from now on; None leaves a setting as it is."""

    also: Also = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            help="Glob of files to take instead of all types that are read (repeatable); replaces those set before. "
            "--also adds."
        ),
    ] = None
    exclude: Annotated[
        list[str] | None, typer.Option(help="Glob of files to leave out (repeatable); replaces those set before.")
    ] = None
    ignore: Annotated[
        bool | None,
        typer.Option(
            "--ignore/--no-ignore",
            help="Whether .gitignore is obeyed, and build outputs and vendored packages left out.",
        ),
    ] = None
    ocr: Annotated[
        bool | None,
        typer.Option(
            "--ocr/--no-ocr",
            help="Whether text in scanned pages and pictures is recognised (citemark[ocr] or Tesseract).",
        ),
    ] = None


@takes_groups
def add_docs(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Folder of Markdown, text, CSV, HTML, PDF, office and mail files.")],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the source; the folder's name by default.")] = None,
    files: FileOptions,
    labels: LabelOptions,
    url: Annotated[str | None, typer.Option(help="Address under which the folder is published.")] = None,
    language: Annotated[
        str,
        typer.Option(
            help="Language of all documents that state none; `auto` detects it from each one's words, `auto:german` "
            "falls back to German."
        ),
    ] = "auto",
    overlapping: Annotated[
        bool, typer.Option("--overlapping", help="Add it even if another source reads the same folder.")
    ] = False,
    history: History = "90",
    way: AddingOptions,
) -> None:
    """Add a folder of documents and index it."""
    from citemark.cli.add_source_command import DocsRequest, add_docs_source  # noqa: PLC0415

    request = DocsRequest(
        path=path,
        name=name,
        include=tuple(files.include or ()),
        exclude=tuple(files.exclude or ()),
        labels=labels.labels,
        url=url,
        language=language,
        overlapping=overlapping,
        history=history,
        also=tuple(files.also or ()),
        ignore=not files.no_ignore,
        ocr=files.ocr,
        dry_run=way.dry_run,
    )
    launcher_of(context).reading(json=way.json, quiet=way.quiet).run(
        lambda run, app: add_docs_source(run, app, request, sync=not way.no_sync)
    )


def remove(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Remove a source and everything that came from it, its part of baselines included; says what goes and asks."""
    from citemark.cli.change_source_command import remove_source  # noqa: PLC0415

    mode = Mode(yes, dry_run)
    launcher_of(context).command(json=json).run(lambda run, app: remove_source(run, app, name, mode))


def sources(context: typer.Context, *, json: Json = False) -> None:
    """List the sources with what is indexed of them."""
    from citemark.cli.status_command import list_sources  # noqa: PLC0415

    launcher_of(context).command(json=json).run(list_sources)


def sync(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Names of sources; all by default.")] = None,
    *,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Keep running and follow changes until Ctrl-C.")] = False,
    dry_run: DryRun = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Update the index from its sources; with names, it ends when these are embedded."""
    if watch and dry_run:
        raise typer.BadParameter("--dry-run lists the sources once; leave --watch out.")
    if watch:
        from citemark.cli.sync_command import watch_sources  # noqa: PLC0415

        launcher_of(context).reading(json=json, quiet=quiet).run(
            lambda run, app: watch_sources(run, app, names or []), when_stopped=0
        )
    from citemark.cli.sync_command import sync_sources  # noqa: PLC0415

    launcher_of(context).reading(json=json, quiet=quiet).run(
        lambda run, app: sync_sources(run, app, names or [], dry_run=dry_run)
    )


def work(context: typer.Context, *, json: Json = False, quiet: Quiet = False) -> None:
    """Index for servers that share this database, and serve nobody; any number of machines may do so."""
    from citemark.cli.sync_command import work_alone  # noqa: PLC0415

    launcher_of(context).reading(json=json, quiet=quiet).run(work_alone, when_stopped=0)


def status(context: typer.Context, *, json: Json = False) -> None:
    """Show how far the index has come, its rate and what is wrong."""
    launcher_of(context).command(json=json).answer("status", {})


def problems(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Names of sources; all by default.")] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many of each kind, for each source.")] = 100,
    left_out: Annotated[
        bool, typer.Option("--left-out", help="List instead what is not indexed on purpose, and what would include it.")
    ] = False,
    json: Json = False,
) -> None:
    """List what could not be read in the sources, what was left out of their files, and their broken links."""
    from citemark.cli.status_command import list_left_out, list_problems  # noqa: PLC0415

    if left_out:
        launcher_of(context).command(json=json).run(lambda run, app: list_left_out(run, app, names or []))
    launcher_of(context).command(json=json).run(lambda run, app: list_problems(run, app, names or [], limit))


def source_pause(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Name of the source.")], *, json: Json = False
) -> None:
    """Read nothing from a source until it is resumed; what it has is found as before."""
    from citemark.cli.change_source_command import pause_source  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: pause_source(run, app, name))


def source_resume(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    *,
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record it; index later.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a paused source go on, and update it."""
    from citemark.cli.change_source_command import resume_source  # noqa: PLC0415

    launcher_of(context).reading(json=json, quiet=quiet).run(
        lambda run, app: resume_source(run, app, name, sync=not no_sync)
    )


@takes_groups
def set_source(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    *,
    new_name: Annotated[
        str | None, typer.Option("--name", help="New name; citations with an old name stay valid.")
    ] = None,
    files: ChangedFileOptions,
    labels: ChangedLabelOptions,
    url: Annotated[str | None, typer.Option(help="Address under which a folder is published.")] = None,
    way: ChangingOptions,
) -> None:
    """Change a source; asks before more than a tenth of it leaves the index. An empty value ('') removes a setting."""
    from citemark.cli.change_source_command import SourceChange, change_source  # noqa: PLC0415

    change = SourceChange(
        name=new_name,
        include=_without_empty(files.include),
        exclude=_without_empty(files.exclude),
        labels=labels.change,
        url=url,
        also=_without_empty(files.also),
        ignore=files.ignore,
        ocr=files.ocr,
    )
    launcher_of(context).reading(json=way.json, quiet=way.quiet).run(
        lambda run, app: change_source(run, app, name, change, sync=not way.no_sync, mode=way.mode)
    )


def _without_empty(values: list[str] | None) -> tuple[str, ...] | None:
    """The values of a repeatable option without empty ones, or None if it was not given."""
    return tuple(value for value in values if value) if values else None
