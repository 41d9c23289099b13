"""Text with spans: what extraction turns a document's bytes into, and the chunks cut from it."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from citemark.model.unread_parts import UnreadPart

NOT_TEXT = re.compile("[\0\ud800-\udfff]")
"""NUL characters and unpaired surrogates: the database refuses the former, the tokenizer of a model the latter."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters (Unicode code points) in a document's body."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span runs forward from zero on, not {self.start}..{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of `text` that this span covers."""
        return text[self.start : self.end]

    def contains(self, other: "Span") -> bool:
        """Whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end


class BlockKind(StrEnum):
    """The kinds of text blocks that chunking distinguishes."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    CODE = "code"
    TABLE = "table"
    QUOTE = "quote"
    MARKUP = "markup"
    FRONT_MATTER = "front_matter"


@dataclass(frozen=True, slots=True)
class Block:
    """One unit of layout; blocks are in order and never overlap, and blank lines belong to no block.

    `head` is the text to repeat when the block has to be cut (a table's header and rule rows).
    """

    kind: BlockKind
    span: Span
    head: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it, up to the next heading of any level.

    `slug` is the path of heading slugs ("install/linux", repeats as "~2", "~3"); it names the section
    inside its page. `parent` is the slug of the enclosing section, or None directly below the page itself.
    """

    slug: str
    title: str
    heading_path: tuple[str, ...]
    level: int
    span: Span
    parent: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written: its span, its text and its target (relative path, anchor or URL)."""

    span: Span
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document's readable body and its structure; every span refers to `body`.

    `body` is the decoded file as it is, front matter included, so that lines are the file's lines. `language` is what
    the document says about its language, as written ("de", "pt-BR"), or None if it says nothing. `left_out` counts
    what is in the file and not in the body. `readers` are the names of the readers that had a part in it, where its
    content decided which. `read_as` says in words what the file was decoded as; "" for plain UTF-8 and for formats that
    are not text. `aliases` are further names that the document gives itself; `properties` are what it says about
    itself, in the form that filters compare.
    """

    title: str
    body: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: tuple[UnreadPart, ...] = ()
    readers: tuple[str, ...] = ()
    read_as: str = ""
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a document's body, 1-based and inclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk before it has an id.

    `text` is exactly the body's characters at `span`; `context` is added around them (page title, heading path,
    a repeated table header) and must not be quoted. `section` is the section's slug, or None above the first heading.
    `is_row` marks a row of a table that another chunk contains too, `is_properties` what a page says about itself.
    """

    ordinal: int
    section: str | None
    span: Span
    lines: Lines
    text: str
    context: str
    is_row: bool = False
    is_properties: bool = False


_BREAK = re.compile(r"\r\n|\r|\n")


class LineIndex:
    """Where each line begins and ends, as Markdown divides lines; built once per text."""

    def __init__(self, text: str) -> None:
        breaks = [match.span() for match in _BREAK.finditer(text)]
        self._feeds = [end for _, end in breaks if text[end - 1] == "\n"]
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(text)]

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int:
        """The zero-based line of a character offset; a line break belongs to the line that it ends."""
        return bisect_right(self.starts, offset) - 1

    def of(self, span: Span) -> Lines:
        """The same as `lines_of`, without reading the text again."""
        last = max(span.start, span.end - 1)
        return Lines(bisect_right(self._feeds, span.start) + 1, bisect_right(self._feeds, last) + 1)


def lines_of(text: str, span: Span, first: int = 1) -> Lines:
    """The lines of `text`, the first of which has the number `first`, that `span` touches.

    This is how all citations count lines: a line feed ends a line, and nothing else does.
    """
    start = first + text.count("\n", 0, span.start)
    return Lines(start, start + text.count("\n", span.start, max(span.start, span.end - 1)))
