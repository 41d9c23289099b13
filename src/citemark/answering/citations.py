"""Finds citations of numbered documents in every form that models write, and removes those without a document."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.model.text import Span
from citemark.text.letter_case import caseless

MOST_DIGITS = 3
"""Longer numbers in brackets are years or amounts, not documents."""

_WORDS = r"(?:documents?|docs?\.?|dokument(?:en|es|e|s)?|sources?|quellen?)"
_NUMBER = rf"\d{{1,{MOST_DIGITS}}}"
_TO = r"(?:[ \t]*[-\u2010-\u2014][ \t]*|[ \t]+(?:to|bis)[ \t]+)"
_PART = rf"{_NUMBER}(?:{_TO}{_NUMBER})?(?![\w%]|[.,]\d)"
_AND = r"(?:[ \t]*,?[ \t]*(?:\b(?:and|und|or|oder)\b|[&+])[ \t]*|[ \t]*[,;/][ \t]*)"
_WORD = rf"(?:{_WORDS}[ \t\u00a0]+(?:nos?\.[ \t]*|nr\.[ \t]*|#)?)"
_LISTED = rf"(?:{_WORD}|\^|\#)?{_PART}(?:\u2020[^\]\u3011\n]{{0,40}})?"
_LEAD = r"(?:(?:see(?:[ \t]+also)?|cf\.|vgl\.|siehe|source:|from)[ \t]+)?"
_MORE = r"[ \t]*(?:,|and|und|or|oder|&)"
_MENTION = re.compile(
    rf"(?P<square>[\[\u3010][ \t]*{_LEAD}(?P<in_square>{_LISTED}(?:{_AND}{_LISTED})*+)[ \t]*[\]\u3011]"
    rf"(?:\((?:https?://|#|/)[^()\s]*\))?)"
    rf"|(?P<round>\([ \t]*{_LEAD}(?P<in_round>{_WORD}{_PART}(?:{_AND}{_WORD}?{_PART})*+)[ \t]*\))"
    rf"|\b(?P<plural>(?:documents|docs|dokumenten?|sources|quellen)[ \t\u00a0]+{_PART}"
    rf"(?:[ \t]*,[ \t]*{_PART}(?={_MORE}))*"
    rf"(?:[ \t]*,?[ \t]*(?:\b(?:and|und|or|oder)\b|&)[ \t]*{_PART})?)"
    rf"|\b(?P<single>{_WORD}{_PART})",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"({_NUMBER})(?:{_TO}({_NUMBER}))?", re.IGNORECASE)
_ASIDE = re.compile(r"\u2020[^\]\u3011\n]*")
_CODE = re.compile(
    r"(?P<fence>^[ \t]*(?P<marks>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*(?P=marks)|\Z))|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
_BEFORE = re.compile(r"([^\W\d_]+)\W*$")
# fmt: off
_INTRODUCES = frozenset({
    "in", "to", "see", "by", "per", "from", "of", "and", "or", "with", "as", "both", "laut", "aus", "gemäß", "nach",
    "siehe", "vgl", "cf", "und", "oder", "im",
})
# fmt: on
_LOOK_BACK = 24
_LEFT_OUT = "[…]"
_BLANKS = " \t\u00a0"
_JOINED = re.compile(r"[\])\u3011][,;]\Z")
_JOINS = re.compile(rf"[,;][{_BLANKS}]*(?=[\[\u3010(][ \t]*(?:{_WORD})?\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """One citation as written: its span, its numbers (in order, each once), and whether brackets surround it."""

    span: Span
    numbers: tuple[int, ...]
    bracketed: bool


def mentions(text: str) -> list[Mention]:
    """Every citation in `text`, in order, except those in code."""
    codes = [Span(*match.span()) for match in _CODE.finditer(text)]
    found: list[Mention] = []
    at = 0
    for match in _MENTION.finditer(text):
        span = Span(*match.span())
        while at < len(codes) and codes[at].end <= span.start:
            at += 1
        if at < len(codes) and codes[at].start < span.end:
            continue
        bracketed = bool(match["square"] or match["round"])
        if not bracketed and not _names_a_document(text, span):
            continue
        numbers = tuple(dict.fromkeys(_numbers(match["in_square"] or match["in_round"] or match[0])))
        if numbers:
            found.append(Mention(span, numbers, bracketed))
    return found


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text from which the citations without a document were removed.

    `removed` counts the numbers removed, `edits` lists what was replaced: (span of the original, replacement).
    """

    text: str
    removed: int
    edits: tuple[tuple[Span, str], ...]

    def moved(self, span: Span) -> Span:
        """The span in the new text that corresponds to a span of the original."""
        start = self._moved(span.start)
        return Span(start, max(start, self._moved(span.end)))

    def _moved(self, offset: int) -> int:
        shift = 0
        for span, replacement in self.edits:
            if offset <= span.start:
                break
            if offset < span.end:
                return span.start + shift + len(replacement)
            shift += len(replacement) - len(span)
        return offset + shift


def without_missing(text: str, found: Sequence[Mention], documents: frozenset[int]) -> Cleaned:
    """`text` with every number that is not in `documents` removed from its citations.

    A citation in brackets is removed as a whole if no number is left; one that is part of the sentence ("as Document 9
    says") is replaced by an editor's ellipsis.
    """
    edits: list[tuple[Span, str]] = []
    removed = 0
    for mention in found:
        kept = [number for number in mention.numbers if number in documents]
        if len(kept) == len(mention.numbers):
            continue
        removed += len(mention.numbers) - len(kept)
        span = mention.span
        if kept:
            edits.append((span, _rewritten(span.of(text), kept)))
        elif mention.bracketed:
            edits.append((_with_gap(text, span, edits[-1][0].end if edits else 0), ""))
        else:
            edits.append((span, _LEFT_OUT))
    parts: list[str] = []
    at = 0
    for span, replacement in edits:
        parts += [text[at : span.start], replacement]
        at = span.end
    return Cleaned("".join([*parts, text[at:]]), removed, tuple(edits))


def _numbers(listed: str) -> Iterator[int]:
    for match in _RANGE.finditer(_ASIDE.sub("", listed)):
        first, last = int(match[1]), int(match[2] or match[1])
        # A range is at most 999 long; one that runs backwards is two numbers.
        yield from range(first, last + 1) if first <= last else (first, last)


def _names_a_document(text: str, span: Span) -> bool:
    """False for "we document 3 cases": without a capital, only a preposition before it makes it a citation."""
    if text[span.start].isupper():
        return caseless(text[span.start]) == "d" or _introduced(text, span)
    return _introduced(text, span)


def _introduced(text: str, span: Span) -> bool:
    before = _BEFORE.search(text, max(0, span.start - _LOOK_BACK), span.start)
    return before is not None and caseless(before[1]) in _INTRODUCES


def _rewritten(written: str, kept: Sequence[int]) -> str:
    """The citation with only the numbers in `kept`, in the same brackets and with the same word as before."""
    opening = written[0] if written[0] in "[(\u3010" else ""
    closing = {"[": "]", "(": ")", "\u3010": "\u3011", "": ""}[opening]
    word = re.search(_WORDS, written, re.IGNORECASE)
    last = f" {_joint(written)} " if word and not opening else ", "
    listed = last.join([*([", ".join(map(str, kept[:-1]))] if kept[1:] else []), str(kept[-1])])
    named = "" if word is None else _inflected(word[0], plural=len(kept) > 1) + " "
    return f"{opening}{named}{listed}{closing}"


def _joint(written: str) -> str:
    return "und" if re.search(r"\b(?:und|dokument|quelle)", written, re.IGNORECASE) else "and"


def _inflected(word: str, *, plural: bool) -> str:
    if plural:
        return word
    folded = caseless(word)
    if folded.startswith("dokument"):
        return word[: len("dokument")]
    if folded.startswith("quelle"):
        return word[: len("quelle")]
    return word.rstrip("sS")


def _with_gap(text: str, span: Span, floor: int) -> Span:
    """The citation with the blanks before it (or after it, at the start of a line) and the comma that joined it."""
    if text[span.end : span.end + 1] in {"[", "\u3010"}:
        return span
    start = span.start
    while start > floor and text[start - 1] in _BLANKS:
        start -= 1
    if _JOINED.search(text, floor, start):
        start -= 1
    elif joint := _JOINS.match(text, span.end):
        return Span(span.start, joint.end())
    if start > floor and text[start - 1] != "\n":
        return Span(start, span.end)
    end = span.end
    while end < len(text) and text[end] in _BLANKS:
        end += 1
    return Span(span.start, end)
