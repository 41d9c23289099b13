"""`citemark`: exit code 0 done, 1 failed, 2 wrong use, 3 nothing found."""

import os
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from citemark.cli.account_commands import add_nextcloud, login
from citemark.cli.command_context import Json, Launcher, Quiet, launcher_of
from citemark.cli.host_commands import install, serve, trust
from citemark.cli.source_commands import set_source

COMMANDS = typer.Typer(
    name="citemark",
    help="Cited, permitted, bounded retrieval over your own documents, for people and AI agents.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_WRONG_USE = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])
"""What a command line that cannot be parsed raises: typer exports no name of it that all its versions have."""


def run(entry: Launcher) -> None:
    """Run the command line over what `entry` opens."""
    as_json = "--json" in sys.argv
    strange = [word for word in sys.argv[1:] if any("\ud800" <= sign <= "\udfff" for sign in word)]
    if strange:
        from citemark.model.errors import InvalidArgument  # noqa: PLC0415

        error = InvalidArgument(f"The argument {strange[0]!a} is not UTF-8; rename the file, or write it in UTF-8.")
        raise SystemExit(entry.command(json=as_json).fail(error))
    try:
        code = COMMANDS(obj=entry, standalone_mode=not as_json)
    except _WRONG_USE as error:
        from citemark.model.errors import InvalidArgument  # noqa: PLC0415

        raise SystemExit(entry.command(json=True).fail(InvalidArgument(error.format_message()))) from None
    except Exception as error:  # noqa: BLE001 - Python's own report would repeat what the exception quotes
        raise SystemExit(entry.command(json=as_json).crash(error)) from None
    raise SystemExit(code)


def _print_version(asked: bool) -> None:
    if asked:
        from citemark import __version__  # noqa: PLC0415

        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


@COMMANDS.callback()
def citemark(
    *,
    config: Annotated[
        Path | None, typer.Option("--config", help="The citemark.toml to read; put it before the command.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Cited, permitted, bounded retrieval over your own documents, for people and AI agents."""
    _ = version
    if config is not None:
        os.environ["CITEMARK_CONFIG"] = str(config)


@COMMANDS.command()
def version(context: typer.Context, *, json: Json = False) -> None:
    """Print the version."""
    from citemark import __version__  # noqa: PLC0415

    launcher_of(context).command(json=json).show({"version": __version__}, __version__)


add = typer.Typer(help="Add a source.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS.add_typer(add, name="add")


@add.command("docs")
def add_docs(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Folder of Markdown, text, CSV, HTML, PDF, office and mail files.")],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the source; the folder's name by default.")] = None,
    include: Annotated[list[str] | None, typer.Option(help="Glob of files to take (repeatable).")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out (repeatable).")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag of the source (repeatable).")] = None,
    project: Annotated[str | None, typer.Option(help="Project that the source belongs to.")] = None,
    environment: Annotated[str | None, typer.Option(help="Environment that the source describes.")] = None,
    repository: Annotated[str | None, typer.Option(help="Repository that the source comes from.")] = None,
    url: Annotated[str | None, typer.Option(help="Address under which the folder is published.")] = None,
    language: Annotated[
        str,
        typer.Option(
            help="Language of all documents that name none; `auto`: told from each one's words, `auto:german`: "
            "likewise, German where they do not tell."
        ),
    ] = "auto",
    overlapping: Annotated[
        bool, typer.Option("--overlapping", help="Add it though another source reads files of the same folder.")
    ] = False,
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record the source; index it later.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add a folder of documents and index it."""
    from citemark.cli.add_source_command import DocsRequest, add_docs_source  # noqa: PLC0415

    request = DocsRequest(
        path=path,
        name=name,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        tags=tuple(tag or ()),
        project_id=project,
        environment=environment,
        repository=repository,
        url=url,
        language=language,
        overlapping=overlapping,
    )
    launcher_of(context).command(json=json, quiet=quiet).run(
        lambda run, app: add_docs_source(run, app, request, sync=not no_sync)
    )


@add.command("archimate")
def add_archimate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Open Group exchange file (XML 3) or .archimate file of Archi.")],
    *,
    capability: Annotated[
        str,
        typer.Option(help="What the model is about; its tools answer to this name too while it is the only one."),
    ] = "architecture",
    name: Annotated[str | None, typer.Option(help="Name of the source; the file's name by default.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag of the source (repeatable).")] = None,
    project: Annotated[str | None, typer.Option(help="Project that the source belongs to.")] = None,
    environment: Annotated[str | None, typer.Option(help="Environment that the source describes.")] = None,
    repository: Annotated[str | None, typer.Option(help="Repository that the source comes from.")] = None,
    language: Annotated[
        str, typer.Option(help="Language of the model's names and texts; `auto`: told from each text's words.")
    ] = "english",
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only record the source; index it later.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add an architecture model and index its elements and views."""
    from citemark.cli.add_source_command import ModelRequest, add_archimate_source  # noqa: PLC0415

    request = ModelRequest(
        path=path,
        capability=capability,
        name=name,
        tags=tuple(tag or ()),
        project_id=project,
        environment=environment,
        repository=repository,
        language=language,
    )
    launcher_of(context).command(json=json, quiet=quiet).run(
        lambda run, app: add_archimate_source(run, app, request, sync=not no_sync)
    )


add.command("nextcloud")(add_nextcloud)
COMMANDS.command()(login)


source = typer.Typer(help="Change a source.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS.add_typer(source, name="source")
source.command("set")(set_source)


@COMMANDS.command()
def remove(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Name of the source.")], *, json: Json = False
) -> None:
    """Remove a source and everything that came from it."""
    from citemark.cli.change_source_command import remove_source  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: remove_source(run, app, name))


@COMMANDS.command()
def sources(context: typer.Context, *, json: Json = False) -> None:
    """List the sources with what is indexed of them."""
    from citemark.cli.status_command import list_sources  # noqa: PLC0415

    launcher_of(context).command(json=json).run(list_sources)


@COMMANDS.command()
def sync(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Names of sources; all by default.")] = None,
    *,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Go on and follow changes, until Ctrl-C.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring the index up to its sources."""
    if watch:
        from citemark.cli.sync_command import watch_sources  # noqa: PLC0415

        launcher_of(context).command(json=json, quiet=quiet).run(lambda run, app: watch_sources(run, app, names or []))
    from citemark.cli.sync_command import sync_sources  # noqa: PLC0415

    launcher_of(context).command(json=json, quiet=quiet).run(lambda run, app: sync_sources(run, app, names or []))


@COMMANDS.command()
def status(context: typer.Context, *, json: Json = False) -> None:
    """Show how far the index has come, its rate and what is wrong."""
    from citemark.cli.status_command import show_status  # noqa: PLC0415

    launcher_of(context).command(json=json).run(show_status)


@COMMANDS.command()
def problems(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Names of sources; all by default.")] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many of each kind, for each source.")] = 100,
    json: Json = False,
) -> None:
    """List what of the sources could not be read, and their broken links."""
    from citemark.cli.status_command import list_problems  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: list_problems(run, app, names or [], limit))


@COMMANDS.command()
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    top_k: Annotated[int, typer.Option(min=1, max=20, help="How many hits.")] = 5,
    max_per_doc: Annotated[int, typer.Option(min=1, max=5, help="How many hits per page.")] = 1,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Hide hits below.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only documents with this tag (repeatable).")] = None,
    path_prefix: Annotated[str | None, typer.Option(help="Only documents whose path begins so.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Show how each hit came to its place.")] = False,
    json: Json = False,
) -> None:
    """Search, and show the passages that answer best."""
    from citemark.cli.search_command import TypedSearch, search_command  # noqa: PLC0415

    asked = TypedSearch(query, top_k, max_per_doc, min_score, tuple(tag or ()), path_prefix)
    launcher_of(context).command(json=json).run(lambda run, app: search_command(run, app, asked, why=why))


@COMMANDS.command()
def evidence(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question to answer.")],
    *,
    top_k: Annotated[int, typer.Option(min=1, max=20, help="How many passages to cut from.")] = 5,
    max_quotes: Annotated[int, typer.Option(min=1, max=12, help="How many quotes.")] = 6,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Ignore passages below.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only documents with this tag (repeatable).")] = None,
    path_prefix: Annotated[str | None, typer.Option(help="Only documents whose path begins so.")] = None,
    json: Json = False,
) -> None:
    """Show verbatim quotes that answer a question, each with its citation."""
    from citemark.cli.search_command import TypedSearch, evidence_command  # noqa: PLC0415

    asked = TypedSearch(question, top_k, 1, min_score, tuple(tag or ()), path_prefix)
    launcher_of(context).command(json=json).run(lambda run, app: evidence_command(run, app, asked, max_quotes))


@COMMANDS.command()
def element(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Id or name of an element of an architecture model.")],
    *,
    source: Annotated[str | None, typer.Option(help="The model, where several know the id or name.")] = None,
    json: Json = False,
) -> None:
    """Show an element of an architecture model with its relationships and the views that show it."""
    from citemark.cli.model_commands import element_command  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: element_command(run, app, name, source))


@COMMANDS.command()
def view(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Id or name of a view; without it, all views are listed.")] = None,
    file: Annotated[Path | None, typer.Argument(help="Where --svg draws it; - is standard output.")] = None,
    *,
    svg: Annotated[bool, typer.Option("--svg", help="Draw the view, to FILE or standard output.")] = False,
    source: Annotated[str | None, typer.Option(help="The model, where several know the id or name.")] = None,
    json: Json = False,
) -> None:
    """Show what a view of an architecture model shows, or draw it."""
    from citemark.cli.model_commands import ViewRequested, view_command  # noqa: PLC0415

    if file is not None and not svg:
        raise typer.BadParameter("a FILE goes with --svg; a name of several words wants quotation marks.")
    wish = ViewRequested(name, (file or Path("-")) if svg else None, source)
    launcher_of(context).command(json=json).run(lambda run, app: view_command(run, app, wish))


@COMMANDS.command()
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question in full.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most documents to answer from.")] = 5,
    max_answer_tokens: Annotated[int, typer.Option(min=1, max=2000, help="Length of the answer.")] = 500,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Leave weaker documents out.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only documents with this tag (repeatable).")] = None,
    path_prefix: Annotated[str | None, typer.Option(help="Only documents whose path begins so.")] = None,
    documents_only: Annotated[bool, typer.Option("--documents-only", help="Ask no model, quote nothing.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question with footnotes: by the model of the settings (answer_url, answer_model), else by quotes."""
    from citemark.cli.ask_command import TypedQuestion, ask_command  # noqa: PLC0415

    asked = TypedQuestion(question, limit, max_answer_tokens, min_score, tuple(tag or ()), path_prefix, documents_only)
    launcher_of(context).command(json=json, quiet=quiet).run(lambda run, app: ask_command(run, app, asked))


COMMANDS.command()(serve)
COMMANDS.command()(install)
COMMANDS.command()(trust)


@COMMANDS.command("eval")
def evaluate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Questions or answers in YAML, or a folder in BEIR form.")],
    *,
    fresh: Annotated[bool, typer.Option("--fresh", help="Rebuild the index of a BEIR folder.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with charts there.")] = None,
    against: Annotated[Path | None, typer.Option("--against", help="An earlier run's JSON to compare with.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure retrieval on questions whose answers are known."""
    from citemark.cli.eval_command import Outlet, eval_command  # noqa: PLC0415

    command = launcher_of(context).command(json=json, quiet=quiet)
    raise SystemExit(eval_command(command, path, Outlet(html, against), fresh=fresh))


@COMMANDS.command()
def doctor(context: typer.Context, *, json: Json = False) -> None:
    """Check the installation, the database, the model and the sources."""
    from citemark.cli.doctor_command import doctor_command  # noqa: PLC0415

    entry = launcher_of(context)
    raise SystemExit(doctor_command(entry.command(json=json), entry.data_dir))
