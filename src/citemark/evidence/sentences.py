"""Where a sentence ends, and where a full stop only looks like it."""

import re
from collections.abc import Iterator

_CLOSERS = "\"'\u201d\u2019\u00bb)\\]*_`"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"
_WIDE_CLOSERS = "\u201d\u2019\u300d\u300f\uff09\u3011\u300b"
_STOP = re.compile(rf"(?<![.?!…])(?P<mark>[.?!…]++)[{_CLOSERS}]*+(?=\s)|[{_WIDE_STOPS}]++[{_WIDE_CLOSERS}]*+")
_CODE = re.compile(r"`[^`\n]+`")
_LOOK_BACK = 24
_OPENERS = "([{<\"'\u201c\u2018\u00ab\u201e*_`>"

_AFTER_ORDINAL = re.compile(
    r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Oct|Nov|De[zc]|Quartal|Jahrhundert|Lebensjahr|Auflage|Kapitel)"
)
"""What makes a number with a full stop before it an ordinal of German: "29. September"."""

# fmt: off
_NEVER_LAST = frozenset({
    "e.g", "i.e", "eg", "ie", "cf", "vs", "viz", "dr", "mr", "mrs", "ms", "prof", "st", "mt", "gen", "rev", "hon",
    "approx", "incl", "excl", "resp", "z.b", "d.h", "u.a", "bzw", "vgl", "ggf", "ca",
})
_BEFORE_NUMBER = frozenset({
    "no", "nos", "nr", "fig", "figs", "eq", "sec", "sect", "ch", "chap", "vol", "p", "pp", "art", "abs", "v", "ver",
    "pt", "tab",
})
_MAY_BE_LAST = frozenset({
    "etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "usw", "dept", "est", "min", "max", "a.m", "p.m",
})
# fmt: on


def sentences(text: str, start: int, end: int, body: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges that tile `start..end` of `text`; no sentence ends before `body` (an item's marker)."""
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
    if word.isdigit() and _AFTER_ORDINAL.match(text[stop.end() : min(end, stop.end() + _LOOK_BACK)].lstrip()):
        return False
    return _word_ends(word, following)


def _word_ends(word: str, following: str) -> bool:
    folded = word.casefold()
    if folded in _NEVER_LAST:
        return False
    if folded in _BEFORE_NUMBER:
        return not following.isdigit()
    if folded in _MAY_BE_LAST:
        return not following.islower() and not following.isdigit()
    if len(word) == 1 and word.isalpha():  # an initial
        return word == "I" or word.islower()
    dotted = word.split(".")
    return not (len(dotted) > 1 and all(len(letter) == 1 and letter.isupper() for letter in dotted))
