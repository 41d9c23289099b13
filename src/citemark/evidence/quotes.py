"""Choosing and cutting the quotes that answer a question: verbatim, bounded, disjoint, spread over the passages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.evidence.budget import BYTES_PER_TOKEN, QuoteLimits, count_tokens, prefix_chars, suffix_chars
from citemark.evidence.preview import one_line
from citemark.evidence.readable import Unpadded
from citemark.evidence.scoring import ScoredSpan
from citemark.evidence.spans import CutAt, Piece, SpanKind, pieces
from citemark.evidence.windows import densest, most
from citemark.model.text import Span

MAX_QUOTE_CHARS = 500
"""A long sentence or two, as a reader sees them; the tools promise that no quote is longer."""

_LONGEST_MARKUP = 16
"""How many times longer a range may be than what a reader sees of it: generated pages have ten times as much markup."""

_ALIKE = 0.65
"""The share of the best span's rate from which others are quoted: 24 of 25 answers reach it on the public spans."""

_WIDE_COLON = "\uff1a"
_ANNOUNCED = frozenset({SpanKind.ITEM, SpanKind.ROW, SpanKind.ROW_HEAD, SpanKind.CODE})


@dataclass(frozen=True, slots=True)
class CutQuote:
    """What a reader sees of one of the texts: `text` holds the words that `span` covers, without tags and padding.

    `core` is the part that was chosen, before context was added; `confidence` is the overlap of its span in [0, 1].
    `cut` says at which end the quote stops inside a longer span.
    """

    text: str
    passage: int
    span: Span
    core: Span
    confidence: float
    cut: CutAt | None = None


def choose_quotes(
    ranked: Sequence[ScoredSpan], texts: Sequence[str], limits: QuoteLimits | None = None
) -> list[CutQuote]:
    """The quotes for spans ranked over `texts` (by `rank_all`, perhaps also `rerank`), best first.

    Quoting ends where spans answer much less well than the best one, however many quotes there may be. Among spans of
    equal rank the passage quoted less often comes first. Labels (bare headings, header rows, markup) are
    used only if there is nothing else, filler never; the same words are quoted only once.
    A quote never exceeds `max_quote_tokens` or 500 characters and never overlaps another one; context is added within
    these caps.
    """
    limits = limits or QuoteLimits()
    cutter = _Cutter(texts, limits)
    for scored in _dealt(_answering_alike(_usable(ranked))):
        if len(cutter.cores) == limits.max_quotes:
            break
        cutter.add(scored)
    return cutter.quotes()


class _Cutter:
    """The cores chosen so far, and the boundaries that later ones must respect."""

    def __init__(self, texts: Sequence[str], limits: QuoteLimits) -> None:
        self.cores: list[tuple[ScoredSpan, Span]] = []
        self._texts = texts
        self._limits = limits
        self._seen: set[str] = set()
        self._taken: dict[int, list[Span]] = {}
        self._pieces: dict[int, list[Piece]] = {}
        self._unpadded: dict[int, Unpadded] = {}

    def add(self, scored: ScoredSpan) -> None:
        """Choose a span, unless its words or its range are already quoted."""
        text = self._texts[scored.passage]
        taken = self._taken.setdefault(scored.passage, [])
        core = densest(text, scored.piece.span, scored.hits, lambda start, end: self._fits(scored.passage, start, end))
        if scored.piece.kind is SpanKind.CODE:
            core = _whole_lines(text, core, scored)
        words = one_line(core.of(text)).casefold()
        if not words or words in self._seen or any(other.contains(core) for other in taken):
            return
        core = self._with_list(scored, core)
        self._seen.add(words)
        taken.append(core)
        self.cores.append((scored, core))

    def quotes(self) -> list[CutQuote]:
        """Every core with its context, in the order in which they were chosen."""
        found: list[CutQuote] = []
        for scored, core in self.cores:
            text, taken = self._texts[scored.passage], self._taken[scored.passage]
            taken.remove(core)
            span = self._with_context(scored.passage, core, _room(taken, core, len(text)))
            taken.append(span)
            cut = self._cut(scored.passage, span)
            shown = self._shown(scored.passage).show(span)
            found.append(CutQuote(shown, scored.passage, span, core, scored.overlap, cut))
        return found

    def _cut(self, passage: int, span: Span) -> CutAt | None:
        text, found = self._texts[passage], self._pieces_of(passage)
        code = [piece.span for piece in found if piece.kind is SpanKind.CODE]
        begins = any(span.start in (piece.span.start, piece.body.start) for piece in found) or any(
            lines.start < span.start < lines.end and not _line_before(text, span.start).strip() for lines in code
        )
        ends = any(span.end == piece.span.end for piece in found) or any(
            lines.start < span.end < lines.end and text[span.end] == "\n" for lines in code
        )
        if begins:
            return None if ends else "end"
        return "start" if ends else "both"

    def _fits(self, passage: int, start: int, end: int) -> bool:
        """Whether what a reader sees of a range is within the limits; tags do not count."""
        if end - start > _LONGEST_MARKUP * MAX_QUOTE_CHARS:
            return False
        shown = self._shown(passage).show(Span(start, end))
        return len(shown) <= MAX_QUOTE_CHARS and count_tokens(shown) <= self._limits.max_quote_tokens

    def _shown(self, passage: int) -> Unpadded:
        if passage not in self._unpadded:
            self._unpadded[passage] = Unpadded(self._texts[passage])
        return self._unpadded[passage]

    def _pieces_of(self, passage: int) -> list[Piece]:
        if passage not in self._pieces:
            self._pieces[passage] = pieces(self._texts[passage])
        return self._pieces[passage]

    def _with_list(self, scored: ScoredSpan, core: Span) -> Span:
        """Extend a span that ends in a colon by as much of the list, table or code that it announces as fits."""
        text = self._texts[scored.passage]
        if not text[core.start : core.end].rstrip("*_`").endswith((":", _WIDE_COLON)):
            return core
        ceiling = _room(self._taken[scored.passage], core, len(text)).end
        end = core.end
        for piece in self._pieces_of(scored.passage):
            if piece.span.start < core.end:
                continue
            if (
                piece.kind not in _ANNOUNCED
                or piece.span.end > ceiling
                or not self._fits(scored.passage, core.start, piece.span.end)
            ):
                break
            end = piece.span.end
        return Span(core.start, end)

    def _with_context(self, passage: int, core: Span, room: Span) -> Span:
        """Extend a core by the whole spans before and after it that are within reach."""
        text, limits = self._texts[passage], self._limits
        reach = limits.include_context_tokens * BYTES_PER_TOKEN
        ahead = min(room.end - core.end, prefix_chars(text[core.end : core.end + reach], reach))
        behind = min(core.start - room.start, suffix_chars(text[: core.start], reach))
        ahead = most(lambda extra: self._fits(passage, core.start, core.end + extra), ahead)
        end = max(
            (piece.span.end for piece in self._pieces_of(passage) if core.end < piece.span.end <= core.end + ahead),
            default=core.end,
        )
        starts = [
            piece.span.start
            for piece in self._pieces_of(passage)
            if core.start - behind <= piece.span.start < core.start and self._fits(passage, piece.span.start, end)
        ]
        return Span(min(starts, default=core.start), end)


def _whole_lines(text: str, core: Span, scored: ScoredSpan) -> Span:
    """The whole lines in a stretch of code, if they still hold the words that match; else the stretch as it is."""
    span = scored.piece.span
    start, end = core.start, core.end
    if start > span.start and _line_before(text, start).strip():
        start = text.find("\n", start, end) + 1 or end
    if end < span.end and text[end] != "\n":
        end = text.rfind("\n", start, end)
    kept = [hit for hit in scored.hits if core.start <= hit.start and hit.end <= core.end]
    if start < end and all(start <= hit.start and hit.end <= end for hit in kept):
        return Span(start, end)
    return core


def _line_before(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at]


def _room(taken: Sequence[Span], core: Span, length: int) -> Span:
    """How far `core` may grow before it meets another quote."""
    floor = max((span.end for span in taken if span.end <= core.start), default=0)
    return Span(floor, min((span.start for span in taken if span.start >= core.end), default=length))


def _usable(ranked: Sequence[ScoredSpan]) -> Sequence[ScoredSpan]:
    answering = [span for span in ranked if span.answers]
    return [span for span in answering if not span.label] or answering


def _answering_alike(ranked: Sequence[ScoredSpan]) -> Sequence[ScoredSpan]:
    """The spans down to where they answer much less well than the best; all, if only shared words order them."""
    if not any(span.second for span in ranked):
        return ranked
    rates = [span.overlap + (span.second or 0.0) for span in ranked]
    return [span for span, rate in zip(ranked, rates, strict=True) if rate >= _ALIKE * max(rates)]


def _dealt(ranked: Sequence[ScoredSpan]) -> Iterator[ScoredSpan]:
    """The ranked spans, with those of equal rank dealt out passage by passage."""
    used: dict[int, int] = {}
    at = 0
    while at < len(ranked):
        run = at
        while run < len(ranked) and _standing(ranked[run]) == _standing(ranked[at]):
            run += 1
        waiting: dict[int, list[ScoredSpan]] = {}
        for scored in ranked[at:run]:
            waiting.setdefault(scored.passage, []).append(scored)
        for queue in waiting.values():
            queue.reverse()
        while waiting:
            passage = min(waiting, key=lambda number: used.get(number, 0))
            used[passage] = used.get(passage, 0) + 1
            yield waiting[passage].pop()
            if not waiting[passage]:
                del waiting[passage]
        at = run


def _standing(span: ScoredSpan) -> tuple[float, float | None]:
    return span.overlap, span.second
