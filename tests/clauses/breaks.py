"""One-line patches, each of which breaks one clause in the product; they are kept beside the manifest."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "requirements_data" / "breaks.toml"


class NoLongerApplies(Exception):
    """The line that a patch changes is not in its file, or is there more than once."""

    def __init__(self, clause: str, file: str, found: int) -> None:
        super().__init__(f"{clause}: its line stands {found} times in {file}, not once; write the patch anew")


@dataclass(frozen=True, slots=True)
class Break:
    """A part of one line in one file, and what to put there so that the clause no longer holds."""

    clause: str
    file: str
    line: str
    broken: str

    def applied(self, text: str) -> str:
        """`text` of the file, broken.

        Raises:
            NoLongerApplies: the part of the line is not there exactly once.
        """
        if (found := text.count(self.line)) != 1:
            raise NoLongerApplies(self.clause, self.file, found)
        return text.replace(self.line, self.broken)


def breaks(file: Path = FILE) -> tuple[Break, ...]:
    """All patches, in the order of the file."""
    return tuple(Break(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["break"])


def passed_over(file: Path = FILE) -> Mapping[str, str]:
    """The drawn clauses that no line of the product breaks, each with the reason."""
    return tomllib.loads(file.read_text(encoding="utf-8"))["passed_over"]
