"""The part of a long span that is shown: the densest stretch of matched words within a limit."""

import re
from collections.abc import Callable, Sequence

from citemark.evidence.budget import joins_previous, whole_sign_before
from citemark.evidence.scoring import Token
from citemark.model.text import Span

Fits = Callable[[int, int], bool]
"""Whether the characters from start to end are within the limit; must be true for every part of what fits."""

_SPACE = re.compile(r"\s")


def densest(text: str, span: Span, hits: Sequence[Token], fits: Fits, most_before: int | None = None) -> Span:
    """The window inside `span` that fits and holds the most distinct hits; the tightest, then the earliest, wins.

    The window is then grown on both sides and ends at word boundaries where they are near: evenly, or with at most
    `most_before` characters before the first hit unless the span ends first.
    """
    if fits(span.start, span.end):
        return span
    core = _core(hits, fits) or _first_word(text, span, fits)
    return _grow(text, span, core, fits, len(span) if most_before is None else most_before)


def _core(hits: Sequence[Token], fits: Fits) -> Span | None:
    best: tuple[int, int, int] | None = None
    counts: dict[str, int] = {}
    left = 0
    for right, hit in enumerate(hits):
        counts[hit.text] = counts.get(hit.text, 0) + 1
        while left <= right and (not fits(hits[left].start, hit.end) or counts[hits[left].text] > 1):
            counts[hits[left].text] -= 1
            if not counts[hits[left].text]:
                del counts[hits[left].text]
            left += 1
        if left > right:
            continue
        rating = (-len(counts), hit.end - hits[left].start, hits[left].start)
        best = rating if best is None else min(best, rating)
    return Span(best[2], best[2] + best[1]) if best else None


def _first_word(text: str, span: Span, fits: Fits) -> Span:
    space = _SPACE.search(text, span.start, span.end)
    end = space.start() if space else span.end
    return Span(span.start, end) if fits(span.start, end) else Span(span.start, span.start)


def _grow(text: str, span: Span, core: Span, fits: Fits, most_before: int) -> Span:
    """Widen `core` inside `span` while it fits: half of the room to each side; the other gets what one side leaves."""
    room = most(lambda extra: fits(*_spread(span, core, extra, most_before)), len(span) - len(core))
    start, end = _spread(span, core, room, most_before)
    return Span(word_start(text, start, core.start, span.start), word_end(text, end, core.end, span.end))


def _spread(span: Span, core: Span, extra: int, most_before: int) -> tuple[int, int]:
    before, after = core.start - span.start, span.end - core.end
    left = min(before, extra // 2, most_before)
    right = min(after, extra - left)
    return core.start - min(before, extra - right), core.end + right


def most(holds: Callable[[int], bool], limit: int) -> int:
    """The largest number up to `limit` for which `holds` is true; it must be true from zero up to some point."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def word_start(text: str, at: int, latest: int, floor: int) -> int:
    """The first position from `at` to `latest` where a word starts; failing that, where a visible character starts."""
    if at <= floor or text[at - 1].isspace():
        return at
    space = _SPACE.search(text, at, latest)
    if space:
        start = space.end()
        while start < latest and text[start].isspace():
            start += 1
        return start
    while at < latest and joins_previous(text, at):
        at += 1
    return at


def word_end(text: str, at: int, earliest: int, ceiling: int) -> int:
    """The last position from `earliest` to `at` where a word ends; failing that, where a visible character ends."""
    if at >= ceiling or text[at].isspace():
        return earliest + len(text[earliest:at].rstrip())
    end = at
    while end > earliest and not text[end - 1].isspace():
        end -= 1
    if end > earliest:
        return earliest + len(text[earliest:end].rstrip())
    return whole_sign_before(text, at, earliest)
