"""Where a sentence ends, and where a full stop only looks like an end."""

import re
from collections.abc import Iterator, Sequence

_CLOSERS = "\"'\u201d\u2019\u00bb)\\]*_`"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"
_WIDE_CLOSERS = "\u201d\u2019\u300d\u300f\uff09\u3011\u300b"
_STOP = re.compile(
    rf"(?<![.?!…])(?P<mark>[.?!…]++)[{_CLOSERS}]*+(?:[ \u00a0\u202f]\u00bb)?(?=\s)|[{_WIDE_STOPS}]++[{_WIDE_CLOSERS}]*+"
)
_CODE = re.compile(r"`[^`\n]+`")
_LOOK_BACK = 24
"""How many characters around a full stop decide whether a sentence ends: more than abbreviations and dates have."""

_OPENERS = "([{<\"'\u201c\u2018\u00ab\u201e*_`>"

_AFTER_ORDINAL = re.compile(
    r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Oct|Nov|De[zc]|Quartal|Jahrhundert|Lebensjahr|Auflage|Kapitel)"
)
"""What makes a number and full stop before it a German ordinal: "29. September"."""

# fmt: off
_NEVER_LAST = frozenset({
    "e.g", "i.e", "eg", "ie", "cf", "vs", "viz", "dr", "mr", "mrs", "ms", "prof", "st", "mt", "gen", "rev", "hon",
    "approx", "incl", "excl", "resp",
    "z.b", "d.h", "u.a", "o.ä", "u.ä", "i.d.r", "s.o", "s.u", "bzw", "vgl", "ggf", "ca", "bspw", "evtl", "inkl",
    "exkl",
    "zzgl", "abzgl", "sog", "bzgl", "einschl", "gem", "hr", "fr", "hrsg", "geb", "gest", "insb", "insbes", "dipl",
    "tägl", "jhrl", "zzt", "lt", "ehem", "allg",
    "mio", "mrd", "tsd",
    "mme", "mlle", "mm", "p.ex", "c.-à-d", "c.à.d", "env", "av", "apr", "boul", "ste", "éd",
})
_BEFORE_NUMBER = frozenset({
    "no", "nos", "nr", "fig", "figs", "eq", "sec", "sect", "ch", "chap", "vol", "p", "pp", "art", "abs", "v", "ver",
    "pt", "tab", "tel", "fax", "mobil", "ph", "ext", "room", "rm", "ziff", "bd", "bl", "kap", "anm", "hausnr", "rn",
    "s", "n", "num", "tél", "al", "str", "straße",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec",
})
_MAY_BE_LAST = frozenset({
    "etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "usw", "dept", "est", "min", "max", "a.m", "p.m",
    "ave", "blvd", "rd", "str", "tel", "uvm", "ff",
})
# fmt: on
_NUMBER_SIGNS = "+#\u00a7"
_STREET = "str"
"""The abbreviation at the end of German street names: "Hauptstr. 5"."""

_SPACED = re.compile(r"[ \u00a0\u202f]?[A-Za-z\u00c4\u00d6\u00dc\u00e4\u00f6\u00fc]{1,4}\.")
"""The rest of an abbreviation that is written with spaces: "z. B.", "p. ex."."""


def sentences(text: str, start: int, end: int, body: int) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges that tile `start..end` of `text`; none ends before `body`, the end of an item's marker."""
    codes = iter(_CODE.finditer(text, start, end))
    code = next(codes, None)
    begin = start
    for stop in _STOP.finditer(text, start, end):
        while code is not None and code.end() <= stop.start():
            code = next(codes, None)
        inside_code = code is not None and code.start() < stop.start()
        if stop.end() <= body or inside_code or (stop["mark"] and not _ends(text, stop, begin, end)):
            continue
        yield begin, stop.end()
        begin = stop.end()
    if begin < end:
        yield begin, end


def _ends(text: str, stop: re.Match[str], begin: int, end: int) -> bool:
    mark = stop["mark"]
    following = text[stop.end() : min(end, stop.end() + _LOOK_BACK)].lstrip().lstrip(_OPENERS)[:1]
    if mark[-1] in "?!":
        return True
    if len(mark) > 1 or mark == "…":
        return not following.islower()
    words = text[max(begin, stop.start() - _LOOK_BACK) : stop.start()].split()
    word = words[-1].lstrip(_OPENERS) if words else ""
    return not _goes_on(text, stop, begin, end, word, words) and _word_ends(word, following)


def _goes_on(text: str, stop: re.Match[str], begin: int, end: int, word: str, words: Sequence[str]) -> bool:
    """True after the number of a heading or item, after an ordinal, and in an abbreviation written with spaces."""
    if _counts(word) and not text[begin : stop.start() - len(word)].strip(_OPENERS + " \t\n"):
        return True  # "4. Settings"
    if word.isdigit() and _AFTER_ORDINAL.match(text[stop.end() : min(end, stop.end() + _LOOK_BACK)].lstrip()):
        return True
    if "".join(words[-2:]).casefold() in _NEVER_LAST:
        return True
    return len(word) == 1 and word.islower() and _SPACED.match(text, stop.end(), end) is not None


def _counts(word: str) -> bool:
    """True for the number of a heading or an item."""
    return bool(word) and all(part.isdigit() for part in word.split("."))


def _word_ends(word: str, following: str) -> bool:
    folded = word.casefold()
    if folded in _NEVER_LAST:
        return False
    numbered = following.isdigit() or following in _NUMBER_SIGNS if following else False
    if folded in _BEFORE_NUMBER or folded.endswith(_STREET):
        return not numbered and not (folded in _MAY_BE_LAST and following.islower())
    if folded in _MAY_BE_LAST:
        return not following.islower() and not following.isdigit()
    if len(word) == 1 and word.isalpha():  # an initial
        return word == "I" or (word.islower() and not following.islower())
    dotted = word.split(".")
    return not (len(dotted) > 1 and all(len(letter) == 1 and letter.isupper() for letter in dotted))
