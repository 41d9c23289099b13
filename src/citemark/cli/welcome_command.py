"""`citemark` alone: what it is and, in a terminal and before there is an index, some questions to begin with."""

import sys
from collections.abc import Sequence
from pathlib import Path

from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext, FirstStep
from citemark.cli.install.found_hosts import FoundHost, found_hosts
from citemark.cli.install.install_command import install_command
from citemark.cli.install.install_plan import InstallRequest
from citemark.cli.install.server_entry import hint_about_uvx
from citemark.folders import data_dir
from citemark.model.errors import CitemarkError
from citemark.settings import load_settings

_WHAT = "Citemark quotes your documents word for word, each quote with its citation,\nfor you here and for AI programs."
_BEGINNING = (
    "  citemark add FOLDER           makes a folder searchable",
    '  citemark evidence "QUESTION"  quotes what answers it',
    "  citemark install              adds Citemark to the AI programs here",
)
_HELP = "`citemark demo` shows it with ten documents; `citemark --help` lists all commands."
_SKIP, _NONE = "s", "none"


def welcome_command(run: CommandContext, steps: Sequence[FirstStep] = ()) -> int:
    """Say what Citemark is; where nothing is indexed yet and a person sits there, ask what to begin with.

    `steps` are the questions of features.
    """
    try:
        settings = load_settings()
        is_new = settings.database_url is None and not data_dir(settings.data_dir).exists()
    except CitemarkError as error:
        return run.fail(error)
    if not (is_new and sys.stdin.isatty() and sys.stdout.isatty()):
        run.show({}, "\n".join([_WHAT, "", *_BEGINNING, "", _HELP, hint_about_uvx()]).rstrip())
        return 0
    run.show(
        {}, f"{_WHAT}\n{_questions(2 + len(steps))} to begin with: Enter takes what is in brackets, {_SKIP} skips.\n"
    )
    try:
        return _begin(run, steps)
    except (EOFError, KeyboardInterrupt):
        sys.stderr.write("\nStopped; `citemark` asks again.\n")
        return 1


def _begin(run: CommandContext, steps: Sequence[FirstStep]) -> int:
    """Ask all questions first, so that nobody waits between them; then do what was answered."""
    folder = _asked("1. Which folder shall be searchable?", _suggested_folder())
    hosts = found_hosts()
    names = ", ".join(found.host.title for found in hosts)
    adds_hosts = bool(hosts) and _asked(f"2. Add Citemark to {names}? Their files are kept as backups.", "yes") in {
        "yes",
        "y",
    }
    given = [(step, _asked(f"{number}. {step.question}", _NONE)) for number, step in enumerate(steps, 3)]
    codes = [_add_folder(run, folder)] if folder else []
    codes += [step.do(run, answer) for step, answer in given if answer not in {"", _NONE}]
    if adds_hosts:
        codes += [_add_to(run, found) for found in hosts]
    run.show({}, "\n".join(["", "From here on:", *_BEGINNING, _HELP, hint_about_uvx()]).rstrip())
    return max(codes, default=0)


def _questions(number: int) -> str:
    return {2: "Two questions", 3: "Three questions"}.get(number, f"{number} questions")


def _asked(question: str, default: str) -> str:
    """What a person answers; "" if they skip, and if there is no default and they only press Enter."""
    sys.stdout.write(f"{question} [{default or 'skip'}] ")
    sys.stdout.flush()
    answer = input().strip()
    return "" if answer.lower() in {_SKIP, "skip"} else answer or default


def _suggested_folder() -> str:
    """The person's documents, or this folder unless it is the home or the root; "" if neither is there."""
    documents = Path.home() / "Documents"
    if documents.is_dir():
        return str(documents)
    here = Path.cwd()
    return "" if here in {Path.home(), Path("/")} else str(here)


def _add_folder(run: CommandContext, folder: str) -> int:
    request = DocsRequest(path=Path(folder))
    return run.attempt(lambda context, app: add_docs_source(context, app, request, sync=True))


def _add_to(run: CommandContext, found: FoundHost) -> int:
    return install_command(run, InstallRequest(found.host.key, yes=True))
