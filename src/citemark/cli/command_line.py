"""The command line `citemark`. Its exit codes are 0 done, 1 failed, 2 wrong use and 3 nothing found."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.add_group import AddGroup
from citemark.cli.command_context import Json, Launcher, launcher_of
from citemark.cli.first_steps_options import demo, welcome
from citemark.cli.graph_options import GRAPH
from citemark.cli.history_options import (
    baseline_create,
    baseline_delete,
    baseline_diff,
    baseline_list,
    baseline_show,
    history_keep,
    history_purge,
    history_show,
    open_citation,
)
from citemark.cli.machine_options import SERVICE, backup, restore, stop, uninstall
from citemark.cli.people_options import (
    rotate_key,
    source_grant,
    source_grants,
    source_revoke,
    token_create,
    token_list,
    token_revoke,
)
from citemark.cli.question_options import ask, element, evaluate, evidence, impact, search, view
from citemark.cli.root_group import RootGroup
from citemark.cli.server_options import doctor, install, serve, trust
from citemark.cli.source_options import (
    add_archimate,
    add_docs,
    add_nextcloud,
    login,
    problems,
    remove,
    set_source,
    sources,
    status,
    sync,
    work,
)
from citemark.cli.wrong_use import WRONG_USE

COMMANDS = typer.Typer(
    name="citemark",
    cls=RootGroup,
    help="Cited, permitted, bounded retrieval over your own documents, for people and AI agents.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run(entry: Launcher) -> None:
    """Run the command line with the functions that `entry` provides."""
    as_json = "--json" in sys.argv
    undecodable = [word for word in sys.argv[1:] if any("\ud800" <= character <= "\udfff" for character in word)]
    if undecodable:
        from citemark.model.errors import InvalidArgument  # noqa: PLC0415

        error = InvalidArgument(f"The argument {undecodable[0]!a} is not UTF-8; rename the file, or write it in UTF-8.")
        raise SystemExit(entry.command(json=as_json).fail(error))
    try:
        code = COMMANDS(obj=entry, standalone_mode=not as_json)
    except WRONG_USE as error:
        from citemark.model.errors import InvalidArgument  # noqa: PLC0415

        raise SystemExit(entry.command(json=True).fail(InvalidArgument(error.format_message()))) from None
    except Exception as error:  # noqa: BLE001 - Python's own report would repeat what the exception quotes
        raise SystemExit(entry.command(json=as_json).crash(error)) from None
    raise SystemExit(code)


def _print_version(requested: bool) -> None:
    if requested:
        from citemark import __version__  # noqa: PLC0415

        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


@COMMANDS.callback(invoke_without_command=True)
def citemark(
    context: typer.Context,
    *,
    config: Annotated[
        Path | None, typer.Option("--config", help="The citemark.toml to read; put it before the command.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Cited, permitted, bounded retrieval over your own documents, for people and AI agents."""
    _ = version
    if config is not None:
        os.environ["CITEMARK_CONFIG"] = str(config)
    if context.invoked_subcommand is None:
        welcome(context)


@COMMANDS.command()
def version(context: typer.Context, *, json: Json = False) -> None:
    """Print the version."""
    from citemark import __version__  # noqa: PLC0415

    launcher_of(context).command(json=json).show({"version": __version__}, __version__)


@COMMANDS.command("help", hidden=True)
def help_(context: typer.Context) -> None:
    """List every command, as --help does."""
    sys.stdout.write(f"{context.find_root().get_help()}\n")


add = typer.Typer(
    cls=AddGroup,
    help="Add a source: a folder, the file of a model or the address of a Nextcloud; its kind need not be named.",
    subcommand_metavar="[KIND] SOURCE [OPTIONS]",
    no_args_is_help=True,
    rich_markup_mode=None,
)
COMMANDS.add_typer(add, name="add")
add.command("docs")(add_docs)
add.command("archimate")(add_archimate)
add.command("nextcloud")(add_nextcloud)

source = typer.Typer(help="Change a source.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS.add_typer(source, name="source")
source.command("set")(set_source)
source.command("grant")(source_grant)
source.command("revoke")(source_revoke)
source.command("grants")(source_grants)

token = typer.Typer(
    help="Tokens of people and programs, for serve --http.", no_args_is_help=True, rich_markup_mode=None
)
COMMANDS.add_typer(token, name="token")
token.command("create")(token_create)
token.command("list")(token_list)
token.command("revoke")(token_revoke)

baseline = typer.Typer(help="Names for states of the past.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS.add_typer(baseline, name="baseline")
baseline.command("create")(baseline_create)
baseline.command("list")(baseline_list)
baseline.command("show")(baseline_show)
baseline.command("diff")(baseline_diff)
baseline.command("delete")(baseline_delete)

history = typer.Typer(help="How long sources keep what was superseded.", rich_markup_mode=None)
COMMANDS.add_typer(history, name="history")
history.callback(invoke_without_command=True)(history_show)
history.command("keep")(history_keep)
history.command("purge")(history_purge)

COMMANDS.add_typer(GRAPH, name="graph")
COMMANDS.add_typer(SERVICE, name="service")

# In the order in which --help lists them.
for command in (
    demo,
    *(login, remove, sources, sync, work, status, problems),
    *(search, evidence, element, view, impact, ask),
    *(serve, stop, install, uninstall, backup, restore, trust),
):
    COMMANDS.command()(command)
COMMANDS.command("open")(open_citation)
COMMANDS.command("eval")(evaluate)
COMMANDS.command()(doctor)
COMMANDS.command("rotate-key")(rotate_key)
