"""Superseded texts as what they have beside their successors; the database joins them again (`joined_body`)."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_PIECE = re.compile(r"[^\n.]*[\n.]|[^\n.]+")
"""A line, or a sentence in one: what an edit leaves as it is, or replaces."""

_SHORTEST = 24
"""Characters from which on a piece is looked for elsewhere; a part takes twelve bytes."""

_MOST_PARTS = 200
"""The database counts characters from the beginning of the text for each part."""


class KeptText(NamedTuple):
    """A text as parts of another, and what it has besides.

    Attributes:
        parts: three numbers for each part: where it starts in the other text, how many characters it takes from
            there, and how many of `rest` follow.
        rest: what the other text does not have, in order.
    """

    parts: Sequence[int]
    rest: str


def kept_beside(other: str, text: str) -> KeptText | None:
    """`text` as parts of `other`; None where that takes more than half the bytes, or many parts.

    Takes time in proportion to both. Parts may come from anywhere: a section that moved is found where it went.
    """
    places: dict[str, int] = {}
    for piece in _PIECE.finditer(other):
        places.setdefault(piece[0], piece.start())
    parts = [0, 0, 0]
    rest: list[str] = []
    for piece in _PIECE.findall(text):
        start, taken, added = parts[-3:]
        if not added and other.startswith(piece, start + taken):
            parts[-2] += len(piece)
        elif len(piece) >= _SHORTEST and piece in places:
            parts += [places[piece], len(piece), 0]
        else:
            parts[-1] += len(piece)
            rest.append(piece)
    kept = KeptText(parts, "".join(rest))
    few = len(parts) <= 3 * _MOST_PARTS
    size = len(kept.rest.encode()) + 4 * len(parts)
    return kept if few and 2 * size <= len(text.encode()) else None
