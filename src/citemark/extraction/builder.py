"""Builds documents whose text has to be written out; body, blocks, sections and links grow together.

The text is Markdown ("# " before headings, bars between cells), so that passages of all formats are cut, quoted and
shown by the same rules. The other data that formats store (runs of text, titles, keywords) is cleaned here too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citemark.extraction.markdown.headings import Heading, nested, slugify
from citemark.extraction.markdown.link_scanner import links_of
from citemark.extraction.noise import LEAST_NOISE, placeholders
from citemark.extraction.text_runs import TextRun, written
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Block, BlockKind, Extracted, Link, Span
from citemark.model.unread_parts import UnreadPart, added_up

NO_TEXT = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\ufeff\ufffe\uffff\ud800-\udfff]")

_NO_CHARACTER = re.compile("[\ufffe\uffff\ud800-\udfff]")
"""Codes of which no reader knows the character; that there is one must be seen."""

_LONGEST_TEXT = 200
"""Most characters of a link's text that are kept with its span."""

_LONGEST_TARGET = 2048
"""Most characters of an address; browsers and servers rarely accept longer ones."""

MOST_CHARACTERS = 20_000_000
"""Most characters of a body, which bounds the time and memory of all later steps.

The body and the metadata say what was left out.
"""

_MOST_BLOCKS = 200_000
"""Most blocks of one document, for the same reason; a book of a thousand pages has about 20,000."""

_DEEPEST_HEADING = 6
"""The deepest heading level in Markdown."""

_LONGEST_TITLE = 200
"""Most characters of a title; a longer one is a paragraph in the wrong field."""

_INDENT = "  "

_DEEPEST_ITEM = 20
"""Most levels of indentation that are written out; malformed files nest lists thousands of levels deep."""

_FENCES = re.compile("`{3,}")

_WRITTEN_OUT = re.compile(r"(?:https?|mailto):", re.IGNORECASE)

_FROM_A_PROGRAM = re.compile(
    r"microsoft (?:word|powerpoint|excel)\b.*|(?:powerpoint presentation|word document|untitled|unbenannt|"
    r"ohne titel|sans titre|sin título|senza titolo|document|dokument|presentation|präsentation|title|titel|slide|"
    r"folie)[\s\d()-]*",
    re.IGNORECASE,
)

_FILE_NAME = re.compile(r"\S+\.\w{2,5}", re.IGNORECASE)

_LEAST_LETTERS = 3
"""Titles with fewer letters are numbers and codes that programs wrote."""

_BETWEEN_TAGS = re.compile(r"[,;\n]")

_MOST_TAGS = 50
"""Most keywords of a file that are kept."""


@dataclass(frozen=True, slots=True)
class InlineText:
    """Clean text; the spans of the links refer to it."""

    text: str
    links: tuple[Link, ...] = ()


RunsOrText = str | Sequence[TextRun]


@dataclass(frozen=True, slots=True)
class _PendingSection:
    """A section that begins with the next block."""

    title: str
    slug: str
    level: int
    path: tuple[str, ...] | None


class Builder:
    """Takes the parts of a document in reading order. Empty parts, and sections without any part, are left out."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._links: list[Link] = []
        self._headings: list[Heading] = []
        self._pending: _PendingSection | None = None
        self._cuts: list[str] = []
        self._left_out: list[UnreadPart] = []

    @property
    def full(self) -> bool:
        """Whether the builder takes no more parts, so that the reader may stop."""
        return self._length >= MOST_CHARACTERS or len(self._blocks) >= _MOST_BLOCKS

    @property
    def empty(self) -> bool:
        """Whether nothing was added yet."""
        return not self._blocks

    def section(self, title: str, *, slug: str = "", level: int = 1, path: tuple[str, ...] | None = None) -> None:
        """Open a section that does not begin with a heading in the text, such as a page or a sheet.

        Args:
            title: The title of the section.
            slug: The last part of its slug; made from the title when empty.
            level: 1 or more; a section with a lower number contains the following ones with higher numbers.
            path: Its heading path, if that differs from the titles of the sections around it.
        """
        title = inline(title).text[:_LONGEST_TITLE].strip()
        self._pending = _PendingSection(title, slug or slugify(title), max(1, level), path)

    def heading(self, content: RunsOrText, level: int, *, title: str = "", slug: str = "") -> None:
        """Open a section with its heading; pass `title` and `slug` if they differ from the heading's text."""
        text = inline(content)
        if text.text:
            self.section(title or text.text, slug=slug, level=level)
            self._add(BlockKind.HEADING, f"{'#' * min(max(1, level), _DEEPEST_HEADING)} ", text)

    def paragraph(self, content: RunsOrText, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """Add a block of text; a heading that is added this way does not open a section."""
        self._add(kind, "", inline(content, breaks=True))

    def item(self, content: RunsOrText, *, depth: int = 0, marker: str = "-") -> None:
        """Add a list item; `depth` is the number of lists around its own list."""
        self._add(BlockKind.LIST_ITEM, f"{_INDENT * min(depth, _DEEPEST_ITEM)}{marker} ", inline(content))

    def code(self, text: str, language: str = "") -> None:
        """Add preformatted text between fences, keeping its lines and indentation."""
        lines = [line.rstrip() for line in NO_TEXT.sub("", text).expandtabs(4).splitlines()]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        if lines and not self.full:
            fence = "`" * max(3, 1 + max((len(run) for run in _FENCES.findall("\n".join(lines))), default=0))
            self._write(BlockKind.CODE, "", InlineText("\n".join([f"{fence}{language}", *lines, fence])))

    def table(self, rows: Sequence[Sequence[RunsOrText]], *, header: bool = True) -> None:
        """Add a table, one line per row; with `header`, the first row is repeated wherever the table has to be cut."""
        cells = [[inline(cell, in_cell=True) for cell in row] for row in rows]
        columns = _used_columns(cells)
        lines = [[row[column] if column < len(row) else InlineText("") for column in columns] for row in cells]
        lines = [row for row in lines if any(cell.text for cell in row)]
        if not lines:
            return
        table, links = "", list[Link]()
        head = ""
        parts: list[str] = []
        length = 0
        for number, row in enumerate(lines):
            line, row_links = _write_row(row, length)
            links.extend(row_links)
            if number == 0 and header and len(lines) > 1:
                line = head = f"{line}\n|{' --- |' * len(columns)}"
            parts.append(line)
            length += len(line) + 1
        table = "\n".join(parts)
        self._add(BlockKind.TABLE, "", InlineText(table, tuple(links)), head)

    def cut(self, reason: str) -> None:
        """Note in the text and in the metadata what was left out because it exceeds a limit."""
        self._cuts.append(reason)
        self._write(BlockKind.PARAGRAPH, "", inline(f"[{reason}]"))

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count parts of the file that are not in the text; `kind` is in the singular, such as "hidden row"."""
        if count > 0:
            self._left_out.append(UnreadPart(kind, count))

    def finish(
        self,
        *,
        title: str,
        nothing: str,
        tags: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
        language: str | None = None,
        read_as: str = "",
    ) -> Extracted:
        """Finish the document and return it.

        Raises:
            SkippableSourceError: the document has no text; `nothing` is the message.
        """
        if not self._blocks:
            raise SkippableSourceError(nothing)
        if self.full:
            self.cut(f"The text goes on: only its first {self._length:,} characters are read.")
        body = "".join(self._parts)
        entries = {key: value for key, value in (metadata or {}).items() if value}
        if self._cuts:
            entries["truncated"] = " ".join(self._cuts)
        return Extracted(
            title=title,
            body=body,
            blocks=tuple(self._blocks),
            sections=nested(body, self._headings),
            links=self._all_links(body),
            tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
            language=language,
            metadata=entries,
            left_out=added_up(self._left_out),
            read_as=read_as,
        )

    def _add(self, kind: BlockKind, prefix: str, text: InlineText, head: str = "") -> None:
        if text.text and not self.full:
            self._write(kind, prefix, text, head)

    def _write(self, kind: BlockKind, prefix: str, text: InlineText, head: str = "") -> None:
        if self._blocks:
            in_list = kind is self._blocks[-1].kind is BlockKind.LIST_ITEM and self._pending is None
            self._put("\n" if in_list else "\n\n")
        if not text.links and len(text.text) > LEAST_NOISE:
            text = InlineText(placeholders(text.text))
        start = self._length
        if self._pending is not None:
            section = self._pending
            self._headings.append(Heading(start, section.level, section.title, section.slug, section.path))
            self._pending = None
        self._put(prefix + text.text)
        self._blocks.append(Block(kind, Span(start, self._length), head))
        self._links.extend(_moved(link, start + len(prefix)) for link in text.links)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _all_links(self, body: str) -> tuple[Link, ...]:
        """The links that the format stores, and the addresses that only appear in the text."""
        found = list(self._links)
        stored = iter(self._links)
        nearest = next(stored, None)
        for link in links_of(body, self._blocks):
            while nearest is not None and nearest.span.end <= link.span.start:
                nearest = next(stored, None)
            free = nearest is None or link.span.end <= nearest.span.start
            if free and _WRITTEN_OUT.match(link.target):
                found.append(link)
        return tuple(sorted(found, key=lambda link: link.span))


def _used_columns(rows: Sequence[Sequence[InlineText]]) -> list[int]:
    """The columns in which at least one row has text."""
    used = {column for row in rows for column, cell in enumerate(row) if cell.text}
    return sorted(used)


def _write_row(cells: Sequence[InlineText], offset: int) -> tuple[str, list[Link]]:
    """Return a row as text between bars, and its links moved to where the row begins."""
    links: list[Link] = []
    parts: list[str] = []
    position = 2
    for cell in cells:
        links.extend(_moved(link, offset + position) for link in cell.links)
        parts.append(cell.text)
        position += len(cell.text) + 3
    return f"| {' | '.join(parts)} |", links


def _moved(link: Link, by: int) -> Link:
    return replace(link, span=Span(link.span.start + by, link.span.end + by))


def inline(content: str | Sequence[TextRun], *, breaks: bool = False, in_cell: bool = False) -> InlineText:
    """Join runs into clean text: collapse white space, drop control characters, merge adjacent links to one target.

    Args:
        content: A text, or its runs in order.
        breaks: Keep line breaks (as a single newline) instead of turning them into spaces.
        in_cell: Escape the bars that would end a table's cell.
    """
    parts: list[str] = []
    links: list[Link] = []
    length, gap, open_target = 0, "", ""
    for piece in [TextRun(content)] if isinstance(content, str) else written(content):
        core, before, after = _cleaned(piece.text, breaks)
        if in_cell:
            core = core.replace("|", "\\|")
        gap = "\n" if "\n" in gap + before else gap or before
        if not core:
            gap = "\n" if "\n" in gap + after else gap or after
            continue
        if parts and gap:
            parts.append(gap)
            length += 1
        start = length
        parts.append(core)
        length += len(core)
        gap = after
        target = piece.target.strip()[:_LONGEST_TARGET]
        if target and target == open_target:
            start = links.pop().span.start
        if target:
            links.append(Link(Span(start, length), "", target))
        open_target = target
    text = "".join(parts)
    return InlineText(text, tuple(Link(link.span, _link_text(text, link.span), link.target) for link in links))


def _cleaned(text: str, breaks: bool) -> tuple[str, str, str]:
    """The clean text of a run, and the white space before and after it, each as "", a newline or a space."""
    if text.isprintable():  # the only white space is then the space, and nothing has to be dropped
        core = " ".join(text.split()) if "  " in text else text.strip()
        return core, " " if text[:1] == " " else "", " " if text[-1:] == " " else ""
    raw = NO_TEXT.sub("", _NO_CHARACTER.sub("\ufffd", text))
    return _collapsed(raw, breaks), *_edges(raw, breaks)


def _collapsed(raw: str, breaks: bool) -> str:
    if not breaks:
        return " ".join(raw.split())
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.splitlines())))


def _edges(raw: str, breaks: bool) -> tuple[str, str]:
    """The white space before and after a run, each as "", a newline or a space."""
    return _edge(raw[: len(raw) - len(raw.lstrip())], breaks), _edge(raw[len(raw.rstrip()) :], breaks)


def _edge(space: str, breaks: bool) -> str:
    if not space:
        return ""
    return "\n" if breaks and space.splitlines() != [space] else " "


def _link_text(text: str, span: Span) -> str:
    return " ".join(span.of(text)[:_LONGEST_TEXT].split())


def sensible_title(stored: str) -> str:
    """The title in a file's properties, or "" if a program chose it and not an author."""
    title = " ".join(stored.replace("\x00", " ").split())[:_LONGEST_TITLE]
    letters = sum(map(str.isalpha, title))
    if letters < _LEAST_LETTERS or _FROM_A_PROGRAM.fullmatch(title) or _FILE_NAME.fullmatch(title):
        return ""
    return title


def tags_of(keywords: str) -> tuple[str, ...]:
    """The separate keywords in a file's properties."""
    parts = (" ".join(part.replace("\x00", " ").split()) for part in _BETWEEN_TAGS.split(keywords))
    return tuple(dict.fromkeys(part for part in parts if part))[:_MOST_TAGS]
