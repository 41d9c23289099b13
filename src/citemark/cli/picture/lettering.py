"""Text on a picture: how wide it is, where it breaks, and how it is written down."""

import re
from xml.sax.saxutils import escape

_NARROW = frozenset("iljtfI.,:;'|!()[]/ ")
_WIDE = frozenset("mwMW@%")
_DOTS = "…"
_FULL = 0x1100
"""From here on (Hangul, kana, ideographs) a sign takes a whole square."""

_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def width_of(text: str, size: float) -> float:
    """About how many pixels a line takes in a sans-serif face of a size; rather too many than too few."""
    return size * sum(_share(sign) for sign in text)


def _share(sign: str) -> float:
    if sign in _NARROW:
        return 0.33
    if sign in _WIDE:
        return 0.9
    if ord(sign) >= _FULL:
        return 1.0
    return 0.7 if sign.isupper() else 0.57


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines no wider than `width`; a word that is wider itself is broken."""
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
    for sign in word:
        if pieces[-1] and width_of(pieces[-1] + sign, size) > width:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def fitted(text: str, width: float, height: float, sizes: tuple[float, ...]) -> tuple[list[str], float]:
    """A text in lines, and the largest of some sizes in which it fits; where none does it ends in dots."""
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
    """Whether something of a text is missing in its lines."""
    return bool(lines) and lines[-1].endswith(_DOTS)


LINE = 1.2
"""The distance of lines, in sizes of the letters."""


def words(camel: str) -> str:
    """A type as words: `ApplicationComponent` is `Application Component`."""
    return _CAMEL.sub(" ", camel)


def xml(text: str) -> str:
    """A text as it may occur in XML."""
    return escape(_ILLEGAL.sub("", text), {'"': "&quot;"})
