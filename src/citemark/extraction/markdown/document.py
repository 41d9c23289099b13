"""Converts pages of Markdown and MDX to text with spans, and their front matter to metadata."""

from collections.abc import Mapping
from types import MappingProxyType

from citemark.extraction.markdown.blocks import read_blocks
from citemark.extraction.markdown.front_matter import FrontMatter, properties_of, read_front_matter
from citemark.extraction.markdown.headings import sections_of
from citemark.extraction.markdown.link_scanner import links_of
from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span
from citemark.text.properties import compared

_DATES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "date": ("date", "datum"),
        "modified": ("modified", "updated", "lastmod", "last_modified", "updated_at"),
        "created": ("created", "created_at"),
    }
)
"""The keys under which citations find the date of a document, and those under which pages state it, in any case."""

_NOT_METADATA = frozenset({"title", "tags", "keywords"})


def extract_markdown(body: str, *, fallback_title: str) -> Extracted:
    """Extract the structure of a page; `body` stays as it is.

    The title is the front matter's, else that of the first top-level heading, else `fallback_title`; the language is
    what the front matter calls `lang` or `language`. This never fails: text that is not Markdown is a paragraph.
    """
    head = read_front_matter(body)
    lines = LineIndex(body)
    blocks = read_blocks(body, lines, lines.at(head.span.end) + 1 if head else 0)
    sections = sections_of(body, blocks)
    if head is not None:
        blocks.insert(0, Block(BlockKind.FRONT_MATTER, head.inner))
    else:
        head = FrontMatter(Span(0, 0), Span(0, 0))
    top = next((section.title for section in sections if section.level == 1 and section.title), "")
    return Extracted(
        title=head.value("title").strip() or top or fallback_title,
        body=body,
        blocks=tuple(blocks),
        sections=sections,
        links=links_of(body, blocks),
        language=head.values.get("lang") or head.values.get("language") or None,
        tags=tuple(dict.fromkeys((*head.words("tags"), *head.words("keywords")))),
        metadata={
            **{key: value for key, value in head.values.items() if key not in _NOT_METADATA and value},
            **_dates(head),
        },
        aliases=head.names(),
        properties=properties_of(head.pairs),
    )


def _dates(head: FrontMatter) -> dict[str, str]:
    """The dates that a page states, under the keys and in the form in which citations look for them."""
    found: dict[str, str] = {}
    for name, keys in _DATES.items():
        stated = next((value for key in keys if (value := head.value(key))), "")
        if stated:
            _, *others = compared(stated)
            found[name] = others[-1] if others and not stated.startswith(others[-1]) else stated
    return found
