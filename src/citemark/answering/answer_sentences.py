"""The sentences of an answer, what each of them cites, and which of them make a claim."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.answering.citations import Mention
from citemark.evidence.spans import SpanKind, layout, marker_end
from citemark.model.sentences import sentences
from citemark.model.text import Span

_NO_CLAIM = frozenset({SpanKind.HEADING, SpanKind.ROW_HEAD, SpanKind.MARKUP, SpanKind.FRONT_MATTER, SpanKind.CODE})
_FEW_WORDS = 2
"""Up to two words without a digit ("Of course.") say nothing that could be checked."""

_WORD = re.compile(r"[^\W_]+")
_POLITENESS = re.compile(
    r"(?:(?:i|we)\s+)?hope(?:fully)?\s+(?:this|that|it|these)\b|i\s+hope\b|"
    r"(?:please\s+)?(?:let|tell)\s+(?:me|us)\b|(?:please\s+)?feel\s+free\b|(?:just\s+)?ask\s+(?:me\s+)?if\b|"
    r"if\s+you\s+(?:have|need|want|would\s+like|are\s+interested)\b.*\b(?:ask|let\s+me|tell\s+me|i\s+can|happy|glad)\b|"
    r"(?:i(?:'m|\s+am|'d|\s+would)?\s+(?:be\s+)?)?(?:happy|glad)\s+to\b|i\s+(?:can|could|will|'ll)\s+(?:also\s+|gladly\s+)?"
    r"(?:explain|summari[sz]e|go\s+into|look|provide|give|list|tell|help|elaborate)\b|"
    r"(?:that(?:'s|\s+is)\s+(?:a|an)\s+)?(?:good|great|interesting|excellent)\s+question\b|thank(?:s|\s+you)\b|"
    r"(?:sure|certainly|of\s+course|absolutely)\b[^.]{0,30}[!.]?$|you(?:'re|\s+are)\s+welcome\b|"
    r"(?:here(?:\s+(?:is|are|comes?)|'s)|below\s+(?:is|are)|the\s+following)\b[^.]{0,60}"
    r"\b(?:summary|overview|answers?|points?|facts|details|list|what\s+(?:i|the))\b[^.]{0,40}[.!]?$|"
    r"(?:please\s+)?note\s+the\s+following\b|in\s+(?:short|summary|brief)[.:]?$|"
    r"(?:to\s+(?:sum|summari[sz]e)|summary|overview)[^.]{0,20}[.:]$|let\s+(?:me|us|'s)\s+\w+[^.]{0,40}[.!]?$|"
    r"(?:das\s+ist\s+eine\s+)?gute\s+frage\b|(?:ich|wir)\s+hoffen?\b|hoffentlich\s+hilft\b|danke\b|vielen\s+dank\b|"
    r"(?:hier|im\s+folgenden)\b\s*(?:ist|sind|kommt|folgt|findest|finden|die|eine|das)?\b[^.]{0,60}"
    r"\b(?:überblick|übersicht|zusammenfassung|antwort|punkte|fakten|liste)\b[^.]{0,40}[.!]?$|gerne?\b[^.]{0,40}[!.]?$|"
    r"(?:bitte\s+)?beachten?\s+(?:sie\s+)?(?:bitte\s+)?(?:die\s+)?folgende|melde(?:n\s+sie)?\s+(?:dich|sich)\b|"
    r"(?:bei|falls|wenn)\b.*\b(?:fragen|hilfe|mehr)\b.*\b(?:ich|mich|melde|fragen|bescheid)\b|"
    r"(?:lass|lassen|sag|sagen)\s+(?:sie\s+)?(?:es\s+)?(?:mich|mir)?\s*.*\b(?:bescheid|wissen)\b|"
    r"(?:(?:kurz\s+)?zusammengefasst|zusammenfassung|überblick)[.:]?$",
    re.IGNORECASE,
)
_ABOUT_DOCUMENTS = re.compile(
    r"\b(?:documents?|sources?|excerpts?|context|text|dokumenten?|quellen?|auszüge)\b[^.]{0,40}"
    r"\b(?:do(?:es)?\s+not|don['\u2019]t|doesn['\u2019]t|did\s+not|nothing|no\s+information|nicht|kein\w*|nichts)\b"
    r"|\b(?:could|can|did|was)\s*(?:not|n't|n\u2019t)\s+(?:find|able|determine|answer)\b"
    r"|\bno\s+information\b",
    re.IGNORECASE,
)
QUOTATION = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
"""A block quotation."""

_LEADING_MARKS = " \t\n*_#>-\u2013\u2022"


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of an answer: its span, the numbers it cites (in order, each once), and whether it makes a claim."""

    span: Span
    numbers: tuple[int, ...]
    claims: bool


def parts_of(text: str, found: Sequence[Mention]) -> list[Part]:
    """The sentences of `text` in order.

    A citation after a full stop belongs to the sentence before it; one that ends a block quotation belongs to all of
    the quotation.
    """
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
    own = {at for at, cited in enumerate(numbers) if cited}
    _share_in_quotations(text, [span for span, _ in cut], numbers)
    return [
        Part(span, tuple(dict.fromkeys(cited)), claims=at in own or _claims(span.of(blank), kind))
        for at, ((span, kind), cited) in enumerate(zip(cut, numbers, strict=True))
    ]


def _share_in_quotations(text: str, spans: Sequence[Span], numbers: list[list[int]]) -> None:
    """Apply what a block quotation cites at its end to those of its sentences that cite nothing."""
    for quotation in QUOTATION.finditer(text):
        inside = [at for at, span in enumerate(spans) if quotation.start() <= span.start < quotation.end()]
        for at in inside[:-1]:
            numbers[at] = numbers[at] or numbers[inside[-1]]


def _opens(text: str, mention: Mention, end: int, following: Span) -> bool:
    """True when a citation between two sentences begins the later one: on its line, or as its subject."""
    if "\n" in text[end : mention.span.start]:
        return "\n" not in text[mention.span.end : following.start]
    return text[following.start : following.start + 1].islower()


def _blanked(text: str, found: Sequence[Mention]) -> str:
    """`text` with blanks for bracketed citations, so that "done.[1] Next" ends a sentence; offsets stay valid."""
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
    if _POLITENESS.match(bare) or _ABOUT_DOCUMENTS.search(bare):
        return False
    words = _WORD.findall(bare)
    return len(words) > _FEW_WORDS or any(map(str.isdigit, bare))
