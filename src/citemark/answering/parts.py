"""The sentences of an answer with what each cites, and which of them claim anything."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.answering.citations import Mention
from citemark.evidence.layout import SpanKind, layout, marker_end
from citemark.evidence.sentences import sentences
from citemark.model.text import Span

_NO_CLAIM = frozenset({SpanKind.HEADING, SpanKind.ROW_HEAD, SpanKind.MARKUP, SpanKind.FRONT_MATTER, SpanKind.CODE})
_FEW_WORDS = 2
_WORD = re.compile(r"[^\W_]+")
_COURTESY = re.compile(
    r"(?:i|we)\s+hope\b|(?:please\s+)?(?:let|tell)\s+(?:me|us)\b|feel\s+free\b|(?:good|great)\s+question\b|"
    r"(?:sure|certainly|of\s+course)\b[!.,]?$|you(?:'re|\s+are)\s+welcome\b|"
    r"here\s+(?:is|are|'s|comes)\b[^.]{0,60}\b(?:summary|overview|answer|points|facts|details|list|what)\b|"
    r"(?:please\s+)?note\s+the\s+following\b|in\s+(?:short|summary|brief)[.:]?$|"
    r"(?:to\s+(?:sum|summari[sz]e)|summary|overview)[^.]{0,20}[.:]$|"
    r"(?:based\s+on|according\s+to)\s+(?:the|these)\s+(?:given\s+|provided\s+)?documents[^.]{0,40}:$|"
    r"(?:ich|wir)\s+hoffen?\b|gute\s+frage\b|hier\s+(?:ist|sind|kommt|folgt)\b[^.]{0,60}|gerne?[!.]?$|"
    r"(?:bitte\s+)?beachten?\s+(?:sie\s+)?(?:bitte\s+)?folgende|"
    r"sag(?:en)?\s+(?:sie\s+)?(?:mir\s+)?(?:einfach\s+)?bescheid\b|(?:zusammenfassung|überblick)[.:]?$",
    re.IGNORECASE,
)
_ABOUT_DOCUMENTS = re.compile(
    r"\b(?:documents?|sources?|excerpts?|context|text|dokumenten?|quellen?|auszüge)\b[^.]{0,40}"
    r"\b(?:do(?:es)?\s+not|don['\u2019]t|doesn['\u2019]t|did\s+not|nothing|no\s+information|nicht|kein\w*|nichts)\b"
    r"|\b(?:could|can|did|was)\s*(?:not|n't|n\u2019t)\s+(?:find|able|determine|answer)\b"
    r"|\bno\s+information\b",
    re.IGNORECASE,
)
_LEADING_MARKS = " \t\n*_#>-\u2013\u2022"


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of an answer: its characters, its citations' numbers in order, each once, and whether it claims."""

    span: Span
    numbers: tuple[int, ...]
    claims: bool


def parts_of(text: str, found: Sequence[Mention]) -> list[Part]:
    """The sentences of `text` in order; a citation behind a full stop belongs to the sentence before it."""
    blank = _blanked(text, found)
    cut = list(_cut(blank))
    if not cut:
        return []
    numbers: list[list[int]] = [[] for _ in cut]
    ends = [span.end for span, _ in cut]
    at = 0
    for mention in found:
        while at + 1 < len(cut) and cut[at + 1][0].start <= mention.span.start:
            at += 1
        owner = at
        if mention.span.start >= ends[at] and at + 1 < len(cut) and _opens(text, mention, ends[at], cut[at + 1][0]):
            owner = at + 1
        numbers[owner] += mention.numbers
    return [
        Part(span, tuple(dict.fromkeys(cited)), claims=bool(cited) or _claims(span.of(blank), kind))
        for (span, kind), cited in zip(cut, numbers, strict=True)
    ]


def _opens(text: str, mention: Mention, end: int, following: Span) -> bool:
    """True when a citation between two sentences begins the later one: on its line, or as its subject."""
    if "\n" in text[end : mention.span.start]:
        return "\n" not in text[mention.span.end : following.start]
    return text[following.start : following.start + 1].islower()


def _blanked(text: str, found: Sequence[Mention]) -> str:
    """`text` with blanks for bracketed citations, so that "done.[1] Next" ends a sentence; offsets stay."""
    pieces: list[str] = []
    at = 0
    for mention in found:
        if mention.bracketed:
            pieces += [text[at : mention.span.start], " " * len(mention.span)]
            at = mention.span.end
    return "".join([*pieces, text[at:]])


def _cut(text: str) -> Iterator[tuple[Span, SpanKind]]:
    for block in layout(text):
        if block.kind in {SpanKind.SENTENCE, SpanKind.ITEM}:
            body = marker_end(text, block.start, block.end)
            ranges = sentences(text, block.start, block.end, body)
        else:
            ranges = iter([(block.start, block.end)])
        for start, end in ranges:
            part = text[start:end]
            if any(map(str.isalnum, part)):
                lead = start + len(part) - len(part.lstrip())
                yield Span(lead, start + len(part.rstrip())), block.kind


def _claims(sentence: str, kind: SpanKind) -> bool:
    bare = sentence.strip(_LEADING_MARKS)
    if kind in _NO_CLAIM or bare.endswith(("?", "\uff1f", ":", "\uff1a")):
        return False
    if _COURTESY.match(bare) or _ABOUT_DOCUMENTS.search(bare):
        return False
    words = _WORD.findall(bare)
    return len(words) > _FEW_WORDS or any(map(str.isdigit, bare))
