"""One spelling for words that people read as the same: for comparisons only, never in a text that is stored or shown.

Unified are composition, width and ligatures (Unicode's NFKC), hyphens of every kind, the digits of all scripts, the
letters that Arabic, Persian and Urdu keyboards write differently, and what a reader does not need: vowel points,
elongations, soft hyphens and marks of direction. Kept apart are the characters whose place or shape is their meaning:
10⁶ is not 106, and 3½ is not 31/2.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

from citemark.text.languages import INVISIBLE

_HYPHENS = "\u058a\u05be\u2010\u2011\u2012\u2212\ufe63\uff0d"
_EN_DASH = re.compile(r"(?<=\w)\u2013(?=\w)")
_KEPT_KINDS = frozenset({"<super>", "<sub>", "<fraction>", "<circle>"})
_LETTERS_RAISED = frozenset("\u00aa\u00ba")
"""The ordinal signs, for which many type the letter."""

_POINTS = (
    (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7),
    (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC), (0x06DF, 0x06E4),
    (0x06E7, 0x06E8), (0x06EA, 0x06ED), (0x08D3, 0x08FF), (0xFE20, 0xFE2F),
)  # fmt: skip
"""Hebrew points and accents, Arabic vowel signs and the elongation: first and last of each range."""

_ARABIC = {
    "\u0622": "\u0627", "\u0623": "\u0627", "\u0625": "\u0627", "\u0671": "\u0627", "\u0624": "\u0648",
    "\u0626": "\u064a", "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u06aa": "\u0643",
    "\u06be": "\u0647", "\u06c1": "\u0647", "\u06c0": "\u0647", "\u06c2": "\u0647", "\u06d5": "\u0647",
}  # fmt: skip
"""Letters with and without hamza, as the Arabic stemmer takes them, and those of Persian and Urdu keyboards."""


_WITH_DIGITS = (range(0x0660, 0x2000), range(0xA620, 0xAC00))
_WITH_KINDS = (range(0xA0, 0x3400), range(0xA690, 0xAC00))
"""The blocks that have digits of other scripts, and characters of these kinds.

Those beyond U+FFFF (letters in frames) are left out: a pattern with them takes ten times as long for every text.
"""


def _digits() -> Iterator[tuple[int, str]]:
    for code in chain(*_WITH_DIGITS):
        if (value := unicodedata.decimal(chr(code), None)) is not None:
            yield code, str(value)


def _apart() -> Iterator[str]:
    for code in chain(*_WITH_KINDS):
        kind = unicodedata.decomposition(chr(code)).partition(" ")[0]
        if kind in _KEPT_KINDS and chr(code) not in _LETTERS_RAISED:
            yield chr(code)


_BARE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, INVISIBLE)),
    **dict.fromkeys(map(ord, _HYPHENS), "-"),
    **{code: None for first, last in _POINTS for code in range(first, last + 1)},
}
_TABLE = _BARE | dict(_digits()) | {ord(letter): plain for letter, plain in _ARABIC.items()}
APART = re.compile(f"[{re.escape(''.join(_apart()))}]+")
"""Raised and lowered characters, fractions, and figures and letters in a frame: `one_spelling` keeps them."""

_UNITS = re.compile("[\u2474-\u249b\u32c0-\u32cb\u3320-\u33ff]")
"""Several characters in one: figures with a stop, which must not join a number, and units with a raised figure (㎡)."""


_REPLACED = re.compile(f"[{re.escape(''.join(map(chr, _TABLE)))}]")
_SPECIAL = re.compile(f"[{''.join(found.pattern.strip('[]+') for found in (_REPLACED, APART, _UNITS))}]")
"""What NFKC alone does not treat as it should; most texts beyond ASCII have only other quotation marks and dashes."""


def one_spelling(text: str) -> str:
    """`text` in the spelling in which words are compared; its length may differ."""
    if text.isascii():
        return text
    if "\u2013" in text:
        text = _EN_DASH.sub("-", text)
    if _SPECIAL.search(text) is None:
        return unicodedata.normalize("NFKC", text)
    return _REPLACED.sub(_replacement, _normalized(_UNITS.sub(_opened, text)))


def bare(text: str) -> str:
    """`text` with the letters as they are typed, but composed, and without points, elongations and odd hyphens."""
    if text.isascii():
        return text
    return _EN_DASH.sub("-", unicodedata.normalize("NFC", text)).translate(_BARE)


def _replacement(character: re.Match[str]) -> str:
    return _TABLE[ord(character[0])] or ""


def _normalized(text: str) -> str:
    parts: list[str] = []
    at = 0
    for kept in APART.finditer(text):
        parts += [unicodedata.normalize("NFKC", text[at : kept.start()]), kept[0]]
        at = kept.end()
    return "".join([*parts, unicodedata.normalize("NFKC", text[at:])])


def _opened(unit: re.Match[str]) -> str:
    """The characters in one, raised figures still raised, and a first figure apart from what is before it."""
    codes = unicodedata.decomposition(unit[0]).split()[1:]
    opened = "".join(chr(int(code, 16)) for code in codes) or unit[0]
    return f" {opened}" if opened[0].isdecimal() else opened
