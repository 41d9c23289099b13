"""Text for people: bold, coloured and linked in a terminal that shows it, and the same words everywhere else."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFile


@dataclass(frozen=True, slots=True)
class StyledText:
    """Words with a style as rich writes it ("bold", "cyan"), and the address that they link to."""

    words: str
    style: str = ""
    link: str | None = None


def bold(words: str) -> StyledText:
    """Emphasized text: a name or a line, kept on one line."""
    return StyledText(one_line(words), "bold")


def score(value: float) -> StyledText:
    """A score with two decimals, in colour."""
    return StyledText(f"({value:.2f})", "cyan")


def faint(words: str) -> StyledText:
    """De-emphasized text, kept on one line."""
    return StyledText(one_line(words), "dim")


@dataclass(slots=True)
class Styled:
    """Lines, each made of pieces of styled text."""

    lines: list[tuple[StyledText, ...]] = field(default_factory=list[tuple[StyledText, ...]])

    def line(self, *parts: str | StyledText) -> None:
        """Add a line."""
        self.lines.append(tuple(StyledText(part) if isinstance(part, str) else part for part in parts))

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines without a style."""
        for line in lines:
            self.line(line)

    def file(self, indent: str, file: "LocalFile | None") -> None:
        """Add the path of a citation's file, if it is on this machine."""
        if file is not None:
            self.line(indent, StyledText(one_line(str(file.path)), "dim", file.link))

    def pieces(self) -> list[list[tuple[str, str, str | None]]]:
        """The words, style and link of every piece of each line, from which `of_pieces` makes the same text."""
        return [[(piece.words, piece.style, piece.link) for piece in line] for line in self.lines]

    @classmethod
    def of_pieces(cls, lines: Iterable[Iterable[Sequence[str | None]]]) -> "Styled":
        """A text of such pieces."""
        return cls([tuple(StyledText(words or "", style or "", link) for words, style, link in line) for line in lines])

    def plain(self, clean: Callable[[str], str]) -> str:
        """The words without their styles."""
        return "\n".join(clean("".join(piece.words for piece in line)) for line in self.lines)

    def print(self, out: TextIO, clean: Callable[[str], str]) -> None:
        """Write the lines, with their styles if `out` is a terminal that shows them and NO_COLOR is not set.

        `clean` removes from each piece what a terminal would obey.
        """
        if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
            out.write(self.plain(clean) + "\n")
            return
        from rich.console import Console  # noqa: PLC0415 - a pipe need not wait for it
        from rich.style import Style  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        console = Console(file=out, highlight=False, markup=False, emoji=False)
        for line in self.lines:
            pieces = (
                (clean(piece.words), Style.parse(piece.style) + Style(link=piece.link) if piece.link else piece.style)
                for piece in line
            )
            console.print(Text.assemble(*pieces), soft_wrap=True)
