"""Converts pages of Markdown and MDX to text with spans, and their front matter to metadata."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from citemark.extraction.markdown.blocks import read_blocks
from citemark.extraction.markdown.headings import sections_of
from citemark.extraction.markdown.link_scanner import links_of
from citemark.model.markdown import front_matter_of
from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span

_PAIR = re.compile(r"^([A-Za-z][\w-]{0,60})[ \t]*:[ \t]+([^\r\n]+)", re.MULTILINE)

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

_LONGEST_VALUE = 2_000
"""Most characters of a value; a description is a paragraph at most."""


_MOST_KEYS = 64
"""Most keys that are kept, which bounds the metadata of a page."""


_DEEPEST = 32
"""Deepest nesting that is walked. Nested values are left out in any case; this stops at a bomb of brackets."""


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
        blocks.insert(0, Block(BlockKind.FRONT_MATTER, Span(0, len(head.span.of(body).rstrip()))))
    else:
        head = FrontMatter(Span(0, 0))
    top = next((section.title for section in sections if section.level == 1 and section.title), "")
    return Extracted(
        title=head.values.get("title", "").strip() or top or fallback_title,
        body=body,
        blocks=tuple(blocks),
        sections=sections,
        links=links_of(body, blocks),
        language=head.values.get("lang") or head.values.get("language") or None,
        tags=tuple(dict.fromkeys((*head.words("tags"), *head.words("keywords")))),
        metadata={key: value for key, value in head.values.items() if key not in _NOT_METADATA and value},
    )


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of a page's front matter: single values and flat lists, as written; nested ones are left out."""

    span: Span
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def words(self, key: str) -> tuple[str, ...]:
        """The separate words of a list, or of a string with commas."""
        listed = self.lists.get(key) or tuple(self.values.get(key, "").strip("[]").split(","))
        return tuple(word for word in (part.strip().strip("'\"") for part in listed) if word)


def read_front_matter(body: str) -> FrontMatter | None:
    """The front matter of a page, or None if it has none. YAML that does not parse is read line by line."""
    bounds = front_matter_of(body)
    if bounds is None:
        return None
    text, span = body[bounds.start : bounds.stop], Span(0, bounds.end)
    try:
        values, lists = _read(text)
    except yaml.YAMLError:
        pairs = _PAIR.findall(text.replace("\r", "\n"))[:_MOST_KEYS]
        return FrontMatter(span, {key: value.strip().strip("'\"")[:_LONGEST_VALUE] for key, value in pairs})
    return FrontMatter(span, values, lists)


def _read(text: str) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Walk the parser's events: aliases are never followed, so that a YAML bomb does not expand."""
    reader = _TopLevelValues()
    for event in yaml.parse(text, Loader=_LOADER):
        if len(reader.values) + len(reader.lists) >= _MOST_KEYS or reader.depth > _DEEPEST:
            break
        reader.take(event)
    return reader.values, reader.lists


class _TopLevelValues:
    """Keeps the values at depth one, and lists of single values below it."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.depth = 0
        self._key: str | None = None
        self._items: list[str] = []

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self.depth += 1
                self._items = []
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.depth -= 1
                if self.depth == 1:
                    self._end(is_list=isinstance(event, yaml.SequenceEndEvent))
            case yaml.ScalarEvent():
                self._scalar(" ".join(event.value.split())[:_LONGEST_VALUE])
            case yaml.AliasEvent() if self.depth == 1:
                self._key = None
            case _:
                pass

    def _scalar(self, value: str) -> None:
        if self.depth > 1:
            self._items.append(value)
        elif self.depth == 1 and self._key is None:
            self._key = value
        elif self._key is not None:
            self.values[self._key] = value
            self._key = None

    def _end(self, *, is_list: bool) -> None:
        if is_list and self._items and self._key is not None:
            self.lists[self._key] = tuple(self._items)
        self._key = None
