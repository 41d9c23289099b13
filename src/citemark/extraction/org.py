"""Reads Org files: headings, properties, tags and links; the text stays as it is written (Org Syntax, orgmode.org)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from citemark.extraction.markdown.front_matter import Pair, properties_of
from citemark.extraction.markdown.headings import Heading, nested, slugify
from citemark.extraction.markdown.link_scanner import org_links
from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span

_HEADING = re.compile(
    r"(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?(.*?)"
    r"(?:[ \t]+(:[\w@#%:]+:))?[ \t]*$"
)
_KEYWORD = re.compile(r"#\+(\w+):[ \t]*(.*?)[ \t]*$", re.IGNORECASE)
_PROPERTY = re.compile(r"[ \t]*:([\w-]+):[ \t]+(.*?)[ \t]*$")
_DRAWER = re.compile(r"[ \t]*:PROPERTIES:[ \t]*$", re.IGNORECASE)
_END = re.compile(r"[ \t]*:END:[ \t]*$", re.IGNORECASE)
_BEGIN_BLOCK = re.compile(r"[ \t]*#\+BEGIN_(\w+)", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d+[.)])[ \t]")
_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[([^\[\]]+)\])?\]")
_QUOTED = re.compile(r"\"([^\"]+)\"|(\S+)")
_AS_CODE = frozenset({"src", "example", "export", "comment"})
_DEEPEST = 6


def extract_org(body: str, *, fallback_title: str) -> Extracted:
    """Extract an Org file; keywords and the first drawer are its properties, and every line of the file is read."""
    reader = _Reader(body)
    reader.read()
    pairs = tuple(reader.pairs)
    values = {pair.path[0].casefold(): pair.value for pair in pairs}
    tags = [tag for pair in pairs if pair.path[0].casefold() in ("filetags", "tags") for tag in _tags(pair.value)]
    names = [name for pair in pairs if pair.path[0].casefold() in ("roam_aliases", "aliases") for name in _names(pair)]
    blocks = tuple(reader.blocks)
    return Extracted(
        title=values.get("title", "").strip() or fallback_title,
        body=body,
        blocks=blocks,
        sections=nested(body, reader.headings),
        links=org_links(body, [block for block in blocks if block.kind is not BlockKind.CODE]),
        tags=tuple(dict.fromkeys([*tags, *reader.tags])),
        language=values.get("language") or None,
        metadata={key: value for key, value in values.items() if key in ("author", "date", "description") and value},
        aliases=tuple(dict.fromkeys(names)),
        properties=properties_of(pairs),
    )


def org_ids(body: str, name: str = "ID") -> Mapping[str, str]:
    """The ids that an Org file gives to itself and to its headings, each with the slug of its heading, or ""."""
    found: dict[str, str] = {}
    slug = ""
    for line in body.splitlines():
        heading = _HEADING.match(line)
        if heading is not None:
            slug = slugify(_shown(heading[2]).strip() or "-")
        elif (stated := _PROPERTY.match(line)) is not None and stated[1].upper() == name:
            found.setdefault(stated[2].strip().casefold(), slug)
    return found


@dataclass(slots=True)
class _Reader:
    """Walks the lines once."""

    body: str
    blocks: list[Block] = field(default_factory=list[Block])
    headings: list[Heading] = field(default_factory=list[Heading])
    pairs: list[Pair] = field(default_factory=list[Pair])
    tags: list[str] = field(default_factory=list[str])

    def read(self) -> None:
        lines = LineIndex(self.body)
        at = self._head(lines)
        while at < len(lines):
            line = self._line(lines, at)
            heading = _HEADING.match(line)
            if not line.strip():
                at += 1
            elif heading is not None:
                self._heading(lines, at, heading)
                at += 1
            else:
                at = self._block(lines, at, line)

    def _line(self, lines: LineIndex, at: int) -> str:
        return self.body[lines.starts[at] : lines.ends[at]]

    def _add(self, kind: BlockKind, lines: LineIndex, first: int, beyond: int) -> None:
        start, end = lines.starts[first], lines.ends[beyond - 1]
        text = self.body[start:end]
        start += len(text) - len(text.lstrip())
        if text.strip():
            self.blocks.append(Block(kind, Span(start, start + len(text.strip()))))

    def _head(self, lines: LineIndex) -> int:
        """Read the keywords and the drawer at the beginning; returns the line behind them."""
        at = last = 0
        in_drawer = False
        while at < len(lines):
            line = self._line(lines, at)
            if _DRAWER.match(line):
                in_drawer = True
            elif in_drawer and _END.match(line):
                in_drawer = False
            elif (found := (_PROPERTY if in_drawer else _KEYWORD).match(line)) is not None:
                self.pairs.append(Pair((found[1],), _shown(found[2])))
            elif line.strip() and not in_drawer and not line.startswith("# "):
                break
            at += 1
            last = at if line.strip() else last
        if self.pairs:
            self._add(BlockKind.FRONT_MATTER, lines, 0, last)
        return last

    def _heading(self, lines: LineIndex, at: int, found: re.Match[str]) -> None:
        title = _shown(found[2]).strip() or "-"
        self.tags += _tags(found[3] or "")
        start = lines.starts[at]
        self.headings.append(Heading(start, min(_DEEPEST, len(found[1])), title[:200], slugify(title)))
        self._add(BlockKind.HEADING, lines, at, at + 1)

    def _block(self, lines: LineIndex, at: int, line: str) -> int:
        """Read the block that begins on a line; returns the line behind it."""
        begin = _BEGIN_BLOCK.match(line)
        if begin is not None:
            closing = re.compile(rf"[ \t]*#\+END_{re.escape(begin[1])}\b", re.IGNORECASE)
            beyond = next((n for n in range(at + 1, len(lines)) if closing.match(self._line(lines, n))), at) + 1
            code = begin[1].casefold() in _AS_CODE
            self._add(BlockKind.CODE if code else BlockKind.QUOTE, lines, at, beyond)
            return beyond
        table, item = line.lstrip().startswith("|"), _ITEM.match(line) is not None
        beyond = at + 1
        while beyond < len(lines):
            following = self._line(lines, beyond)
            if not following.strip() or _HEADING.match(following) or _BEGIN_BLOCK.match(following):
                break
            if following.lstrip().startswith("|") is not table or (_ITEM.match(following) is not None):
                break
            beyond += 1
        kind = BlockKind.TABLE if table else BlockKind.LIST_ITEM if item else BlockKind.PARAGRAPH
        self._add(kind, lines, at, beyond)
        return beyond


def _tags(text: str) -> Iterator[str]:
    return (tag for tag in re.split(r"[:\s,]+", text) if tag)


def _names(pair: Pair) -> Iterator[str]:
    return (found[1] or found[2] for found in _QUOTED.finditer(pair.value))


def _shown(text: str) -> str:
    """A text with the words of its links instead of their targets."""
    return _LINK.sub(lambda found: found[2] or found[1], text)
