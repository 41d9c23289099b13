"""How well a span answers: the words that it shares with the question, and an optional second score for the best.

The overlap score, its tie-breakers and the number of spans that a second score may re-order are those of the founding
tool-call document (4.6.1); the second score changes only the order, never the overlap.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citemark.evidence.spans import Piece, SpanKind, pieces
from citemark.text.figures import figures
from citemark.text.languages import DENSE, INVISIBLE
from citemark.text.raised import has_marks, in_characters, marked, placed_words
from citemark.text.spelling import one_spelling

SHORTEST_TOKEN = 3
"""Characters; shorter question tokens are dropped unless nothing else is left."""

_FIGURE = "#"
"""Begins the token of a figure; no word does."""

_WORD = re.compile(r"[^\W_]+")
_SIMPLE = re.compile(
    "[\u0000-\u00ac\u00ae-\u00b1\u00b4-\u00b8\u00ba-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u23ff\u2500-\u27bf]*"
)
"""Latin letters, punctuation, arrows and symbols: no combining or raised mark, nothing invisible, no dense script."""


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word (or character pair) and the half-open range where it occurs in the text."""

    text: str
    start: int
    end: int
    paired: bool = False


def fold(word: str) -> str:
    """One spelling for words that differ only in case or in what `one_spelling` unifies."""
    if word.isascii():
        return word.lower()
    return one_spelling(one_spelling(word).casefold())


def tokenise(text: str) -> Iterator[Token]:
    """Every token of `text` in order of its start.

    Words are runs of letters and digits; scripts written without spaces give overlapping character pairs instead. A
    word with a raised or lowered figure is a token with it and without it: 10⁶ and 10^6 are the same, and 106 is not.
    """
    tokens = _plain_tokens(text)
    placed = list(_placed_tokens(text))
    yield from sorted((*tokens, *placed), key=_by_start) if placed else tokens


def _by_start(token: Token) -> int:
    return token.start


def _plain_tokens(text: str) -> Iterator[Token]:
    for start, end in _words(text):
        word = text[start:end]
        if word.isascii() or not DENSE.search(word):
            yield Token(fold(word), start, end)
            continue
        at = 0
        for dense in DENSE.finditer(word):
            if dense.start() > at:
                yield Token(fold(word[at : dense.start()]), start + at, start + dense.start())
            yield from _pairs(text, start + dense.start(), start + dense.end())
            at = dense.end()
        if at < len(word):
            yield Token(fold(word[at:]), start + at, end)


def _placed_tokens(text: str) -> Iterator[Token]:
    """The further readings of words with raised and lowered figures: without them, and as people type them."""
    for mark in marked(text) if has_marks(text) else ():
        start = mark.start()
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        yield Token(fold(text[start : mark.start()] + in_characters(mark)), start, mark.end())
    for word in () if text.isascii() else placed_words(text):
        if word.typed:
            yield Token(fold(word.typed), word.start, word.end)
        for start, end in word.bases():
            yield Token(fold(text[start:end]), start, end)


def tokens_among(text: str, wanted: frozenset[str]) -> list[Token]:
    """The tokens of `text` that are in `wanted`, figures included."""
    found = _words_among(text, wanted)
    if not any(token.startswith(_FIGURE) for token in wanted):
        return found
    return sorted([*found, *_figures_among(text, wanted)], key=lambda token: (token.start, token.end))


def _figures_among(text: str, wanted: frozenset[str]) -> Iterator[Token]:
    for figure in figures(text):
        for key in sorted(wanted & {f"{_FIGURE}{key}" for key in figure.keys}):
            yield Token(key, figure.span.start, figure.span.end)


def _words_among(text: str, wanted: frozenset[str]) -> list[Token]:
    """`tokenise` filtered, in a fifth of its time for Latin text."""
    if text.isascii():
        lowered = _WORD.finditer(text.lower())
        found = [Token(word, match.start(), match.end()) for match in lowered if (word := match.group()) in wanted]
        placed = [token for token in _placed_tokens(text) if token.text in wanted]
        return sorted((*found, *placed), key=_by_start) if placed else found
    if has_marks(text) or not _SIMPLE.fullmatch(text):
        return [token for token in tokenise(text) if token.text in wanted]
    return [
        Token(word, match.start(), match.end())
        for match in _WORD.finditer(text)
        if (word := fold(match.group())) in wanted
    ]


def question_tokens(question: str) -> frozenset[str]:
    """The distinct tokens that a question looks for.

    Tokens under three characters are dropped (a pair of a dense script counts as a word); if that leaves none,
    all are kept. A figure that texts write in several forms (a date, a short number, an identifier with marks) is a
    token beside its words, so that "14 March" is found in "14.03.2026".
    """
    tokens = list(tokenise(question))
    kept = frozenset(token.text for token in tokens if token.paired or len(token.text) >= SHORTEST_TOKEN)
    words = kept or frozenset(token.text for token in tokens if token.text)
    return words | {f"{_FIGURE}{figure.own[0]}" for figure in figures(question) if not figure.spelt_alike}


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Runs of letters and digits, including the combining marks between them, which are neither."""
    if text.isascii():
        yield from (match.span() for match in _WORD.finditer(text))
        return
    start = end = -1
    for match in _WORD.finditer(text):
        if start >= 0 and (match.start() == end or _extend(text, end, match.start()) == match.start()):
            end = match.end()
            continue
        if start >= 0:
            yield start, _extend(text, end, match.start())
        start, end = match.span()
    if start >= 0:
        yield start, _extend(text, end, len(text))


def _extend(text: str, end: int, stop: int) -> int:
    while end < stop and (unicodedata.category(text[end])[0] == "M" or text[end] in INVISIBLE):
        end += 1
    return end


def _pairs(text: str, start: int, end: int) -> Iterator[Token]:
    if end - start == 1:
        yield Token(fold(text[start:end]), start, end, paired=True)
    for at in range(start, end - 1):
        yield Token(fold(text[at : at + 2]), at, at + 2, paired=True)


RERANKED = 24
"""How many of the best spans a second score may re-order."""

SECOND_WEIGHT = 1.0
"""Weight of the cosine of question and span, where the overlap has 1; results are flat between 0.5 and 1.5."""

LABELS = frozenset({SpanKind.HEADING, SpanKind.ROW_HEAD, SpanKind.MARKUP, SpanKind.FRONT_MATTER, SpanKind.ADDRESSING})


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A span of a text with its overlap in [0, 1] and the question's tokens found in it, in order.

    `passage` is the index of the text among those that were ranked together; `second` is what `rerank` added to the
    overlap, and `near` says that this is more than chance.
    """

    piece: Piece
    overlap: float
    hits: tuple[Token, ...]
    passage: int = 0
    second: float | None = None
    near: bool = False

    @property
    def label(self) -> bool:
        """True for a span that names content but has none: a bare heading, a header row, markup, a salutation."""
        return self.piece.kind in LABELS

    @property
    def answers(self) -> bool:
        """False for filler, which shares no word with the question and is no nearer to it than chance."""
        return (self.overlap > 0 or self.near) and self.piece.kind is not SpanKind.ADDRESSING


def rank_spans(question: str, text: str) -> list[ScoredSpan]:
    """The spans of one text, best first: overlap, then the shorter span, then the earlier; labels come last."""
    return rank_asked(question_tokens(question), text)


def rank_asked(asked: frozenset[str], text: str) -> list[ScoredSpan]:
    """The same by the tokens of a question, for one that ranks the spans of several texts apart."""
    return sorted(_score([asked], text, 0), key=_contract_order)


def rank_all(question: str, texts: Sequence[str], also: Sequence[str] = ()) -> list[ScoredSpan]:
    """The spans of several texts in one order; equal spans keep the order of the texts.

    The overlap of a span is the largest that it has with the question or any of its further phrasings, `also`.
    """
    phrasings = [question_tokens(phrasing) for phrasing in (question, *also)]
    found = [scored for passage, text in enumerate(texts) for scored in _score(phrasings, text, passage)]
    return sorted(found, key=_contract_order)


def overlap(phrasings: Sequence[frozenset[str]], text: str) -> float:
    """The largest share of a phrasing's tokens that occur in `text`, over all phrasings."""
    words = {token.text for token in tokens_among(text, frozenset[str]().union(*phrasings))}
    return max((len(words & wanted) / max(1, len(wanted)) for wanted in phrasings), default=0.0)


def rerank(
    spans: Sequence[ScoredSpan],
    scores: Sequence[float] | Callable[[Sequence[ScoredSpan]], Sequence[float]] | None,
    chance: float | None = None,
) -> list[ScoredSpan]:
    """Re-order the first 24 spans by overlap plus a second score; the others follow in their previous order.

    The overlap itself is unchanged. A span that answers in words other than the question's has little overlap: only the
    second score lifts it.

    Args:
        spans: in contract order.
        scores: one number per span of `spans[:24]`, or a function that gives them: the cosine of question and span.
        chance: the cosine that one pair in a hundred of unrelated texts reaches, or None if it is unknown.
    """
    head = list(spans[:RERANKED])
    given = [0.0] * len(head) if scores is None else scores(head) if callable(scores) else scores
    rated: list[ScoredSpan] = []
    for span, score in zip(head, given, strict=True):
        near = scores is not None and (chance is None or score >= chance)
        rated.append(replace(span, second=SECOND_WEIGHT * score, near=near))
    rated.sort(key=lambda span: (span.label, -(span.overlap + (span.second or 0.0)), *_contract_order(span)))
    return [*rated, *spans[RERANKED:]]


def _score(phrasings: Sequence[frozenset[str]], text: str, passage: int) -> Iterable[ScoredSpan]:
    # Pieces hold every letter and digit of a text, so no token lies between two of them.
    found = tokens_among(text, frozenset[str]().union(*phrasings))
    at = 0
    for piece in pieces(text):
        hits: list[Token] = []
        while at < len(found) and found[at].start < piece.span.end:
            hits.append(found[at])
            at += 1
        words = {token.text for token in hits}
        shared = max(len(words & wanted) / max(1, len(wanted)) for wanted in phrasings)
        yield ScoredSpan(piece, shared, tuple(hits), passage)


def _contract_order(span: ScoredSpan) -> tuple[bool, float, int, int, int]:
    return (span.label, -span.overlap, len(span.piece.span), span.piece.span.start, span.passage)
