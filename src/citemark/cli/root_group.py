"""The group `citemark`: what is no command of its own is answered with the command that was meant."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from typer.core import TyperGroup

from citemark.cli.guessed_kind import guessed_kind
from citemark.cli.wrong_use import WRONG_USE
from citemark.model.errors import InvalidArgument

_MEANT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("index", "ingest", "import", "load", "new", "create"), "add FOLDER"),
        **dict.fromkeys(("update", "reindex", "refresh", "scan", "rebuild", "pull"), "sync"),
        **dict.fromkeys(("list", "ls", "show", "folders"), "sources"),
        **dict.fromkeys(("delete", "rm", "del"), "remove NAME"),
        **dict.fromkeys(("query", "find", "q", "grep", "retrieve"), 'search "QUESTION"'),
        **dict.fromkeys(("quote", "cite", "quotes"), 'evidence "QUESTION"'),
        **dict.fromkeys(("chat", "answer", "question"), 'ask "QUESTION"'),
        **dict.fromkeys(("mcp", "server", "start", "run", "up", "http"), "serve"),
        **dict.fromkeys(("setup", "connect", "hosts", "claude", "register"), "install"),
        **dict.fromkeys(("info", "stats", "state"), "status"),
        **dict.fromkeys(("check", "diagnose", "test"), "doctor"),
        **dict.fromkeys(("errors", "warnings", "log", "logs"), "problems"),
        **dict.fromkeys(("watch", "follow"), "sync --watch"),
        **dict.fromkeys(("try", "example", "tutorial", "quickstart"), "demo"),
        **dict.fromkeys(("quit", "kill", "down"), "stop"),
        **dict.fromkeys(("set", "config", "configure", "settings", "options"), "source set NAME"),
    }
)
"""What other programs call these commands."""


class RootGroup(TyperGroup):
    """Finds the command for the words after `citemark`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command; for a word that is none, the message names the one that was meant."""
        if args[0] not in self.commands and (meant := _meant(args[0])):
            raise WRONG_USE(f"There is no command {args[0]!r}; you may mean `citemark {_filled_in(meant, args[1:])}`.")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands, those first that a newcomer needs first."""
        names = [name for name in super().list_commands(ctx) if name not in _FIRST]
        return [*_FIRST, *names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the whole first sentence of its help, which click would cut off."""
        commands = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        rows = [(name, command.get_short_help_str(_WHOLE)) for name, command in commands if not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


_FOLDER, _NAME, _QUESTION = "FOLDER", "NAME", "QUESTION"

_FIRST = ("demo", "add", "sources", "search", "evidence", "ask")

_WHOLE = 300
"""Characters: longer than any first sentence."""


def _filled_in(meant: str, given: Sequence[str]) -> str:
    """The command with what was typed after the other word, if that can be a name, a path or a question."""
    words = [word for word in given if not word.startswith("-")]
    if not words or words != [*given]:
        return meant
    if _FOLDER in meant:
        path = Path(words[0])
        named = words[0] if path.is_absolute() or words[0].startswith((".", "~")) else f"./{words[0]}"
        return meant.replace(_FOLDER, named) if len(words) == 1 and path.expanduser().is_dir() else meant
    if meant == f"remove {_NAME}" and len(words) == 1:
        return f"remove {words[0]}"
    question = " ".join(words)
    return meant if '"' in question else meant.replace(_QUESTION, question)


def _meant(word: str) -> str:
    """The command that somebody means who types a word of another program, a path, an address or a question."""
    if word.lower() in _MEANT:
        return _MEANT[word.lower()]
    if " " in word.strip() or word.endswith("?"):
        return f'evidence "{word}"'
    try:
        return f"add {word}" if Path(word).expanduser().exists() or guessed_kind(word) else ""
    except InvalidArgument:
        return "add FOLDER"
