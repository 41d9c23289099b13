"""Cuts one passage to the room that it gets: whole, or a run of whole spans that is complete in itself.

A run that begins inside a list or table brings what introduces it, and one does not end before what it announces.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from citemark.evidence.budget import BYTES_PER_TOKEN, EvidenceLimits, bytes_len
from citemark.evidence.members import is_phrase_line
from citemark.evidence.readable import Unpadded, unpadded
from citemark.evidence.scoring import LABELS
from citemark.evidence.spans import Piece, SpanKind, marker_end, pieces
from citemark.evidence.windows import word_end
from citemark.model.text import Span
from citemark.text.hidden import revealed

WHOLE_BYTES = 800
"""A passage up to this size may be quoted whole; for a longer one, a run of spans says as much (docs/benchmarks.md)."""

_LONGEST_LEAD = 300
"""Bytes of a sentence that introduces a list; a longer one is a paragraph of its own."""

_SURROUNDS = frozenset({SpanKind.ADDRESSING, SpanKind.FRONT_MATTER, SpanKind.MARKUP})
_LISTED = frozenset({SpanKind.ITEM, SpanKind.ROW, SpanKind.ROW_HEAD, SpanKind.CODE})
_COUNTED = frozenset({SpanKind.ITEM, SpanKind.ROW})
_COLONS = (":", "\uff1a")
_CLOSING_MARKS = "*_`\"')"
_ANNOUNCES = re.compile(
    r"\b(?:(?:as|the|these) follow(?:s|ing)|folgende[nrms]?|wie folgt|(?:le|la|les) suivante?s?|comme suit|ci-dessous|"
    r"l[ao]s siguientes?|(?:il|la|i|gli|le) seguent[ei]|(?:de|het) volgende|os seguintes|as seguintes|"
    r"nast\u0119puj\u0105c\w+)\b[^.!?]*[.:\uff1a]?$",
    re.IGNORECASE,
)

_RUN_IN_HEADING = re.compile(r"(\*\*|__)[^*_\n]{1,60}(?:[.:?!]\1|\1[.:])")
"""Emphasised words that stand where a heading could: "**Decision.**" before the sentence that says it."""

Rate = Callable[[int, Sequence[str]], Sequence[float]]
"""Rates how well each of the given spans (texts) of a passage (its position) answers; called for long passages only."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What is quoted of one passage.

    `passage` is its position among the texts, `span` the part of its text that is quoted, and `shown` the same without
    the padding of tables. `header` is the header row of a table if `span` shows later rows of it, or the sentence that
    introduces the list in which `span` begins. `cut` says that the quote ends inside a span, because there was not
    enough room for even one whole span. `more` counts the items or rows of the same list or table that are not quoted.
    """

    passage: int
    span: Span
    shown: str
    header: str = ""
    cut: bool = False
    more: int = 0

    @property
    def size(self) -> int:
        """The number of UTF-8 bytes of what is shown, hidden characters as their numbers."""
        return bytes_len(revealed(self.shown)) + bytes_len(revealed(self.header))


def quote_bytes(limits: EvidenceLimits) -> int:
    """The most bytes that one quote may take."""
    if limits.max_quote_tokens is None:
        return WHOLE_BYTES
    return min(WHOLE_BYTES, limits.max_quote_tokens * BYTES_PER_TOKEN)


def announces(text: str) -> bool:
    """Whether a sentence announces what follows it: by a colon at its end, by its words, or as a run-in heading."""
    if _is_run_in_heading(text):
        return True
    bare = text.rstrip().rstrip(_CLOSING_MARKS).rstrip()
    return bare.endswith(_COLONS) or _ANNOUNCES.search(bare[-200:]) is not None


def _is_run_in_heading(text: str) -> bool:
    return _RUN_IN_HEADING.fullmatch(text.strip()) is not None


class PassageCutter:
    """The spans of one passage, and what may be quoted of them."""

    def __init__(self, number: int, text: str, header: str, limits: EvidenceLimits) -> None:
        """Cut a passage into its spans.

        Args:
            number: its position among the passages.
            text: of the passage.
            header: the header row of the table that the text begins in, or "".
            limits: what the caller set.
        """
        self._number = number
        self._text = text
        self._above = header
        self._limits = limits
        self._unpadded = Unpadded(text)
        self._cut = _saying(pieces(text), text)
        self._leads = _leads_of(self._cut, text)

    @property
    def says_something(self) -> bool:
        """Whether there is more in it than headings, tags and front matter."""
        return any(piece.kind not in LABELS for piece in self._cut)

    def quote(self, rate: Rate, room: int, *, usual: int, must: bool) -> Filled | None:
        """The whole passage if it may be; else a run of its spans; else, if there `must` be a quote, a cut span.

        Args:
            rate: rates the spans if they do not all fit.
            room: the most bytes that the quote may have; `usual` is how far it is grown if its best span has less.
            usual: see `room`.
            must: whether a label or a part of a span is better than nothing.
        """
        cut = self._cut
        if not cut or not (must or self.says_something):
            return None
        whole_lists, free = self._limits.whole_lists and self._limits.max_quote_tokens is None, room
        room = min(room, quote_bytes(self._limits))
        usual = min(usual, room)
        if self._limits.include_context_tokens is None:
            whole = self._run(0, len(cut) - 1)
            if whole.size <= usual:
                return whole
        rates = rate(self._number, [piece.span.of(self._text) for piece in cut])
        best_first = sorted(range(len(cut)), key=lambda at: (cut[at].kind in LABELS, -rates[at], at))
        fitting = [at for at in best_first if cut[at].kind not in LABELS and self._run(at, at).size <= room]
        if fitting:
            return self._grown(rates, fitting[0], free if whole_lists else room, usual)
        # A span is cut to the length that the caller set, but not to what other quotes have left.
        limited = self._limits.max_quote_tokens is not None and room == quote_bytes(self._limits)
        if must or limited:
            return self._beginning(cut[best_first[0]].span, room)
        return None

    def _grown(self, rates: Sequence[float], best: int, room: int, usual: int) -> Filled:
        """A span, grown by the neighbours that there is room for, the better one first."""
        first = last = best
        while True:
            grown = [
                (rates[new], first - new, start, end)
                for new, start, end in ((first - 1, first - 1, last), (last + 1, first, last + 1))
                if 0 <= new < len(self._cut) and self._in_reach(best, start, end, usual)
            ]
            if not grown:
                break
            _, _, first, last = max(grown)
        last = self._complete(best, first, last, room)
        if self._limits.whole_lists and (self._in_list(best) or self._in_list(last)):
            first, last = self._whole_list(best, first, last, room)
        return self._run(first, last)

    def _whole_list(self, best: int, first: int, last: int, room: int) -> tuple[int, int]:
        """A run in a list or table, grown to all of it, or to as much as there is room for, the end first."""
        while last + 1 < len(self._cut) and self._in_list(last + 1) and self._in_reach(best, first, last + 1, room):
            last += 1
        while first > 0 and self._in_list(first - 1) and self._in_reach(best, first - 1, last, room):
            first -= 1
        return first, last

    def _in_list(self, at: int) -> bool:
        piece = self._cut[at]
        return piece.kind in _COUNTED or is_phrase_line(piece.body.of(self._text))

    def _complete(self, best: int, first: int, last: int, room: int) -> int:
        """Where a run ends so that it breaks off neither behind a heading nor behind an announcement.

        What is announced is taken in as far as it fits; an announcement is left out if nothing of that fits.
        """
        while last > best and self._cut[last].kind in LABELS:  # a heading says nothing without the text below it
            last -= 1
        if not self._announces(last):
            return last
        end = last
        while end + 1 < len(self._cut) and self._follows(last, end + 1) and self._in_reach(best, first, end + 1, room):
            end += 1
        if end == last and last > best:
            return self._complete(best, first, last - 1, room)
        return end

    def _announces(self, at: int) -> bool:
        return at + 1 < len(self._cut) and announces(self._cut[at].span.of(self._text))

    def _follows(self, announcing: int, at: int) -> bool:
        """Whether a piece belongs to what another one announces: its list, table or code, or the sentence behind it."""
        announced = self._cut[announcing + 1].kind
        same = {announced, SpanKind.ROW} if announced is SpanKind.ROW_HEAD else {announced}
        return at == announcing + 1 or (announced in _LISTED and self._cut[at].kind in same)

    def _in_reach(self, best: int, first: int, last: int, room: int) -> bool:
        context = self._limits.include_context_tokens
        if context is not None:
            reach = context * BYTES_PER_TOKEN
            before = self._text[self._cut[first].span.start : self._cut[best].span.start]
            behind = self._text[self._cut[best].span.end : self._cut[last].span.end]
            if max(bytes_len(before), bytes_len(behind)) > reach:
                return False
        return self._run(first, last).size <= room

    def _run(self, first: int, last: int) -> Filled:
        """The quote of the pieces from `first` to `last`, with the sentence before them if it introduces their list."""
        lead = self._leads[first]
        first = lead if lead is not None and lead == first - 1 else first
        span = Span(self._cut[first].span.start, self._cut[last].span.end)
        return Filled(
            self._number, span, self._unpadded.show(span), self._header(first), more=self._left_out(first, last)
        )

    def _header(self, first: int) -> str:
        """What introduces the list or table that a run begins in the middle of."""
        piece = self._cut[first]
        if piece.kind is SpanKind.ROW:
            return unpadded(piece.header.of(self._text)) if piece.header is not None else self._above
        lead = self._leads[first]
        return "" if lead is None else self._unpadded.show(self._cut[lead].body)

    def _left_out(self, first: int, last: int) -> int:
        """How many items or rows the list or table at either end of a run has beyond it."""
        before = self._cut[first].kind, self._parts(range(first - 1, -1, -1), self._cut[first].kind)
        behind = self._cut[last].kind, self._parts(range(last + 1, len(self._cut)), self._cut[last].kind)
        return sum(count for kind, count in (before, behind) if kind in _COUNTED)

    def _parts(self, places: range, kind: SpanKind) -> int:
        """How many items or rows begin at these places, up to the first piece that is none."""
        of_list = takewhile(lambda at: self._cut[at].kind is kind, places)
        return sum(kind is SpanKind.ROW or self._begins_item(at) for at in of_list)

    def _begins_item(self, at: int) -> bool:
        body = self._cut[at].body
        return marker_end(self._text, body.start, body.end) > body.start

    def _beginning(self, span: Span, room: int) -> Filled | None:
        """As much of a span as there is room for, up to the end of a word."""
        end = span.start
        used = 0
        for sign in span.of(self._text):
            used += bytes_len(revealed(sign))
            if used > room:
                break
            end += 1
        end = word_end(self._text, end, span.start, span.end)
        if end <= span.start:
            return None
        kept = Span(span.start, end)
        return Filled(self._number, kept, kept.of(self._text), cut=end < span.end)


def _saying(found: Sequence[Piece], text: str) -> Sequence[Piece]:
    """The pieces from the first to the last one that is not a greeting, a closing, front matter or a tag.

    Run-in headings at the end go too: what they head is in the next passage. If nothing but front matter and tags is
    there, all of it.
    """
    saying = [at for at, piece in enumerate(found) if piece.kind not in _SURROUNDS]
    while len(saying) > 1 and _is_run_in_heading(found[saying[-1]].span.of(text)):
        saying.pop()
    if saying:
        return found[saying[0] : saying[-1] + 1]
    return [piece for piece in found if piece.kind is not SpanKind.ADDRESSING]


def _leads_of(cut: Sequence[Piece], text: str) -> list[int | None]:
    """For each piece the sentence that introduces the list that it is in, if it is not that list's first item."""
    leads: list[int | None] = []
    lead: int | None = None
    for at, piece in enumerate(cut):
        if piece.kind is not SpanKind.ITEM:
            short = bytes_len(piece.body.of(text)) <= _LONGEST_LEAD
            lead = at if piece.kind is SpanKind.SENTENCE and short and announces(piece.span.of(text)) else None
            leads.append(None)
        else:
            leads.append(lead)
    return leads
