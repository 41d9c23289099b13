"""Text in a picture: how wide it is, and where it breaks."""

import re

_NARROW = frozenset("iljtfI.,:;'|!()[]/ ")
_WIDE = frozenset("mwMW@%")
_DOTS = "…"
_FULL = 0x1100
"""From this code point on (Hangul, kana, ideographs), a character takes a whole square."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def width_of(text: str, size: float) -> float:
    """About how many pixels a line takes in a sans-serif font of a size; rather too many than too few."""
    return size * sum(_share(character) for character in text)


def _share(character: str) -> float:
    if character in _NARROW:
        return 0.33
    if character in _WIDE:
        return 0.9
    if ord(character) >= _FULL:
        return 1.0
    return 0.7 if character.isupper() else 0.57


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines no wider than `width`; a word that is itself wider is broken."""
    lines: list[str] = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in paragraph.split():
            for piece in _pieces(word, width, size):
                longer = f"{line} {piece}".strip()
                if line and width_of(longer, size) > width:
                    lines.append(line)
                    longer = piece
                line = longer
        lines.append(line)
    return lines


def _pieces(word: str, width: float, size: float) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and width_of(pieces[-1] + character, size) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def fitted(text: str, width: float, height: float, sizes: tuple[float, ...]) -> tuple[list[str], float]:
    """A text in lines, and the largest of `sizes` in which it fits; if it fits in none, it ends in an ellipsis."""
    for size in sizes:
        lines = wrapped(text, width, size)
        if len(lines) * size * LINE <= height:
            return lines, size
    size = sizes[-1]
    lines = wrapped(text, width, size)
    room = max(1, int(height / (size * LINE)))
    if len(lines) > room:
        last = lines[room - 1][:-1]
        while last and width_of(last + _DOTS, size) > width:
            last = last[:-1]
        lines = [*lines[: room - 1], last + _DOTS]
    return lines, size


def cut_short(lines: list[str]) -> bool:
    """Whether the end of a text is missing from its lines."""
    return bool(lines) and lines[-1].endswith(_DOTS)


LINE = 1.2
"""The distance between lines, as a multiple of the font size."""


def words(camel: str) -> str:
    """A type as words: `ApplicationComponent` is `Application Component`."""
    return _CAMEL.sub(" ", camel)
