"""The command line `citemark`. Its exit codes are 0 done, 1 failed, 2 wrong use and 3 nothing found."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from typer.core import TyperGroup

from citemark.cli.command_context import Json, Launcher, launcher_of
from citemark.cli.command_tree import CommandTree
from citemark.cli.first_steps_options import demo, welcome
from citemark.cli.machine_options import SERVICE, backup, init, migrate, restore, stop, uninstall
from citemark.cli.people_options import (
    rotate_key,
    source_grant,
    source_grants,
    source_revoke,
    token_create,
    token_list,
    token_revoke,
)
from citemark.cli.question_options import evaluate, evidence, search
from citemark.cli.server_options import bridge, doctor, install, serve, trust, web
from citemark.cli.source_options import (
    problems,
    remove,
    set_source,
    source_pause,
    source_resume,
    sources,
    status,
    sync,
    work,
)
from citemark.cli.wrong_use import WRONG_USE

Contribution: TypeAlias = Callable[[CommandTree], None]
"""Adds the commands of a feature."""


def run(entry: Launcher, contributions: Iterable[Contribution]) -> None:
    """Run the command line with the functions that `entry` provides and the commands that features contribute."""
    as_json = "--json" in sys.argv
    undecodable = [word for word in sys.argv[1:] if any("\ud800" <= character <= "\udfff" for character in word)]
    if undecodable:
        from citemark.model.errors import InvalidArgument  # noqa: PLC0415

        error = InvalidArgument(f"The argument {undecodable[0]!a} is not UTF-8; rename the file, or write it in UTF-8.")
        raise SystemExit(entry.command(json=as_json).fail(error))
    try:
        code = commands_of(contributions)(obj=entry, standalone_mode=not as_json)
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


def version(context: typer.Context, *, json: Json = False) -> None:
    """Print the version."""
    from citemark import __version__  # noqa: PLC0415

    launcher_of(context).command(json=json).show({"version": __version__}, __version__)


Words = Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]", help="The command to explain.")]


def help_(context: typer.Context, words: Words = None) -> None:
    """List every command, as --help does, or say what one takes."""
    asked = context.find_root()
    for word in words or ():
        if not isinstance(asked.command, TyperGroup):
            break
        _, command, _ = asked.command.resolve_command(asked, [word])
        if command is not None:
            asked = typer.Context(command, parent=asked, info_name=word)
    sys.stdout.write(f"{asked.get_help()}\n")


def commands_of(contributions: Iterable[Contribution]) -> typer.Typer:
    """The whole command line, in the order in which --help lists it: what features add stands beside the questions."""
    tree = CommandTree()
    root = tree.root
    root.callback(invoke_without_command=True)(citemark)
    root.command()(version)
    root.command("help", hidden=True)(help_)
    for command in (demo, remove, sources, sync, work, status, problems, search, evidence):
        root.command()(command)
    tree.source.command("set")(set_source)
    tree.source.command("pause")(source_pause)
    tree.source.command("resume")(source_resume)
    tree.source.command("grant")(source_grant)
    tree.source.command("revoke")(source_revoke)
    tree.source.command("grants")(source_grants)
    token = tree.group("token", "Tokens of people and programs, for serve --http.")
    token.command("create")(token_create)
    token.command("list")(token_list)
    token.command("revoke")(token_revoke)
    for contribute in contributions:
        contribute(tree)
    root.add_typer(SERVICE, name="service")
    for command in (web, serve, bridge, stop, install, uninstall, init, backup, restore, migrate, trust, doctor):
        root.command()(command)
    root.command("eval")(evaluate)
    root.command("rotate-key")(rotate_key)
    return root
