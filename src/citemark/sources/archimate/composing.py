"""A text of lines, each a block of its own, so that it is cut between them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.sources.archimate.parts import Properties

T = TypeVar("T")

_ON_A_LINE = 8
"""Things listed on one line; the next line says its verb again, so that a long list can be cut anywhere."""


class TextLines:
    """Takes lines in order and knows where each one stands."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._blocks: list[Block] = []
        self._at = 0

    def add(self, line: str) -> Span:
        """Put a line at the end; where it stands."""
        span = Span(self._at, self._at + len(line))
        self._lines.append(line)
        self._blocks.append(Block(BlockKind.PARAGRAPH, span))
        self._at = span.end + 1
        return span

    def add_all(self, lines: Iterable[str]) -> None:
        """Put lines at the end."""
        for line in lines:
            self.add(line)

    def extracted(self, title: str) -> Extracted:
        """The text, done."""
        return Extracted(title=title, body="\n".join(self._lines), blocks=tuple(self._blocks))


def portions(things: Sequence[T]) -> Iterator[Sequence[T]]:
    """The things of one line after the other."""
    for start in range(0, len(things), _ON_A_LINE):
        yield things[start : start + _ON_A_LINE]


def property_lines(properties: Properties) -> Iterator[str]:
    """What is said as keys and values."""
    for some in portions([f"{key}={value}" if value else key for key, value in properties if key]):
        yield f"Properties: {', '.join(some)}"


def documentation_lines(documentation: str) -> Iterator[str]:
    """What a person wrote, by paragraph."""
    for number, line in enumerate(documentation.split("\n") if documentation else ()):
        yield line if number else f"Description: {line}"


def quoted(name: str) -> str:
    """A name between quotation marks."""
    return f'"{name}"'
