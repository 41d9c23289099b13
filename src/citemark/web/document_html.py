"""A document as HTML that runs nothing, with what was cited in it marked.

A library renders Markdown and another one removes whatever is not plain text markup. The span to mark is known in the
Markdown, not in the HTML: two characters that no text has are put around it before it is rendered, and replaced after.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from pathlib import PurePosixPath

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from citemark.model.text import Span
from citemark.text.escaping import visible
from citemark.text.markdown import front_matter_of, is_delimiter_row, is_underline

_BEGIN, _END = "\U00010100", "\U00010101"
"""Punctuation, which may stand beside any other mark of Markdown without changing what that means."""

_MARKDOWN_SUFFIXES = frozenset(
    {"", ".md", ".markdown", ".mdown", ".mdx", ".qmd", ".rmd", ".html", ".htm", ".xhtml", ".eml", ".mht", ".mhtml"}
    | {".pdf", ".docx", ".docm", ".dotx", ".dotm", ".xlsx", ".xlsm", ".xltx", ".xltm", ".pptx", ".pptm", ".odt"}
    | {".ods", ".odp", ".ics", ".ical", ".ipynb"}
)
"""Documents whose text is Markdown, as written or as their reader wrote it out; all others are shown as they are."""

_TAGS = frozenset(
    {"a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "details", "dl", "dt", "em", "h1", "h2"}
    | {"h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "ol", "p", "pre", "q", "s", "samp", "small", "strong"}
    | {"sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var"}
)
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_SCHEMES = frozenset({"http", "https", "mailto"})

_TAG = re.compile(r"""<(?:[^"'<>]|"[^"]*"|'[^']*')*>""")
_MARKS_OF_LINE = re.compile(
    r"(?P<mark>[ \t>]*+(?:#{1,6}[ \t]++|[-*+][ \t]++(?:\[[ xX]\][ \t]++)?|\d{1,9}[.)][ \t]++|\|[ \t]*+)?)"
)
_FENCE = re.compile(r"[ \t>]*+(?:```|~~~)")
_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_TABLES = {
    "<table>": '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>',
    "</table>": "</table></div>",
}
_ABSOLUTE = re.compile(r"(?:https?|mailto):", re.IGNORECASE)

CITED = "cited"
"""The id of the first mark, which links and the browser's address lead to."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document: its level from 1, its words, and the id that leads to it."""

    level: int
    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A document as HTML, and its headings in order."""

    html: Markup
    outline: tuple[Heading, ...] = ()


def document_html(
    text: str, name: str, span: Span | None = None, link: Callable[[str], str | None] = lambda _: None
) -> Shown:
    """A document with the characters of `span` marked, rendered as its `name` says.

    `link` returns where a relative link leads on our pages; None if nowhere.
    """
    span = span if span is not None and span.start < span.end else None
    if PurePosixPath(name).suffix.lower() not in _MARKDOWN_SUFFIXES:
        return _plain(text, span)
    return _rendered(text, span, link) or _plain(text, span)


def _plain(text: str, span: Span | None) -> Shown:
    """A text as it is written."""
    if span is None:
        return Shown(Markup("<pre>{}</pre>").format(_visible(text)))
    before, cited, after = map(_visible, (text[: span.start], span.of(text), text[span.end :]))
    return Shown(Markup('<pre>{}<mark id="{}">{}</mark>{}</pre>').format(before, CITED, cited, after))


def _visible(text: str) -> str:
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def _rendered(text: str, span: Span | None, link: Callable[[str], str | None]) -> Shown | None:
    """A document as Markdown; None if a mark fell into a place that is not shown, such as a link's address."""
    text = text.replace(_BEGIN, "\ufffd").replace(_END, "\ufffd")
    front = front_matter_of(text)
    head = 0 if front is None else front.end
    marks = None if span is None else _marks_in(text, span)
    if marks is not None:
        text = f"{text[: marks.start]}{_BEGIN}{marks.of(text)}{_END}{text[marks.end :]}"
        head += int(marks.start < head) + int(marks.end <= head)
    properties = f"<pre>{escape(_visible(text[:head]))}</pre>" if head else ""

    def own_link(_: str, attribute: str, value: str) -> str | None:
        if attribute != "href" or _ABSOLUTE.match(value):
            return value
        return link(value)

    html = nh3.clean(
        _parser().render(_visible(text[head:])),
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        url_schemes=set(_SCHEMES),
        attribute_filter=own_link,
        link_rel="noopener noreferrer",
    )
    if span is not None and (marks is None or (properties + html).count(_END) != 1):
        return None
    pieces = _Pieces()
    html = "".join(pieces.of(properties + html))
    if span is not None and f'id="{CITED}"' not in html:
        return None
    return Shown(Markup(html), tuple(pieces.headings))  # noqa: S704 - sanitised


def _alternative(_renderer: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    """The words that stand for a picture: nothing is loaded for a document."""
    return f"<em>{escape(tokens[index].content)}</em>"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _alternative)
    return parser


def _marks_in(text: str, span: Span) -> Span | None:
    """A span without what makes its first and last line a heading, an item, a row or a fence; None if that is all."""
    start, end = _first_words(text, span), _last_words(text, span)
    return Span(start, end) if start < end else None


def _first_words(text: str, span: Span) -> int:
    """The first position of a span behind what makes its line a heading, an item, a row or a fence."""
    at = span.start
    while at < span.end:
        line = text.rfind("\n", 0, at) + 1
        following = text.find("\n", at)
        stop = len(text) if following < 0 else following
        written = text[line:stop]
        if written.strip() and not (_FENCE.match(written) or _says_nothing(written)):
            found = _MARKS_OF_LINE.match(written)
            return max(at, line + (found.end("mark") if found else 0))
        at = stop + 1
    return span.end


def _last_words(text: str, span: Span) -> int:
    """The last position of a span before what closes a row or a fence."""
    at = span.end
    while at > span.start:
        line = text.rfind("\n", 0, at) + 1
        written = text[line:at]
        if written.strip() and not (_FENCE.match(written) or _says_nothing(written)):
            return line + len(written.rstrip(" \t|\r"))
        at = line - 1
    return span.start


def _says_nothing(line: str) -> bool:
    bare = line.strip()
    return is_delimiter_row(bare) or is_underline(bare)


@dataclass(slots=True)
class _Pieces:
    """The pieces of sanitised HTML, with the words between both marks highlighted and headings with ids."""

    headings: list[Heading] = field(default_factory=list[Heading])
    _open: list[str] | None = None
    _inside: bool = False
    _first: bool = True

    def of(self, html: str) -> Iterator[str]:
        at = 0
        for tag in _TAG.finditer(html):
            yield from self._words(html[at : tag.start()])
            yield self._tag(tag[0].replace(_BEGIN, "").replace(_END, ""))
            at = tag.end()
        yield from self._words(html[at:])

    def _words(self, text: str) -> Iterator[str]:
        for piece in re.split(f"([{_BEGIN}{_END}])", text):
            if piece in {_BEGIN, _END}:
                self._inside = piece == _BEGIN
                continue
            if self._open is not None:
                self._open.append(piece)
            if self._inside and piece.strip():
                yield f'<mark id="{CITED}">{piece}</mark>' if self._first else f"<mark>{piece}</mark>"
                self._first = False
            else:
                yield piece

    def _tag(self, tag: str) -> str:
        """A tag as it stands in our page: headings lie below its own, and wide tables scroll by themselves."""
        name = tag.strip("</> ").partition(" ")[0]
        if (level := _LEVELS.get(name)) is None:
            return _TABLES.get(tag, tag)
        own = f"h{min(level + 2, 6)}"
        if tag.startswith("</"):
            if self._open is not None:
                title = unescape("".join(self._open)).strip()
                self.headings.append(Heading(level, title, f"part-{len(self.headings) + 1}"))
            self._open = None
            return f"</{own}>"
        self._open = []
        return f'<{own} id="part-{len(self.headings) + 1}">'
