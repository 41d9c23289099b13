"""Words that only one document contains, so that a result that shows one tells which document it showed."""

import itertools
import re

_MARK = re.compile(r"\bqz\d{5}x\b")


class Marks:
    """Hands out new marks, numbered from `first`."""

    def __init__(self, first: int = 1) -> None:
        self._numbers = itertools.count(first)

    def new(self) -> str:
        return f"qz{next(self._numbers):05d}x"

    def number(self) -> int:
        """For names that are no secret."""
        return next(self._numbers)


def marks_in(text: str) -> frozenset[str]:
    """The marks that a text shows, whatever its case or folding."""
    return frozenset(_MARK.findall(text.lower()))
