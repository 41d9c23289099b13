"""Words of an answer that name something: proper names, identifiers, code."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from citemark.model.text import Span

_CODE = re.compile(r"`([^`\n]+)`")
_WORD = re.compile(r"[^\W_]+(?:[\u2019'][a-z]+)?")
_IDENTIFIER = re.compile(r"(?<![\w`])(?:https?://[^\s)\]>\"]+|[A-Za-z][\w-]*(?:[._/:]\w[\w-]*)+|\w+_\w+)")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_INNER = re.compile(r"[^\W\d_].*[A-ZÄÖÜ\d]|[A-Z]{2}")
_LIST_JOINT = re.compile(r"\s*(?:,|\b(?:and|or|und|oder|sowie)\b|&)\s*")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_GERMAN = re.compile(
    r"\b(?:der|die|das|und|ist|sind|wird|werden|nicht|eine[nmrs]?|für|mit|auf|von|zu)\b", re.IGNORECASE
)
_GERMAN_SHARE = 12
# fmt: off
_NOT_NAMES = frozenset({
    "i", "yes", "no", "ja", "nein", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag",
})
# fmt: on


def words(text: str) -> list[str]:
    """Letters' and digits' runs of `text`, folded."""
    return [match[0].casefold() for match in _TOKEN.finditer(text)]


def in_german(text: str) -> bool:
    """True when so many of the words are German function words that capitals do not mark names."""
    return len(_GERMAN.findall(text)) * _GERMAN_SHARE > len(_WORD.findall(text))


def code_spans(text: str) -> Iterator[Span]:
    """The insides of inline code, and identifiers in running text (paths, dotted names, addresses)."""
    ends = 0
    for match in _CODE.finditer(text):
        yield from _identifiers(text, ends, match.start())
        yield Span(*match.span(1))
        ends = match.end()
    yield from _identifiers(text, ends, len(text))


def _identifiers(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _IDENTIFIER.finditer(text, start, end):
        if not _ABBREVIATION.fullmatch(match[0]):
            yield Span(*match.span())


def proper_names(sentence: str, known_names: AbstractSet[str]) -> Iterator[Span]:
    """Words that their capitals show to be names, in `sentence`, which starts where a sentence starts.

    A sentence's first word counts only with a capital or digit inside. German writes every noun with a capital: there
    a word is a name beside another, known one in a list, or with a capital inside.
    """
    bare = _CODE.sub(lambda match: " " * len(match[0]), sentence)
    found = list(_WORD.finditer(bare))
    german = in_german(bare)
    for at, match in enumerate(found):
        word = match[0]
        if not word[0].isupper() or word.casefold() in _NOT_NAMES or len(word) == 1:
            continue
        if _INNER.search(word[1:]) or (word.isupper() and len(word) > 1):
            yield Span(*match.span())
        elif german:
            if _listed_beside(bare, found, at, known_names):
                yield Span(*match.span())
        elif not _opens(bare, match.start()):
            yield Span(*match.span())


def _listed_beside(text: str, found: list[re.Match[str]], at: int, known_names: AbstractSet[str]) -> bool:
    for left, right, other in ((at - 1, at, at - 1), (at, at + 1, at + 1)):
        if left >= 0 and right < len(found):
            joined = _LIST_JOINT.fullmatch(text, found[left].end(), found[right].start())
            if joined and found[other][0] in known_names:
                return True
            # "PulseMCP und Amazon": the joint is a word of its own between the two.
            further = other - 1 if other < at else other + 1
            if (
                found[other][0] in {"und", "oder", "sowie"}
                and 0 <= further < len(found)
                and found[further][0] in known_names
            ):
                return True
    return False


def _opens(text: str, start: int) -> bool:
    """True at the start of the sentence or behind a colon or a quotation mark, where any word has a capital."""
    before = text[:start].rstrip(" \t\n*_#>-\u2013\u2022(")
    return not before or before[-1] in ":.!?;\"\u201c\u201e\u00bb\u00ab'\u2018"
