"""Checks whether a quotation is still where it was cited, word for word."""

import difflib
import heapq
import html
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.evidence.differences import Difference, difference_at, occurrences
from citemark.evidence.readable import as_read, parts_as_read
from citemark.evidence.scoring import tokenise
from citemark.model.text import Span
from citemark.text.hidden import meant_name
from citemark.text.raised import MARKED, has_marks, in_characters

Holds = Literal["exact", "moved", "changed", "gone"]
Reason = Literal["words_gone", "document_gone"]
"""Why a quotation is gone."""

NEAR = 0.8
"""From this similarity on (difflib's ratio), different words count as the same passage, changed."""

_WINDOWS = 3
"""Candidates that are compared letter by letter: the changed passage is among those that share the most words."""

_LONGEST_COMPARED = 2_000
"""Characters: comparison time grows with their square, so longer quotes are compared by their words."""

_SPACES = re.compile(r"\s+|(?<=---)-+|\xad")
"""White space, the dashes beyond three in the delimiter row below a table's header, and soft hyphens."""

_MARKUP = re.compile(
    r"(?i:" + MARKED + r")|(?:\s|&nbsp;|</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>)+"
    r"|(?<=---)-+|\xad|&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,31}\d{0,2});"
)
"""The same, plus tags of HTML and MDX, entities, and the marks of raised and lowered figures."""

_PLACES = re.compile(r"<su([bp])\b", re.IGNORECASE)

_PARTING = re.compile(r"\s|&nbsp;|<(?:br|p|div|li|t[dhr]|h[1-6])\b", re.IGNORECASE)
"""What separates words instead of being inside one."""


@dataclass(frozen=True, slots=True)
class Located:
    """The verdict, and the span of the body that holds the words (or the changed ones), or None if they are gone.

    `difference` says how changed words differ from the quotation; it is None for others, and where tags alone differ.
    """

    holds: Holds
    span: Span | None
    difference: Difference | None = None


def locate(quote: str, body: str, hint: Span | None = None) -> Located:
    """Look for `quote` in `body`.

    exact: the same words at the cited span or inside it (anywhere, without a hint). moved: the same words elsewhere,
    the occurrence nearest to the hint. changed: the same words with other marks or in another case, or words at least
    80 % similar. gone: none of these. White space is
    compared first as it is and then as single spaces, so a re-wrapped paragraph still holds. The last comparison is
    without tags and with entities as the characters that they stand for, as a reader sees the page: a figure that a tag
    raises stays raised. Hidden characters may be quoted as they are shown, by their numbers.
    """
    wanted = quote.strip()
    if not wanted:
        return Located("gone", None)
    found = _unchanged(wanted, body, hint)
    if found is None and (meant := meant_name(wanted)) != wanted:
        wanted, found = meant, _unchanged(meant, body, hint)
    if found is None:
        near = _nearest(occurrences(wanted, body), hint) or _similar(wanted, body, hint)
        return Located("changed", near, difference_at(wanted, body, near)) if near else Located("gone", None)
    here = hint is None or hint.contains(found) or found.contains(hint)
    return Located("exact" if here else "moved", found)


def _unchanged(wanted: str, body: str, hint: Span | None) -> Span | None:
    """Where the same words are, or None if they are nowhere."""
    found = _inside(wanted, body, hint) if hint else None
    found = found or _nearest(_verbatim(wanted, body), hint) or _nearest(_alike(wanted, body, _SPACES), hint)
    if found is None:
        found = _nearest(_as_seen(wanted, body), hint)
    if found is None and ("<" in body or "&" in body or has_marks(wanted) or has_marks(body)):
        found = _nearest(_alike(wanted, body, _MARKUP), hint)
    return found


def _inside(wanted: str, body: str, hint: Span) -> Span | None:
    """The quote within the cited span: checked first, because an overlapping repeat before it could hide it."""
    cited = hint.of(body)
    found = next(_verbatim(wanted, cited), None) or next(_alike(wanted, cited, _SPACES), None)
    found = found or next(_as_seen(wanted, cited), None)
    if found is None and ("<" in cited or "&" in cited or has_marks(wanted) or has_marks(cited)):
        found = next(_alike(wanted, cited, _MARKUP), None)
    return Span(hint.start + found.start, hint.start + found.end) if found else None


def _verbatim(wanted: str, body: str) -> Iterator[Span]:
    at = body.find(wanted)
    while at >= 0:
        yield Span(at, at + len(wanted))
        at = body.find(wanted, at + len(wanted))


def _alike(wanted: str, body: str, ignored: re.Pattern[str]) -> Iterator[Span]:
    """Occurrences of the quote, regardless of anything `ignored` between and inside its words."""
    words = ignored.sub(_single, wanted).strip()
    if not words:
        return
    squeezed, gaps = _squeezed(body, ((*space.span(), _single(space)) for space in ignored.finditer(body)))
    for span in _verbatim(words, squeezed):
        yield Span(_original(gaps, span.start), _original(gaps, span.end - 1) + 1)


def _as_seen(wanted: str, body: str) -> Iterator[Span]:
    """Occurrences of the quote in what a reader sees of the body: the words that answers show of it."""
    parts = parts_as_read(body)
    if not parts:
        return
    seen, gaps = _squeezed(body, ((part.start, part.end, part.shown) for part in parts))
    for span in _alike(as_read(wanted), seen, _SPACES):
        yield Span(_original(gaps, span.start), _original(gaps, span.end - 1) + 1)


def _squeezed(body: str, shorter: Iterable[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int]]]:
    """`body` with ranges replaced, and for each shortened place (offset after it, characters lost up to there).

    Args:
        body: the text.
        shorter: ranges in order, each with the text that takes its place, which is no longer than it.
    """
    parts: list[str] = []
    gaps = [(0, 0)]
    at = lost = 0
    for start, end, kept in shorter:
        if kept == body[start:end]:
            continue
        parts += [body[at:start], kept]
        at = end
        if end - start > len(kept):
            lost += end - start - len(kept)
            gaps.append((at - lost, lost))
    parts.append(body[at:])
    return "".join(parts), gaps


def _single(ignored: re.Match[str]) -> str:
    """What is compared instead of ignored text: one space, the character of an entity or a mark, or nothing."""
    found = ignored[0]
    if ignored.re is _MARKUP and (ignored.lastgroup or "") and not found.isspace():
        return in_characters(ignored)
    if place := _PLACES.search(found):
        return "^" if place[1] in "pP" else "_"
    if found[0] == "&" and found.count("&") == 1 and "<" not in found and not found.startswith("&nbsp;"):
        return html.unescape(found)
    return " " if _PARTING.search(found) else ""


def _original(gaps: Sequence[tuple[int, int]], offset: int) -> int:
    low, high = 0, len(gaps) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if gaps[middle][0] <= offset else (low, middle - 1)
    return offset + gaps[low][1]


def _nearest(spans: Iterator[Span], hint: Span | None) -> Span | None:
    if hint is None:
        return next(spans, None)
    return min(spans, key=lambda span: _distance(span, hint), default=None)


def _distance(span: Span, hint: Span) -> tuple[bool, int]:
    return not (hint.contains(span) or span.contains(hint)), abs(span.start - hint.start)


def _similar(wanted: str, body: str, hint: Span | None) -> Span | None:
    """The most similar stretch of `body`, or None if none reaches the threshold.

    A sliding window counts shared words in linear time; only the few best windows are compared in detail.
    """
    quoted, words = _words_of(wanted, body)
    if not quoted or not words.known:
        return None
    best: tuple[float, int, Span] | None = None
    for first in _best_windows(quoted, words.known):
        ratio, span = _compare(wanted, quoted, body, words, first)
        distance = abs(span.start - hint.start) if hint else span.start
        if ratio >= NEAR and (best is None or (ratio, -distance) > best[:2]):
            best = (ratio, -distance, span)
    return best[2] if best else None


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a body in columns, a few bytes each: which word of the quote each is (0: none), and where it is."""

    known: "array[int]"
    starts: "array[int]"
    ends: "array[int]"


def _words_of(wanted: str, body: str) -> tuple[list[int], _Words]:
    """The words of the quote as numbers from 1 on, and those of the body."""
    numbers: dict[str, int] = {}
    quoted = [numbers.setdefault(token.text, len(numbers) + 1) for token in tokenise(wanted)]
    words = _Words(array("l"), array("l"), array("l"))
    for token in tokenise(body):
        words.known.append(numbers.get(token.text, 0))
        words.starts.append(token.start)
        words.ends.append(token.end)
    return quoted, words


def _best_windows(quoted: Sequence[int], words: Sequence[int]) -> list[int]:
    """Indexes of the words at which the windows with the most shared words begin, no two of them close together."""
    size = min(len(quoted), len(words))
    # Each window that is chosen rules out those that begin half a window before and behind it.
    enough = (_WINDOWS - 1) * (size + 1) + 1
    chosen: list[int] = []
    for _, first in heapq.nsmallest(enough, _shared(quoted, words, size)):
        if all(abs(first - other) > size // 2 for other in chosen):
            chosen.append(first)
            if len(chosen) == _WINDOWS:
                break
    return chosen


def _shared(quoted: Sequence[int], words: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """For each window of `size` words that shares any with the quote: minus how many, and its first word."""
    missing = Counter(quoted)
    shared = 0
    for at, word in enumerate(words):
        shared += missing[word] > 0
        missing[word] -= 1
        if at >= size:
            gone = words[at - size]
            missing[gone] += 1
            shared -= missing[gone] > 0
        if at >= size - 1 and shared:
            yield -shared, at - size + 1


def _compare(wanted: str, quoted: Sequence[int], body: str, words: _Words, first: int) -> tuple[float, Span]:
    """The similarity of the quote to the best stretch around one window, and the span of that stretch."""
    slack = len(quoted) // 4 + 2
    low = max(0, first - slack)
    high = min(len(words.known), first + len(quoted) + slack)
    matcher: difflib.SequenceMatcher[str]
    if len(wanted) <= _LONGEST_COMPARED:
        around = Span(words.starts[low], words.ends[high - 1])
        matcher = difflib.SequenceMatcher(None, around.of(body), wanted, autojunk=False)
        ratio, start, end = _trimmed([block for block in matcher.get_matching_blocks() if block.size], len(wanted))
        return ratio, Span(around.start + start, around.start + end)
    end = min(len(words.known), first + len(quoted))
    common = Counter(quoted) & Counter(words.known[first:end])
    return common.total() / len(quoted), Span(words.starts[first], words.ends[end - 1])


def _trimmed(blocks: Sequence[difflib.Match], wanted: int) -> tuple[float, int, int]:
    """The best ratio over runs of matching blocks, and its range: stray letters at the ends would lower the ratio."""
    best = (0.0, 0, 0)
    low, high = 0, len(blocks)
    common = sum(block.size for block in blocks)
    while low < high:
        start, end = blocks[low].a, blocks[high - 1].a + blocks[high - 1].size
        ratio = 2 * common / (wanted + end - start)
        best = max(best, (ratio, start, end), key=lambda rated: rated[0])
        if blocks[low].size <= blocks[high - 1].size:
            common -= blocks[low].size
            low += 1
        else:
            high -= 1
            common -= blocks[high].size
    return best
