"""The examples of README and docs, as blocks of a language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.served import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced block: the page it stands on (relative to the repository), its language and its text."""

    page: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Lines of a shell block without comments."""
        lines = [line.partition(" #")[0].strip() for line in self.text.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]


def examples(language: str) -> list[Example]:
    """Every block of a language, README first, then the pages by name."""
    return [example for page in _pages() for example in _of(page) if example.language == language]


def _pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _of(page: Path) -> Iterator[Example]:
    for match in _BLOCK.finditer(page.read_text("utf-8")):
        yield Example(str(page.relative_to(ROOT)), match[1], match[2])
