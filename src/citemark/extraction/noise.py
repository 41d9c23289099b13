"""Finds what is in a text file but is not text: embedded data, base64, minified code. A placeholder says its size.

The text keeps its length and its lines: behind the placeholder there are spaces, so that every position in it is one in
the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from citemark.model.text import Block, BlockKind, Extracted, Span

_DATA = re.compile(r"data:([a-z]+/[\w.+-]{1,80})?((?:;[\w.=+-]{1,80}){0,5}),([^\s\"'`<>()\[\]]{48,}+)", re.IGNORECASE)
_CLOSING = re.compile(r"[\"'`)\]>/ ]{1,3}(?=\s|$)")
"""What closes a link or tag around data; it comes to stand directly behind the placeholder."""

_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{160,}+")
_LINE = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{48,}+={0,2}"
_BETWEEN = r"[\"'`;,+\\ \t]{0,8}(?:\r\n|\r|\n)[\"'`>#* \t]{0,40}"
_LAST_LINE = r"[A-Za-z0-9+/_-]{1,127}+={0,2}(?=[\"'`;,)\s]|$)"
_BLOCK = re.compile(rf"{_LINE}(?:{_BETWEEN}{_LINE}){{2,}}+(?:{_BETWEEN}{_LAST_LINE})?+")
_LEAST_LINE = 1_000
_LONG_LINE = re.compile(rf"(?<![^\r\n])[^\r\n]{{{_LEAST_LINE},}}+")
_MAYBE_DATA = re.compile(r"data:|[A-Za-z0-9+/_=-]{48}", re.IGNORECASE)
"""What a word holds, besides being long, in which there is data: addresses of pages rarely do."""

_REST_OF_LINE = re.compile(r"[^\r\n]*+")
_PATH_DATA = re.compile(r"(?<=[\s;])(?:d|points)=([\"'])([MmLlHhVvCcSsQqTtAaZz0-9\s,.eE+-]{200,}+)\1")
_DRAWING = re.compile(
    r"^(?:%%[ \t]*(?:\r\n|\r|\n))?#{1,2} Drawing[ \t]*(?:\r\n|\r|\n)"
    r"```(?:compressed-)?json[ \t]*(?:\r\n|\r|\n)((?:[^`]|`(?!``))*+)",
    re.MULTILINE,
)
"""What Excalidraw keeps below the text of a drawing; its words are above."""

_KINDS = (re.compile(r"[A-Z]"), re.compile(r"[a-z]"), re.compile(r"[0-9]"))

LEAST_NOISE = 48
"""Characters: no shorter text holds anything that is left out."""

_SAMPLED = 4_000
"""Characters of a run that decide what it is."""

_LEAST_CHANGES = 0.36
"""Share of neighbouring characters that differ in kind (capital, small letter, figure).

In base64 it is .62, in hex .47, in the longest addresses and identifiers of real pages below .25.
"""

_LEAST_FIGURES = 0.05
"""Share of figures in encoded data, where it is .16 or more; names joined by capitals have none."""

_MOST_BLANKS = 0.06
"""Share of blanks in minified code; in the densest prose and tables it is above .1."""

_LEAST_MARKS = 0.08
"""Share of brackets, semicolons and equals signs in minified code; in JSON, whose text is data, it is below .04."""

_MARKS = re.compile(r"[{}();=]")
_LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*\)")
"""Brackets of Markdown links, which are no marks of code: a page may list hundreds of links on one line."""

_MOST_FOREIGN = 0.05
_ROOM = 64
"""Spaces from which a placeholder parts the text around it."""


@dataclass(frozen=True, slots=True)
class Quieted:
    """A text with placeholders, and the ranges of the spaces behind them."""

    text: str
    gaps: tuple[Span, ...] = ()

    def apart(self, extracted: Extracted) -> Extracted:
        """The same document with no block reaching across the spaces behind a placeholder, except rows of tables."""
        wide = [gap for gap in self.gaps if len(gap) >= _ROOM]
        if not wide:
            return extracted
        return replace(extracted, blocks=tuple(_blocks(extracted.blocks, self.text, wide)))


def quieted(body: str) -> Quieted:
    """The text with a placeholder of the same length for everything in it that nobody reads."""
    found = _apart(sorted(_noise(body)))
    if not found:
        return Quieted(body)
    parts: list[str] = []
    gaps: list[Span] = []
    at = 0
    for start, end, what in found:
        closing = _CLOSING.match(body, end)
        beyond = closing.end() if closing is not None else end
        shown = f"[{what}, {_size(end - start)}]{body[end:beyond]}"
        if len(shown) >= beyond - start:
            continue
        rest = body[start + len(shown) : beyond]
        parts += [body[at:start], shown, re.sub(r"[^\r\n]", " ", rest)]
        gaps.append(Span(start + len(shown), beyond))
        at = beyond
    return Quieted("".join([*parts, body[at:]]), tuple(gaps))


def placeholders(text: str) -> str:
    """The text with placeholders that take no more room than they need, for texts whose positions are not a file's."""
    read = quieted(text)
    parts: list[str] = []
    at = 0
    for gap in read.gaps:
        parts.append(read.text[at : gap.start])
        at = gap.end
    return "".join([*parts, read.text[at:]])


_Noise = tuple[int, int, str]


def _noise(body: str) -> Iterator[_Noise]:
    for start, end in _suspicious(body):
        yield from _encoded(body, start, end)
    if len(body) >= _LEAST_LINE and max(map(len, body.splitlines())) >= _LEAST_LINE:
        yield from ((*line.span(), "minified code") for line in _LONG_LINE.finditer(body) if _is_minified(line[0]))
    if "d=" in body or "points=" in body:
        yield from ((*path.span(2), "drawing") for path in _PATH_DATA.finditer(body))
    if "Drawing" in body:
        yield from ((*drawing.span(1), "drawing") for drawing in _DRAWING.finditer(body))


def _encoded(body: str, start: int, end: int) -> Iterator[_Noise]:
    for data in _DATA.finditer(body, start, end):
        yield data.start(), data.end(), (data[1] or "text/plain").lower()
    for pattern in (_RUN, _BLOCK):
        yield from ((*run.span(), "encoded data") for run in pattern.finditer(body, start, end) if _is_encoded(run[0]))


def _suspicious(body: str) -> list[tuple[int, int]]:
    """The lines with a word that may hold data, each with the line below it, joined where they touch."""
    found: list[tuple[int, int]] = []
    at = line_end = 0
    for word in [word for word in body.split() if len(word) >= LEAST_NOISE]:
        if _MAYBE_DATA.search(word) is None:
            continue
        start = body.index(word, at)
        at = start + len(word)
        if start < line_end:
            continue
        line_end = _end_of_line(body, at)
        end = _end_of_line(body, line_end + 2 if body.startswith("\r\n", line_end) else line_end + 1)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((max(body.rfind("\n", 0, start), body.rfind("\r", 0, start)) + 1, end))
    return found


def _end_of_line(body: str, at: int) -> int:
    line = _REST_OF_LINE.match(body, at)
    return line.end() if line is not None else len(body)


def _apart(found: list[_Noise]) -> list[_Noise]:
    """The first of each group that overlap, widened by the others."""
    kept: list[_Noise] = []
    for start, end, what in found:
        if kept and start < kept[-1][1]:
            first, last, name = kept[-1]
            kept[-1] = (first, max(last, end), name)
        else:
            kept.append((start, end, what))
    return kept


def _is_encoded(run: str) -> bool:
    signs = [sign for sign in run[:_SAMPLED] if sign.isalnum()]
    if len(set(signs)) < 10:  # noqa: PLR2004 - a run of few signs is a rule or a pattern
        return False
    if sum(map(str.isdigit, signs)) < _LEAST_FIGURES * len(signs):
        return False
    kinds = [next((number for number, kind in enumerate(_KINDS) if kind.match(sign)), -1) for sign in signs]
    return sum(one != other for one, other in pairwise(kinds)) >= _LEAST_CHANGES * len(kinds)


def _is_minified(line: str) -> bool:
    sample = line[:_SAMPLED]
    blanks = len(sample) - len("".join(sample.split()))
    return (
        blanks <= _MOST_BLANKS * len(sample)
        and len(sample) - len(sample.encode("ascii", "ignore")) <= _MOST_FOREIGN * len(sample)
        and len(_MARKS.findall(_LINK_TARGET.sub("", sample))) >= _LEAST_MARKS * len(sample)
    )


def _size(characters: int) -> str:
    """A size as people read it."""
    if characters < 1_000:  # noqa: PLR2004
        return f"{characters} B"
    return f"{characters / 1_000:.0f} KB" if characters < 1_000_000 else f"{characters / 1_000_000:.1f} MB"  # noqa: PLR2004


def _blocks(blocks: tuple[Block, ...], text: str, gaps: list[Span]) -> Iterator[Block]:
    at = 0
    for block in blocks:
        start = block.span.start
        while at < len(gaps) and gaps[at].end <= start:
            at += 1
        inside = at
        if block.kind is not BlockKind.TABLE:
            while inside < len(gaps) and gaps[inside].start < block.span.end:
                yield from _block(block, text, start, gaps[inside].start)
                start = max(start, gaps[inside].end)
                inside += 1
        yield from _block(block, text, start, block.span.end) if start != block.span.start else (block,)


def _block(block: Block, text: str, start: int, end: int) -> Iterator[Block]:
    part = text[start:end]
    if any(map(str.isalnum, part)):
        lead = start + len(part) - len(part.lstrip()) if block.kind is not BlockKind.CODE else start
        yield replace(block, span=Span(lead, start + len(part.rstrip())))
