"""A tokenizer for tests that need counts but no model: words and single marks."""

import re
from collections.abc import Sequence

_PIECE = re.compile(r"\w+|[^\w\s]")


class WordTokenizer:
    """Every word is one piece, however long; so is every other visible character."""

    def __init__(self) -> None:
        self.calls = 0

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        self.calls += 1
        return [[match.span() for match in _PIECE.finditer(text)] for text in texts]

    def count(self, text: str) -> int:
        return len(_PIECE.findall(text))
