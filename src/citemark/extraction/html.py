"""HTML to text with spans: the main content of a page, also of a saved one."""

import codecs
import re
from dataclasses import replace
from typing import Any

from citemark.extraction.building import Builder
from citemark.extraction.decoding import decode
from citemark.extraction.html_blocks import Walker
from citemark.extraction.titles import sensible_title, tags_of
from citemark.model.text import Extracted

_SNIFFED = 2048
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{2,40})["']""")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOTHING = "The page holds no text; it may be filled in by scripts. Save it from a browser, or as a PDF."
_MAIN = ("main", '[role="main"]', "article")


def extract_html(data: bytes, *, fallback_title: str) -> Extracted:
    """The readable text of a page: its main part where it marks one, without navigation, scripts and what is hidden.

    Headings open sections named by their ids, so that a citation is the address of the page with that fragment; lists,
    code, quotations and tables keep their form. The title is the page's, else its first heading, else `fallback_title`.

    Raises:
        SkippableSourceError: the file is binary, or holds no text.
    """
    builder = Builder()
    tree, first_heading = _walked(_text(data), builder)
    extracted = builder.finish(
        title=_title(tree) or first_heading or fallback_title,
        nothing=_NOTHING,
        tags=tags_of(_meta(tree, "keywords")),
        metadata={
            "description": _meta(tree, "description"),
            "author": _meta(tree, "author"),
            "date": _meta(tree, "date", "article:published_time", "dcterms.date")[:10],
        },
    )
    return replace(extracted, language=_language(tree))


def read_html(text: str, builder: Builder) -> None:
    """Add the readable text of a page to what a builder holds already."""
    _walked(text, builder)


def _walked(text: str, builder: Builder) -> tuple[Any, str]:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only files of this kind need it

    tree: Any = LexborHTMLParser(text)
    walker = Walker(builder)
    walker.read(_main_part(tree), whole=tree.body)
    return tree, walker.first_heading


def _text(data: bytes) -> str:
    """The page's characters: by mark, else as the page says of itself, else as any text."""
    if not data.startswith(_MARKS):
        said = _CHARSET.search(data[:_SNIFFED]) or _XML_CHARSET.match(data[:_SNIFFED])
        if said is not None:
            try:
                # What browsers do: pages that say Latin-1 mean Windows-1252.
                name = codecs.lookup(said[1].decode("ascii")).name
                return data.decode("cp1252" if name in {"iso8859-1", "ascii"} else name, "replace").replace(
                    "\0", "\ufffd"
                )
            except LookupError:
                pass
    return decode(data)


def _main_part(tree: Any) -> Any:
    for selector in _MAIN:
        found = tree.css(selector)
        if len(found) == 1:
            return found[0]
    return tree.body


def _title(tree: Any) -> str:
    node = tree.css_first("head title") or tree.css_first("title")
    return sensible_title(node.text()) if node is not None else ""


def _meta(tree: Any, *names: str) -> str:
    for name in names:
        node = tree.css_first(f'meta[name="{name}" i], meta[property="{name}" i]')
        content = (node.attributes.get("content") if node is not None else None) or ""
        if content.strip():
            return " ".join(content.split())[:500]
    return ""


def _language(tree: Any) -> str | None:
    root = tree.root
    said = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
    return said.strip() or None
