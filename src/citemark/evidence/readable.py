"""A quote as a reader sees it: table rows without padding, and around the words what is needed to understand them."""

import html
import re
from collections.abc import Iterator

from citemark.evidence.spans import CutAt, SpanKind, layout, open_fences
from citemark.model.markdown import is_delimiter_row, is_markup, unquoted
from citemark.model.marks import box_of
from citemark.model.raised import MARKED, in_characters
from citemark.model.text import Span

_LEFT_OUT = "[…]"


def readable(words: str, header: str = "", cut: CutAt | None = None) -> str:
    """The words of a quote below their table's header row, with fences closed and a mark where a sentence is cut."""
    if cut in ("start", "both"):
        words = f"{_LEFT_OUT} {words}"
    if cut in ("end", "both"):
        words = f"{words} {_LEFT_OUT}"
    before, behind = open_fences(words)
    return "\n".join(filter(None, [header, before, words, behind]))


_BLANKS = re.compile(r"[ \t]{2,}")
_DASHES = re.compile(r"-{4,}")
_EMPTIED = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_MARKUP = re.compile(
    r"(`+)[^`]*\1|(?=<[Ss][Uu][BbPp]\b)(?i:"
    + MARKED
    + r")|(?<!\w)<[A-Z][^<>]*>|<[a-z][^<>]*>|</[A-Za-z][^<>]*>|&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,31}\d{0,2});"
)
_PROSE = frozenset({SpanKind.SENTENCE, SpanKind.ITEM, SpanKind.HEADING, SpanKind.MARKUP})
_ROWS = frozenset({SpanKind.ROW, SpanKind.ROW_HEAD})


class Unpadded:
    """A text as a reader of the page sees it, except that Markdown marks remain.

    Table rows have single spaces, and their delimiter rows three dashes per column. Outside code, tags are left out and
    entities are replaced by the characters that they stand for.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts = list(_parts(text)) if not {"|", "<", "&"}.isdisjoint(text) else []

    def show(self, span: Span) -> str:
        """The characters of `span` in this form: the same words in the same order."""
        shown: list[str] = []
        at = span.start
        for part, pattern in self._parts:
            start, end = max(part.start, at), min(part.end, span.end)
            if start < end:
                shown += [self._text[at:start], pattern.sub(_plain, self._text[start:end])]
                at = end
        words, whole = self._text[span.start : span.end], "".join([*shown, self._text[at : span.end]])
        if whole == words:
            return words
        return _EMPTIED.sub("\n\n", whole).strip("\n") or words


def without_markup(text: str) -> str:
    """A text as a model reads it: as a reader sees it, without tags in tables and without their delimiter rows."""
    shown = Unpadded(text).show(Span(0, len(text)))
    if "|" not in shown:
        return shown
    lines = [line for line in shown.split("\n") if "|" not in line or not is_delimiter_row(unquoted(line).rstrip())]
    return "\n".join(_MARKUP.sub(_apart, line) if "|" in line else line for line in lines)


def _apart(found: re.Match[str]) -> str:
    """Like `_plain`, except that a tag between two words, such as a line break in a cell, becomes a space."""
    return _plain(found) or " "


def unpadded(row: str) -> str:
    """One table row without padding."""
    return _BLANKS.sub(_plain, row.strip())


def _plain(found: re.Match[str]) -> str:
    """What is shown for padding, a tag, an entity, or inline code, which stays as it is."""
    sign = found[0][0]
    if sign == "<":
        if found.re is _MARKUP and found["tag"]:
            return in_characters(found)
        return _tag(found[0])
    return {"-": "---", "&": html.unescape(found[0]), "`": found[0]}.get(sign, " ")


_WITH_MEANING = re.compile(
    r"<(?:(?P<sign>su[bp])|/?(?P<struck>del|s|strike)|(?P<box>input))\b(?P<rest>[^<>]*)>", re.IGNORECASE
)


def _tag(tag: str) -> str:
    """What is shown for a tag: nothing, unless it strikes out, raises or lowers the text behind it, or is a box."""
    if not is_markup(tag):
        return tag
    found = _WITH_MEANING.fullmatch(tag)
    if found is None:
        return ""
    if found["sign"]:
        return "^" if found["sign"][-1] in "pP" else "_"
    if found["struck"]:
        return "~~"
    return box_of(found["rest"]) if "checkbox" in found["rest"].lower() else ""


def _parts(text: str) -> Iterator[tuple[Span, re.Pattern[str]]]:
    """Ranges that are not shown as they are, each with the pattern to replace; in a delimiter row those are dashes."""
    for block in layout(text):
        if block.kind in _PROSE:
            yield Span(block.start, block.end), _MARKUP
        if block.kind not in _ROWS:
            continue
        yield Span(block.start, block.end), _BLANKS
        following = text.find("\n", block.end)
        line = text[block.end : following if following >= 0 else len(text)]
        if is_delimiter_row(line.strip(" \t\r>")):
            yield Span(block.end, block.end + len(line)), _DASHES
