"""Raised and lowered text: how it is written, and the ways in which texts write it.

A reader sees 10 with a raised 6; without its place, the 6 is another digit. Figures and signs have characters of their
own (10⁶, CO₂), which are written for every format; anything else is written as `^(max)` and `_(max)`.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

_PLAIN = "0123456789+-=()ni"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"
_MINUS = str.maketrans("\u2212\u2010\u2011\u2012\u2013", "-----")
_TO_RAISED = str.maketrans(_PLAIN, _RAISED)
_TO_LOWERED = str.maketrans(_PLAIN[: len(_LOWERED)], _LOWERED)

RAISED = MappingProxyType(dict(zip(_RAISED, _PLAIN, strict=True)))
"""The raised characters, each with the plain one."""

LOWERED = MappingProxyType(dict(zip(_LOWERED, _PLAIN, strict=False)))
"""The lowered characters, each with the plain one."""

_LONGEST = 60
"""Most characters of a raised text; a longer one is a paragraph in small print, whose place means nothing."""

_ORDINAL = re.compile(r"st|nd|rd|th|er|ers|re|res|e|es|è?me|ème|de|ste|a|o|os|as|ª|º", re.IGNORECASE)
_OF_ANY_NUMBER = frozenset({"th", "ième", "ter", "te"})
"""The endings of ordinals that follow a letter, too: the nth, die n-te."""

_ORDINAL_SIGNS = {"a": "\u00aa", "o": "\u00ba"}
_TRADE_MARKS = {"tm": "\u2122", "sm": "\u2120", "r": "\u00ae", "c": "\u00a9"}
_BRACKETED = re.compile(r"\[[^\[\]]*\](?:\s?\[[^\[\]]*\])*")

_SIGNS = ("^", "<su", "<SU", "_{", "_(", "~")
_FIGURES = r"[+\-\u2212]?\d{1,6}"
MARKED = (
    # Every form begins with one of these signs, to which the engine can skip.
    r"[<^_~](?:(?<=<)(?P<tag>su[bp])\b[^<>]{0,80}>(?P<tagged>(?:[^<>\n]|<(?!/?su[bp]\b)[^<>\n]{0,200}>){1,200}?)</(?P=tag)\s?>"
    rf"|(?<=[\w)\]][\^_])(?:\{{(?P<braced>{_FIGURES})\}}|\((?P<bracketed>{_FIGURES})\))"
    rf"|(?<=[\w)\]]\^)(?P<power>{_FIGURES})(?!\w)\^?"
    r"|(?<=[^\W\d_]~)(?P<index>\d{1,4})~(?!~))"
)
"""How texts mark raised and lowered figures: `<sup>6</sup>`, `^{6}`, `^(6)`, `^6`, `^6^`, `_{2}`, `_(2)`, `~2~`.

A pattern with named groups, to be compiled with re.IGNORECASE.
"""

_MARKED = re.compile(MARKED, re.IGNORECASE)
_INNER_MARKUP = re.compile(r"<[^<>]*>|\[([^\[\]]*)\]\([^()]*\)")


def raised(text: str, before: str = "") -> str:
    """A raised text in its written form; `before` is the character before it, "" if that is white space.

    Ordinals (1st, nº) and trade marks are words with a raised end, and signs such as * are the same in every place.
    """
    core = text.strip()
    if core.lower() in _TRADE_MARKS and before and not (before.isdigit() or core.islower()):
        return text.replace(core, _TRADE_MARKS[core.lower()])
    if core in _OF_ANY_NUMBER or (before.isdigit() and _ORDINAL.fullmatch(core)):
        return text.replace(core, _ORDINAL_SIGNS.get(core.lower(), core))
    return _written(text, RAISED, _TO_RAISED, "^")


def lowered(text: str) -> str:
    """A lowered text in its written form."""
    return _written(text, LOWERED, _TO_LOWERED, "_")


def _written(text: str, characters: MappingProxyType[str, str], table: dict[int, int], sign: str) -> str:
    core = text.strip()
    if not any(map(str.isalnum, core)) or len(core) > _LONGEST or _BRACKETED.fullmatch(core):
        return text
    plain = core.translate(_MINUS).translate(table)
    return text.replace(core, plain if all(map(characters.__contains__, plain)) else f"{sign}({core})")


def has_marks(text: str) -> bool:
    """False, at little cost, for a text without any form of a raised or lowered figure in ASCII."""
    return any(sign in text for sign in _SIGNS)


def marked(text: str) -> Iterator[re.Match[str]]:
    """The places where a text marks figures as raised or lowered instead of writing their characters, in order."""
    return _MARKED.finditer(text)


def in_characters(found: re.Match[str]) -> str:
    """What such a place is in the written form."""
    if found["tag"]:
        text = html.unescape(_INNER_MARKUP.sub(r"\1", found["tagged"]))
        before = found.string[max(0, found.start() - 1) : found.start()].strip()
        return raised(text, before) if found["tag"][-1] in "pP" else lowered(text)
    if found["index"]:
        return lowered(found["index"])
    if found["power"]:
        return raised(found["power"])
    figures = found["braced"] or found["bracketed"]
    return raised(figures) if found[0][0] == "^" else lowered(figures)


def with_characters(text: str) -> str:
    """`text` with every raised and lowered figure in the written form; it never becomes longer."""
    return _MARKED.sub(in_characters, text) if has_marks(text) else text


_PLACED = re.compile(f"[{re.escape(_RAISED + _LOWERED)}]")
_PLACED_RUN = re.compile(f"{_PLACED.pattern}+")
_BESIDE = re.compile(f"(?:{_PLACED.pattern}|[^\\W_])*")
_NAMES = str.maketrans({"+": "plus", "-": "minus", "=": "", "(": "", ")": ""})
_UNIT = re.compile("[0-9]*[^\\W\\d_]{1,3}[\u00b2\u00b3]")
_LONGEST_WORD = 200
"""Most characters on each side of a figure that are taken as its word; longer runs are encoded data."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word with raised or lowered figures (10⁶, H₂O) and the half-open range where it occurs."""

    text: str
    start: int
    end: int

    @property
    def spelt_out(self) -> str:
        """The word in letters and plain figures that no other word has: "10up6", "Hdown2O"."""
        return _PLACED_RUN.sub(_spelt_out, self.text)

    @property
    def typed(self) -> str:
        """How people type a formula or a unit (CO2, m2), "" if a figure would become part of a number or a mark."""
        if _UNIT.fullmatch(self.text):
            return self.text[:-1] + RAISED[self.text[-1]]
        typed = ""
        for at, character in enumerate(self.text):
            behind = at > 0 and self.text[at - 1] in LOWERED
            if character in LOWERED:
                if not behind and not self.text[at - 1 : at].isalpha():
                    return ""
                typed += LOWERED[character]
            elif character in RAISED or (character.isdigit() and behind):
                return ""
            else:
                typed += character
        return typed

    def bases(self) -> Iterator[tuple[int, int]]:
        """The ranges of its parts without raised and lowered figures: the 15 of 15¹."""
        at = 0
        for run in _PLACED_RUN.finditer(self.text):
            if run.start() > at:
                yield self.start + at, self.start + run.start()
            at = run.end()
        if at < len(self.text):
            yield self.start + at, self.end


def placed_words(text: str) -> Iterator[PlacedWord]:
    """The words with raised or lowered figures in `text`, in order."""
    seen = 0
    while hint := _PLACED.search(text, seen):
        start = hint.start()
        least = max(seen, start - _LONGEST_WORD)
        while start > least and _BESIDE.fullmatch(text, start - 1, start):
            start -= 1
        found = _BESIDE.match(text, hint.start(), hint.start() + _LONGEST_WORD)
        seen = hint.end() if found is None else found.end()
        yield PlacedWord(text[start:seen], start, seen)


def _spelt_out(run: re.Match[str]) -> str:
    parts: list[str] = []
    place = ""
    for character in run[0]:
        here = "up" if character in RAISED else "down"
        parts.append("" if here == place else here)
        parts.append((RAISED.get(character) or LOWERED[character]).translate(_NAMES))
        place = here
    return "".join(parts)
