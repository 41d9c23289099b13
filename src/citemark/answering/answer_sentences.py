"""The sentences of an answer, what each of them cites, and which of them make a claim."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.answering.citations import Mention
from citemark.answering.claimless import claims_nothing
from citemark.answering.claims import Known
from citemark.evidence.spans import SpanKind, layout, marker_end
from citemark.model.text import Span
from citemark.text.sentences import sentences

_NO_CLAIM = frozenset({SpanKind.HEADING, SpanKind.ROW_HEAD, SpanKind.MARKUP, SpanKind.FRONT_MATTER, SpanKind.CODE})
QUOTATION = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
"""A block quotation."""

_LEADING_MARKS = " \t\n*_#>-\u2013\u2022"


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of an answer: its span, the numbers it cites (in order, each once), and whether it makes a claim."""

    span: Span
    numbers: tuple[int, ...]
    claims: bool


def parts_of(text: str, found: Sequence[Mention], known: Known) -> list[Part]:
    """The sentences of `text` in order; `known` is what the documents of the answer contain.

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
        Part(span, tuple(dict.fromkeys(cited)), claims=at in own or _claims(span.of(blank), kind, known))
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


def _claims(sentence: str, kind: SpanKind, known: Known) -> bool:
    bare = sentence.strip(_LEADING_MARKS)
    if kind in _NO_CLAIM or bare.endswith(("?", "\uff1f", ":", "\uff1a")):
        return False
    return not claims_nothing(bare, known)
