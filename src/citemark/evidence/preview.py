"""The few words of a passage that show why it was found."""

import re
from collections.abc import Sequence
from itertools import pairwise

from citemark.evidence.readable import Unpadded, as_read
from citemark.evidence.scoring import SHORTEST_TOKEN, ScoredSpan, question_tokens, rank_asked, tokenise
from citemark.evidence.spans import SpanKind
from citemark.evidence.windows import densest
from citemark.model.text import Span

DEFAULT_CHARS = 280
"""Two lines of a terminal, two or three sentences: enough to choose a passage by."""

MIN_CHARS = 60
"""A shorter preview would be a few words without meaning."""

MAX_CHARS = 500
"""As long as the longest quote: a reader who wants more reads the passage."""

MAX_SPANS = 3
"""More places of one passage, each cut short, would read like a list of keywords."""

_LEAD = 8
"""Of a span too long to be shown whole, at most an eighth of a preview stands before the first matched word."""

_ALIKE = 0.5
"""The share of their words that near-identical lines have in common: they differ in a name, a number or a few words."""

_ELLIPSIS = "…"
_SPACES = re.compile(r"\s+")


def preview(
    question: str, text: str, max_chars: int = DEFAULT_CHARS, *, header_cells: bool = False, header: str = ""
) -> str:
    """The best spans of `text` on one line, at most `max_chars` characters (60 to 500, clamped)."""
    return preview_of(best_first(question, text), text, max_chars, header_cells=header_cells, header=header)


def best_first(question: str, text: str) -> list[ScoredSpan]:
    """The spans of a text in the order in which previews take them."""
    return best_first_of([question], [text])[0]


def best_first_of(questions: Sequence[str], texts: Sequence[str]) -> list[list[ScoredSpan]]:
    """The same for each of several texts and its question; a question that several texts have is read once.

    Of near-identical spans, which share as many words with the question, the one that is nearer to its wording comes
    first: with more of its short words and figures ("step 4"), which no overlap counts, and of its pairs of words.
    """
    asked = {question: question_tokens(question) for question in dict.fromkeys(questions)}
    return [_preferred(question, asked[question], text) for question, text in zip(questions, texts, strict=True)]


def _preferred(question: str, tokens: frozenset[str], text: str) -> list[ScoredSpan]:
    ranked = rank_asked(tokens, text)
    if not ranked or not ranked[0].overlap:
        return ranked
    best = ranked[0]
    equal = [span for span in ranked if (span.label, span.overlap) == (best.label, best.overlap)]
    if len(equal) == 1:
        return ranked
    words = _words(best.piece.span.of(text))
    alike = [span for span in equal if _alike(words, _words(span.piece.span.of(text)))]
    if len(alike) == 1:
        return ranked
    asked = _wording(question)
    nearest = max(alike, key=lambda span: len(asked & _wording(span.piece.span.of(text))))
    return [nearest, *(span for span in ranked if span is not nearest)]


def _words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokenise(text))


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _ALIKE * len(words | others)


def _wording(text: str) -> frozenset[tuple[str, ...]]:
    """The short words of a text, and its pairs of neighbouring words."""
    words = [token.text for token in tokenise(text)]
    return frozenset([*((word,) for word in words if len(word) < SHORTEST_TOKEN), *pairwise(words)])


def preview_of(
    ranked: Sequence[ScoredSpan],
    text: str,
    max_chars: int = DEFAULT_CHARS,
    *,
    header_cells: bool = False,
    header: str = "",
) -> str:
    """Like `preview`, for spans that have already been ranked (`best_first`).

    It begins with the best span, whole or cut where its matched words begin; up to two more of those behind it join it,
    in text order, while they fit. "…" marks what was left out and counts towards the limit. With `header_cells`, a
    table row that fits names its cells; so does one below `header`, the header row above the text.
    """
    limit = min(MAX_CHARS, max(MIN_CHARS, max_chars))
    if not ranked:
        return ""
    best = ranked[0]
    line = _labelled(best, text, header) if header_cells or best.piece.header is None else ""
    if line and len(line) <= limit:
        return line
    seen = Unpadded(text)
    chosen = [best.piece.span]
    if len(_joined(chosen, seen)) > limit:
        return _clipped(best, text, seen, limit)
    for other in _companions(ranked, text):
        wider = sorted([*chosen, other.piece.span])
        if len(chosen) < MAX_SPANS and len(_joined(wider, seen)) <= limit:
            chosen = wider
    return _joined(chosen, seen)


def _companions(ranked: Sequence[ScoredSpan], text: str) -> list[ScoredSpan]:
    """The spans that may join the best one, in order: what it announces with a colon, other matches, what follows."""
    best = ranked[0].piece.span
    content = [span for span in ranked[1:] if not span.label and span.piece.span.start >= best.end]
    following = sorted(content, key=lambda span: span.piece.span)
    matches = [span for span in content if span.overlap]
    companions = [*following, *matches] if best.of(text).endswith(":") else [*matches, *following]
    return list({span.piece.span: span for span in companions}.values())


def one_line(text: str) -> str:
    """`text` with every run of white space replaced by one space."""
    return _SPACES.sub(" ", text).strip()


def _joined(spans: Sequence[Span], seen: Unpadded) -> str:
    parts = [one_line(seen.show(spans[0]))]
    for before, after in pairwise(spans):
        between = seen.text[before.end : after.start].strip()
        parts += [f" {_ELLIPSIS} " if between else " ", one_line(seen.show(after))]
    return "".join(parts)


def _clipped(best: ScoredSpan, text: str, seen: Unpadded, limit: int) -> str:
    span = best.piece.span

    def shown(start: int, end: int) -> str:
        head = _ELLIPSIS if start > span.start else ""
        tail = _ELLIPSIS if end < span.end else ""
        return f"{head}{one_line(seen.show(Span(start, end)))}{tail}"

    def fits(start: int, end: int) -> bool:
        return _line_length(text, start, end, limit) <= limit - 2

    window = densest(text, span, best.hits, fits, most_before=limit // _LEAD)
    return shown(window.start, window.end)


def _line_length(text: str, start: int, end: int, limit: int) -> int:
    """The length on one line; a very long stretch counts as too long without being read."""
    return limit + 1 if end - start > limit * 8 else len(one_line(text[start:end]))


def _labelled(best: ScoredSpan, text: str, above: str) -> str:
    """A table row as "column: cell" pairs, or "" if the span is not a row or does not match its header."""
    header = above if best.piece.header is None else best.piece.header.of(text)
    if best.piece.kind is not SpanKind.ROW or not header:
        return ""
    names, cells = _cells(header), _cells(best.piece.body.of(text))
    if len(names) != len(cells):
        return ""
    return " | ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell)


def _cells(row: str) -> list[str]:
    inner = as_read(row).strip().removeprefix("|").removesuffix("|")
    return [one_line(cell).replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
