"""Converts web pages to text with spans: the main content, without what surrounds it on every page of a site."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citemark.extraction.builder import Builder, sensible_title, tags_of
from citemark.extraction.decoding import DecodedText, decoded
from citemark.extraction.html.blocks import PageReader
from citemark.extraction.html.looks import style_by_class
from citemark.extraction.html.nodes import is_hidden
from citemark.extraction.html.omissions import count_left_out
from citemark.extraction.html.trimming import trimmed
from citemark.model.text import Extracted

_NOTHING = "The page holds no text. If a browser shows some, save the page from there, or as a PDF."
_SNIFFED = 4096
"""How many bytes are searched for the charset of a page; browsers look at the first 1,024."""

_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_WITHOUT_WORDS = ["script", "style", "template", "noscript", "svg", "select", "textarea"]
_CONTENT = (("main, [role=main]", False), ("article", True))
_LEAST_SHARE = 0.1
"""Share of the page's text: an element marked as content that holds less is a shell, and the text is elsewhere."""

_MOST_MARKED = 1_000
"""Elements marked as content that are compared; a list of so many articles has no single one that is the content."""

_LONGEST_VALUE = 2000
"""Most characters of one metadata entry."""

_BETWEEN = re.compile(r"\s+[-|\u2013\u2014\u00b7\u2022\u00bb/]\s+|\s*\|\s*")
_METADATA = {
    "description": ("description", "og:description", "dcterms.description"),
    "author": ("author", "article:author", "dcterms.creator"),
    "date": ("date", "article:published_time", "dcterms.date", "dcterms.created", "pubdate"),
    "modified": ("article:modified_time", "last-modified", "dcterms.modified"),
}
_DAYS = frozenset({"date", "modified"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=T)")


def extract_html(data: bytes, *, fallback_title: str, charset: str = "") -> Extracted:
    """Extract the readable text of a page: its main part if it marks one, without navigation, scripts or hidden parts.

    Headings open sections. A section's slug ends in the id of its heading, if it has one, so that the page's address
    with that fragment leads there. The title is the page's title without the site's name, else its first heading, else
    `fallback_title`. `charset` is the one that came with the page, if any.

    Raises:
        SkippableSourceError: the file is binary, or has no text.
    """
    text = html_text(data, charset)
    builder = Builder()
    tree = _parsed(_without_cdata(text.text), builder)
    head = _Head(tree)
    scripted = tree.css_first("script, noscript, iframe, frame") is not None
    first_heading = _read(tree, builder, head.base)
    if builder.empty and not scripted and sensible_title(head.title):
        builder.heading(head.title, 1)  # all that the page says; one that a script fills is reported instead
    return builder.finish(
        title=_title(head.title, first_heading) or fallback_title,
        nothing=_NOTHING,
        tags=tags_of(head.meta("keywords", "article:tag")),
        metadata=head.metadata(),
        language=head.language,
        read_as=text.read_as,
    )


def _without_cdata(text: str) -> str:
    """The text of XHTML with its CDATA sections as plain text, which HTML takes for comments."""
    if not text.lstrip().startswith("<?xml"):
        return text
    return _CDATA.sub(lambda found: escape(found[1], quote=False), text)


def read_html(text: str, builder: Builder) -> None:
    """Add the readable text of a page to what a builder already holds."""
    _read(_parsed(text, builder), builder, "")


def _parsed(text: str, builder: Builder) -> LexborHTMLParser:
    """Parse a page, without what would make that slow."""
    page = trimmed(text)
    builder.leave_out("tag of an element too deep in others", page.elements)
    builder.leave_out("attribute beyond the first 128 of a tag", page.attributes)
    return LexborHTMLParser(page.text)


def html_text(data: bytes, charset: str = "", *, in_mail: bool = False) -> DecodedText:
    """Decode a page as `decoded` does, by the charset that came with it, else the one that it declares.

    Raises:
        SkippableSourceError: the file is binary.
    """
    if charset:
        return decoded(data, charset, in_mail=in_mail)
    declaration = _CHARSET.search(data[:_SNIFFED]) or _XML_CHARSET.match(data[:_SNIFFED])
    name = declaration[1].decode("ascii", "replace").lower() if declaration is not None else ""
    # A page whose charset could be read byte by byte is not in UTF-16, whatever it declares.
    return decoded(data, "" if name.startswith("utf-16") else name)


def _read(tree: LexborHTMLParser, builder: Builder, base: str) -> str:
    """Add the content of a page and return its first heading."""
    style_by_class(tree)
    body = tree.body
    content = _content(body) if body is not None else None
    if body is not None:
        count_left_out(content or body, builder)
    tree.strip_tags(_WITHOUT_WORDS, recursive=True)
    reader = PageReader(builder, base=base)
    if body is not None:
        content = _content(body)
        reader.read(content or body, is_content=content is not None)
    return reader.first_heading


def _content(body: LexborNode) -> LexborNode | None:
    """The element that the page marks as its content, if any, unless it is a shell and the text is elsewhere."""
    whole = len(body.text())
    for query, alone in _CONTENT:
        elements = [node for node in body.css(query)[:_MOST_MARKED] if not is_hidden(node.attributes)]
        longest = max(_outermost(elements), key=lambda node: len(node.text()), default=None)
        if longest is not None and (len(elements) == 1 or not alone) and len(longest.text()) >= _LEAST_SHARE * whole:
            return longest
    return None


def _outermost(elements: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """The elements that are in none of the others, which come before what is inside them."""
    seen: set[int] = set()
    for element in elements:
        above = element.parent
        while above is not None and above.mem_id not in seen:
            above = above.parent
        if above is None:
            yield element
        seen.add(element.mem_id)


def _title(page_title: str, first_heading: str) -> str:
    """The page's title, or only the heading if the rest of the title names the site ("Setup - Handbook")."""
    parts = [part.strip() for part in _BETWEEN.split(page_title)]
    if first_heading and len(parts) > 1 and first_heading in (parts[0], parts[-1]):
        return first_heading
    return sensible_title(page_title) or first_heading


class _Head:
    """The metadata in the head of a page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._values: dict[str, list[str]] = {}
        for node in tree.css("meta"):
            attributes = node.attributes
            name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
            content = " ".join((attributes.get("content") or "").split())[:_LONGEST_VALUE]
            if name and content:
                self._values.setdefault(name.lower(), []).append(content)
        title = tree.css_first("head title") or tree.css_first("title")
        self.title = " ".join(title.text().split()) if title is not None else ""
        self.base = _address(tree.css_first("base[href]"))
        self._canonical = _address(tree.css_first("link[rel=canonical]"))
        root = tree.root
        lang = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
        self.language = lang.strip() or self.meta("content-language").partition(",")[0].strip() or None

    def meta(self, *names: str) -> str:
        """The values of the first of these names that has any, separated by commas."""
        return next((", ".join(self._values[name]) for name in names if name in self._values), "")

    def metadata(self) -> dict[str, str]:
        """The entries worth keeping, with "" for those that the page lacks."""
        entries = {key: self.meta(*names) for key, names in _METADATA.items()}
        for key in _DAYS:
            day = _DAY.match(entries[key])
            entries[key] = day[0] if day is not None else entries[key]
        return {**entries, "canonical": self._canonical}


def _address(node: LexborNode | None) -> str:
    href = (node.attributes.get("href") or "").strip() if node is not None else ""
    return href[:_LONGEST_VALUE] if href.lower().startswith(("http://", "https://")) else ""
