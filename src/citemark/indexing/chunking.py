"""From a page to chunks: spans of its body that fit the embedding model and can be read on their own."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from citemark.embedding.contract import Tokenizer
from citemark.evidence.readable import without_markup
from citemark.indexing.packing import Unit, pack, parts_of, rows_of, units_of
from citemark.indexing.token_counter import TokenCounter
from citemark.model.text import Block, BlockKind, ChunkDraft, Extracted, LineIndex, Section, Span
from citemark.text.markdown import says_nothing
from citemark.text.properties import PropertyLines, property_lines

_BETWEEN = " > "

MAX_TOKENS = 230
"""Word pieces of context and text together; the bundled model reads 256 (ADR 33)."""

_MAX_CONTEXT = 60
"""Word pieces; about a quarter of a chunk, so that the text of the chunk outweighs the headings above it."""

_LEAST_ROOM = 16
"""Word pieces left for the text if a caller allows only small chunks."""

_MOST_ROWS = 200
"""Up to this many rows of a table are passages of their own; a longer table is data and would fill the index."""

_VALUE = r"[ \t]*+:[ \t]*+(?:[>|][+-]?[ \t]*+(?:\r\n|\r|\n)[ \t]*+)?([^\r\n]*\S(?:(?:\r\n|\r|\n)[ \t]++[^\r\n]*\S)*)"
_DESCRIPTION = re.compile(rf"^description{_VALUE}", re.MULTILINE)
_TITLE = re.compile(rf"^title{_VALUE}", re.MULTILINE)

_IN_OTHER_CHUNKS = frozenset({"title", "description"})
"""Properties that are read with every chunk, or are a chunk of their own."""

_DESCRIBES = frozenset({"description"})

_FOR_THE_SITE = frozenset(
    {"id", "slug", "permalink", "layout", "template", "weight", "order", "nav_order", "parent", "icon", "mode"}
    | {"sidebar_position", "sidebar_label", "sidebar", "sidebartitle", "displayed_sidebar", "toc", "draft", "unlisted"}
    | {"hide_title", "hide_table_of_contents", "pagination_next", "pagination_prev", "custom_edit_url", "url", "uid"}
)
"""Properties that tell a site generator how to show a page.

A passage of nothing else is found by its own words, but not by the name of its page, about which it says nothing.
"""


@dataclass(frozen=True, slots=True)
class _Group:
    """The blocks of one section, or those above the first heading."""

    section: Section | None
    blocks: Sequence[Block]
    is_parent: bool


@dataclass(frozen=True, slots=True)
class _Cut:
    section: Section | None
    start: int
    end: int
    context: str
    is_properties: bool = False


def chunk_document(extracted: Extracted, tokenizer: Tokenizer, *, max_tokens: int = MAX_TOKENS) -> list[ChunkDraft]:
    """Every chunk of a page in order.

    A chunk never crosses a section boundary and holds at most `max_tokens` word pieces, including its context. Each
    character of the blocks is in exactly one chunk, except: the title in front matter, headings with nothing but deeper
    headings below them (the context of what is below contains them), and rules and tags without words. The rows of
    tables follow at the end: each is a chunk once more, with the table's header in its context. A page without a word
    is one chunk without text, which is found by its title and path.
    """
    groups = _groups(extracted)
    lines_of_context = [heading_line(extracted.title, group.section) for group in groups]
    body = extracted.body
    measured = tokenizer.offsets([body, heading_line(extracted.title, None), *lines_of_context])
    counter = TokenCounter(body, measured[0])
    most = min(_MAX_CONTEXT, max(0, max_tokens - _LEAST_ROOM))
    top = shortened(heading_line(extracted.title, None), measured[1], most)
    rows: list[_Cut] = []
    beside = max_tokens - min(most, len(measured[1]))
    cuts = _head_cuts(extracted, _DESCRIPTION, counter, top, beside)
    cuts.extend(_property_cuts(extracted, counter, top, beside, alone=not groups and not cuts))
    cuts.sort(key=lambda cut: cut.start)
    for group, line, pieces in zip(groups, lines_of_context, measured[2:], strict=True):
        context = shortened(line, pieces, most)
        room = max_tokens - min(most, len(pieces))
        cuts.extend(_cuts(body, group, counter, context, room))
        rows.extend(_rows(body, group, counter, context, room))
    if not cuts:
        cuts = _head_cuts(extracted, _TITLE, counter, "", max_tokens) or [_Cut(None, 0, 0, top)]
    held = {(cut.start, cut.end) for cut in cuts}
    return _drafts(body, cuts, [row for row in rows if (row.start, row.end) not in held])


def embedded_text(context: str, text: str) -> str:
    """What the embedding model reads of a chunk."""
    words = without_markup(text)
    return f"{context}\n{words}" if context else words


def _cuts(body: str, group: _Group, counter: TokenCounter, context: str, room: int) -> list[_Cut]:
    runs = pack(units_of(body, group.blocks, counter, room), room)
    cuts = [_Cut(group.section, run[0].start, run[-1].end, _with_head(context, run)) for run in runs]
    return [cut for cut in cuts if not says_nothing(body[cut.start : cut.end])] or cuts


def _rows(body: str, group: _Group, counter: TokenCounter, context: str, room: int) -> Iterator[_Cut]:
    """The rows of tables that have a header and more than one row."""
    for block in group.blocks:
        rows = list(rows_of(body, block, counter, room)) if block.kind is BlockKind.TABLE else ()
        if 1 < len(rows) <= _MOST_ROWS:
            yield from (_Cut(group.section, row.start, row.end, _with_head(context, [row])) for row in rows)


def _with_head(context: str, run: Sequence[Unit]) -> str:
    return "\n".join(part for part in (context, run[0].head) if part)


def _drafts(body: str, cuts: Sequence[_Cut], rows: Sequence[_Cut]) -> list[ChunkDraft]:
    lines = LineIndex(body)
    drafts: list[ChunkDraft] = []
    for number, cut in enumerate((*cuts, *rows)):
        text = body[cut.start : cut.end].rstrip()
        span = Span(cut.start, cut.start + len(text))
        slug = cut.section.slug if cut.section else None
        drafts.append(
            ChunkDraft(number, slug, span, lines.of(span), text, cut.context, number >= len(cuts), cut.is_properties)
        )
    return drafts


def _groups(extracted: Extracted) -> list[_Group]:
    sections = extracted.sections
    blocks: list[list[Block]] = [[] for _ in range(len(sections) + 1)]
    at = 0
    for block in extracted.blocks:
        while at < len(sections) and block.span.start >= sections[at].span.start:
            at += 1
        if block.kind is not BlockKind.FRONT_MATTER and len(block.span):
            blocks[at].append(block)
    groups = [
        _Group(
            section=sections[number - 1] if number else None,
            blocks=found,
            is_parent=0 < number < len(sections) and sections[number].parent == sections[number - 1].slug,
        )
        for number, found in enumerate(blocks)
        if found
    ]
    speaking = [group for group in groups if _speaks(extracted.body, group)]
    return speaking or groups


def _speaks(body: str, group: _Group) -> bool:
    """False for a group without words, or whose words are in other chunks anyway."""
    if group.section is not None and not group.is_parent:
        return True
    return any(
        block.kind is not BlockKind.HEADING
        and not (block.kind is BlockKind.MARKUP and says_nothing(block.span.of(body)))
        for block in group.blocks
    )


def _head_cuts(
    extracted: Extracted, key: re.Pattern[str], counter: TokenCounter, context: str, room: int
) -> list[_Cut]:
    """The cuts of a front matter value, as text of its own without its quotes."""
    if not extracted.blocks or extracted.blocks[0].kind is not BlockKind.FRONT_MATTER:
        return []
    value = key.search(extracted.blocks[0].span.of(extracted.body))
    if value is None:
        return []
    before = extracted.blocks[0].span.start
    start, end = before + value.start(1), before + value.end(1)
    quoted = value[1][0] in "\"'" and value[1][-1] == value[1][0] and end - start > 1
    start, end = (start + 1, end - 1) if quoted else (start, end)
    if " ".join(extracted.body[start:end].casefold().split()) in context.casefold():
        return []
    parts = parts_of(start, end, counter, room) if counter.cost(start, end) > room else [Unit(start, end, 1)]
    return [
        _Cut(None, part.start, part.end, context) for part in parts if extracted.body[part.start : part.end].strip()
    ]


def _property_cuts(
    extracted: Extracted, counter: TokenCounter, context: str, room: int, *, alone: bool
) -> Iterator[_Cut]:
    """The cuts of the properties at the head of a page; `alone` if nothing else of the page is a chunk."""
    if not extracted.blocks or extracted.blocks[0].kind is not BlockKind.FRONT_MATTER:
        return
    span = extracted.blocks[0].span
    found = list(property_lines(extracted.body, span.start, span.end))
    apart = _DESCRIBES if alone or _tells_something(found) else _IN_OTHER_CHUNKS
    for run in _property_runs(found, apart):
        if all(lines.key.casefold() in _IN_OTHER_CHUNKS for lines in run):
            continue
        shown = context if alone or _tells_something(run) else ""
        units: list[Unit] = []
        for lines in run:
            cost = counter.cost(lines.span.start, lines.span.end)
            whole = Unit(lines.span.start, lines.span.end, cost)
            units.extend(parts_of(whole.start, whole.end, counter, room) if cost > room else [whole])
        for part in pack(units, room):
            yield _Cut(None, part[0].start, part[-1].end, shown, is_properties=True)


def _tells_something(found: Iterable[PropertyLines]) -> bool:
    """Whether one of the properties says something about what the page is about."""
    return any(lines.key.casefold() not in _IN_OTHER_CHUNKS | _FOR_THE_SITE for lines in found)


def _property_runs(found: Iterable[PropertyLines], apart: Container[str]) -> Iterator[list[PropertyLines]]:
    """The properties in order, parted where one of the keys `apart` is left out."""
    run: list[PropertyLines] = []
    for lines in found:
        if lines.key.casefold() not in apart:
            run.append(lines)
        elif run:
            yield run
            run = []
    if run:
        yield run


def heading_line(title: str, section: Section | None) -> str:
    """The context of a chunk: "Page > H2 > H3"; a first heading that repeats the title is left out."""
    return _BETWEEN.join(_parts(title, section))


def shortened(line: str, offsets: Sequence[tuple[int, int]], most: int) -> str:
    """The line, cut to at most `most` word pieces: each of its parts keeps an equal share of them, from its start."""
    if len(offsets) <= most:
        return line
    parts = line.split(_BETWEEN)
    parts = parts[:1] + parts[1:][-most // 4 :]
    share = max(1, (most - len(parts)) // len(parts))
    kept: list[str] = []
    at = 0
    for part in parts:
        begin = line.index(part, at)
        at = begin + len(part)
        inside = [end for start, end in offsets if begin <= start < at]
        kept.append(line[begin : inside[share - 1]] if len(inside) > share else part)
    return _BETWEEN.join(kept)


def _parts(title: str, section: Section | None) -> list[str]:
    title = " ".join(title.split())
    path = [part for part in (section.heading_path if section else ()) if part]
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    return [part for part in (title, *path) if part]
