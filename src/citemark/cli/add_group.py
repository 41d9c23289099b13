"""The group `citemark add`: after it comes a kind of source, or the source itself, whose kind is guessed."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from citemark.cli.guessed_kind import guessed_kind
from citemark.cli.wrong_use import WRONG_USE
from citemark.model.errors import InvalidArgument


class AddGroup(TyperGroup):
    """Finds the command for a kind that is not named."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command, with the source as its first argument if the kind was guessed."""
        return super().resolve_command(ctx, self._with_kind(args))

    def _with_kind(self, args: list[str]) -> list[str]:
        word = args[0]
        if word in self.commands:
            if args == [word] and Path(word).is_dir():
                raise WRONG_USE(
                    f"{word} is a kind of source, and its path is missing; `citemark add ./{word}` adds the folder."
                )
            return args
        try:
            kind = guessed_kind(word)
        except InvalidArgument as error:
            raise WRONG_USE(error.message) from None
        second = args[1] if len(args) > 1 and Path(word).is_dir() else ""
        if second and not second.startswith("-") and Path(second).is_dir():
            raise WRONG_USE(f"One source at a time: `citemark add {word}`, then `citemark add {second}`.")
        if kind is None and not word.startswith("-") and not get_close_matches(word, self.commands):
            raise WRONG_USE(f"There is nothing at {word}; give a folder, a model's file or the address of a Nextcloud.")
        return args if kind is None else [kind, *args]
