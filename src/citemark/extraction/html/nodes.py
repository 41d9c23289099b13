"""Nodes of a parsed web page: which are read, where they link to, their text on one line, and the rows of tables."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from citemark.extraction.builder import TextRun, inline
from citemark.extraction.html.looks import around, input_box, look_of, written_look
from citemark.extraction.text_runs import PLAIN, Look

Attributes = Mapping[str, str | None]

TEXT = "-text"

DEEPEST = 150
"""Most nested elements that are walked; anything deeper is read as text without structure."""

BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
     "dl", "dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "footer",
     "hgroup", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "search", "section", "summary", "table",
     "tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)  # fmt: skip

_NEVER_READ = frozenset(
    {"annotation", "annotation-xml", "audio", "button", "canvas", "datalist", "head", "iframe", "input", "link", "map",
     "menu", "meta", "meter", "nav", "noscript", "object", "progress", "rp", "rt", "script", "select", "style", "svg",
     "template", "textarea", "video"}
)  # fmt: skip

_OF_THE_SITE = frozenset({"header", "aside"})

_FURNITURE_ROLES = frozenset(
    {
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "menu",
        "menubar",
        "navigation",
        "search",
        "tablist",
        "toolbar",
    }
)

_FURNITURE_CLASSES = frozenset(
    {"hash-link", "headerlink", "lineno", "linenodiv", "linenos", "mw-editsection", "skip-link"}
)

_OPENED_CLASSES = frozenset(
    {"accordion-body", "accordion-collapse", "accordion-content", "accordion-panel", "collapse", "collapsible-content",
     "panel-collapse", "tab-content", "tab-pane", "tab-panel", "tabbed-content", "tabcontent", "tabpanel", "tabs-panel"}
)  # fmt: skip
"""Classes of the common libraries for what a click on its title shows."""

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_SPACES = re.compile(r"[ \t\r\n\f]+")

_NO_ADDRESS = re.compile(r"\s*(?:javascript|data|vbscript|about|blob):", re.IGNORECASE)

_LEAST_ALT = 2
"""Fewest words of an alternative text; a single one names an icon."""

_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})

_NO_DATA = "table, h1, h2, h3, h4, h5, h6, pre, blockquote, form"

_MOST_SPANNED = 100
"""Most columns or rows that a cell may span; `colspan=9999` means a whole row."""

_MOST_COLUMNS = 256
_MOST_CELLS = 50_000
"""From so many columns of a row and cells of a table on, none spans others: one cell may ask for ten thousand."""

_EACH_CELL_TIMES = 4
"""How many times as many cells a large table may have once its rows are as long as the longest."""

_LEAST_COLUMNS = 2
"""Fewer columns are a list of texts."""

_LONGEST_CELL = 2_000
"""Most characters of a cell; a table with a longer one is used for page layout."""

Row = list[list[TextRun]]


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The child elements and text nodes of a node, in order."""
    child = node.child
    while child is not None:
        tag = child.tag
        if tag == TEXT or (tag and tag[0] not in "-!"):
            yield child
        child = child.next


def is_hidden(attributes: Attributes) -> bool:
    """True for an element that a reader of the page does not see, and cannot see by opening a tab or a fold."""
    return _is_not_shown(attributes) and not _opens(attributes)


def _opens(attributes: Attributes) -> bool:
    """True for what is hidden only because another tab is open, or because a fold is closed."""
    if (attributes.get("role") or "").lower() == "tabpanel" or (
        attributes.get("hidden") or ""
    ).lower() == "until-found":
        return True
    classes = attributes.get("class")
    return classes is not None and not _OPENED_CLASSES.isdisjoint(classes.lower().split())


def _is_not_shown(attributes: Attributes) -> bool:
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    style = attributes.get("style")
    return style is not None and _HIDDEN_STYLE.search(style) is not None


def is_left_out(tag: str, attributes: Attributes, *, in_content: bool) -> bool:
    """True for an element that is hidden, has no words, or belongs to the site.

    Headers and sidebars outside the content belong to the site.
    """
    if tag in _NEVER_READ or tag == "footer" or (tag in _OF_THE_SITE and not in_content):
        return True
    if not attributes:
        return False
    role = attributes.get("role")
    if role is not None and role.lower() in _FURNITURE_ROLES and (tag != "aside" or not in_content):
        return True
    classes = attributes.get("class")
    return (classes is not None and not _FURNITURE_CLASSES.isdisjoint(classes.split())) or is_hidden(attributes)


def target_of(attributes: Attributes, base: str) -> str:
    """The target of a link as written, or resolved if the page names a base address; "" if it is not an address."""
    href = (attributes.get("href") or "").strip()
    if href in {"", "#"} or _NO_ADDRESS.match(href):
        return ""
    try:
        return urljoin(base, href) if base and not href.startswith("#") else href
    except ValueError:
        return ""


def words_of(node: LexborNode, target: str = "", look: Look = PLAIN) -> TextRun:
    """A text node as a run; a line break in the file is a space on the page."""
    return TextRun(_SPACES.sub(" ", node.text_content or ""), target, look)


def image_words(attributes: Attributes) -> str:
    """The alternative text of an image, or "" for icons and ornaments."""
    alt = " ".join((attributes.get("alt") or "").split())
    return alt if len(alt.split()) >= _LEAST_ALT else ""


def pieces_of(node: LexborNode, base: str, target: str = "", depth: int = 0, look: Look = PLAIN) -> list[TextRun]:
    """All text of a node on one line, with its link targets; `depth` is how deeply the node is nested in the page."""
    if depth >= DEEPEST:
        return [TextRun(_SPACES.sub(" ", node.text()), target, look)]
    pieces: list[TextRun] = []
    for child in children(node):
        tag = child.tag or ""
        if tag == TEXT:
            pieces.append(words_of(child, target, look))
            continue
        attributes = child.attributes
        if (shown := input_box(tag, attributes)) and not is_hidden(attributes):
            pieces.append(TextRun(shown, target))
        if is_left_out(tag, attributes, in_content=True):
            continue
        is_separate = tag == "br" or tag in BLOCKS
        if is_separate:
            pieces.append(TextRun(" "))
        if tag == "img":
            pieces.append(TextRun(image_words(attributes), target))
        else:
            inner = (target_of(attributes, base) or target) if tag == "a" else target
            pieces.extend(_inner_pieces(child, base, inner, depth + 1, look_of(child, tag, attributes, look)))
        if is_separate:
            pieces.append(TextRun(" "))
    return pieces


def _inner_pieces(node: LexborNode, base: str, target: str, depth: int, look: Look) -> list[TextRun]:
    """The text of an element, with the signs that a reader sees around a part of a formula."""
    pieces = pieces_of(node, base, target, depth, look)
    if (node.tag or "")[:1] not in "mq":
        return pieces
    before, behind = around(node, node.tag or "")
    return [TextRun(before, target, look), *pieces, TextRun(behind, target, look)]


def preformatted(node: LexborNode, depth: int = 0) -> str:
    """The text of a `pre` with its lines; line numbers beside it are left out."""
    if depth >= DEEPEST:
        return node.text()
    parts: list[str] = []
    for child in children(node):
        tag = child.tag or ""
        if tag == TEXT:
            parts.append(child.text_content or "")
        elif tag == "br":
            parts.append("\n")
        elif not is_left_out(tag, child.attributes, in_content=True):
            parts.append(written_look(tag, preformatted(child, depth + 1), parts[-1][-1:] if parts else ""))
    return "".join(parts)


@dataclass(slots=True)
class HtmlTable:
    """The rows of a table as they are read.

    A cell that spans columns is followed by empty cells; one that spans rows is repeated in each of them, so that every
    row can be read alone.

    Attributes:
        rows: the cells of each row by column.
        across: how many columns a cell covers, if more than one, by row and column.
        cells: how many cells the rows have, those that spans add included.
        marked: how many rows at the top are marked as names of columns; None if the page does not say.
    """

    rows: list[Row] = field(default_factory=list[Row])
    across: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    marked: int | None = None
    cells: int = 0


def table_of(table: LexborNode, base: str) -> HtmlTable | None:
    """A data table, or None for a table used for layout."""
    inside = any(node.mem_id != table.mem_id for node in table.css(_NO_DATA))
    if inside or table.attributes.get("role") in {"presentation", "none"}:
        return None
    found = HtmlTable()
    rows = found.rows
    spanning: dict[int, _Spanning] = {}
    marks: list[bool] = []
    named_rows = 0
    for node, in_head in _row_nodes(table):
        row, headings = _row(node, base, spanning, found)
        if row:
            marks.append(in_head or headings is _Headings.ALL)
            named_rows += headings is _Headings.FIRST
            rows.append(row)
    width = max((len(row) for row in rows), default=0)
    if width < _LEAST_COLUMNS or (found.cells >= _MOST_CELLS and width * len(rows) > _EACH_CELL_TIMES * found.cells):
        return None  # a list of texts, or many short rows under a wide one, which would be filled up to its width
    if any(len(inline(cell).text) > _LONGEST_CELL for row in rows for cell in row):
        return None
    marked = [*marks, False].index(False)
    if marked:
        found.marked = min(marked, max(1, len(rows) - 1))
    elif named_rows == len(rows) and max(map(len, rows)) == _LEAST_COLUMNS:
        found.marked = 0
    return found


def _row_nodes(table: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    for node in children(table):
        if node.tag == "tr":
            yield node, False
        elif node.tag in _ROW_GROUPS:
            for row in children(node):
                if row.tag == "tr":
                    yield row, node.tag == "thead"


class _Headings(Enum):
    """Which cells of a row are marked as headings."""

    NONE = auto()
    FIRST = auto()
    ALL = auto()


@dataclass(frozen=True, slots=True)
class _Spanning:
    """A cell that reaches down from above: how many more rows, what it says, and how many columns it covers."""

    rows: int
    pieces: list[TextRun]
    across: int


def _row(node: LexborNode, base: str, spanning: dict[int, _Spanning], table: HtmlTable) -> tuple[Row, _Headings]:
    """The cells of a row by column, and which are headings; `spanning` holds cells that reach down from above."""
    row: Row = []
    headings: list[bool] = []
    if table.cells >= _MOST_CELLS:
        spanning.clear()
    for cell in children(node):
        tag = cell.tag or ""
        if tag not in {"td", "th"} or is_left_out(tag, cell.attributes, in_content=True):
            continue
        _fill(row, spanning, table)
        attributes = cell.attributes
        pieces = pieces_of(cell, base, look=look_of(cell, tag, attributes, PLAIN))
        spans = len(row) < _MOST_COLUMNS and table.cells < _MOST_CELLS
        across = _spanned(attributes.get("colspan")) if spans else 1
        down = _spanned(attributes.get("rowspan")) if spans else 1
        covered = [pieces, *([] for _ in range(across - 1))]
        if across > 1:
            table.across[len(table.rows), len(row)] = across
        if down > 1:
            spanning.update(
                (len(row) + offset, _Spanning(down - 1, part, 1 if offset else across))
                for offset, part in enumerate(covered)
            )
        row.extend(covered)
        headings.append(tag == "th")
    _fill(row, spanning, table)
    table.cells += len(row)
    if headings and all(headings):
        return row, _Headings.ALL
    return row, _Headings.FIRST if headings and headings[0] else _Headings.NONE


def _fill(row: Row, spanning: dict[int, _Spanning], table: HtmlTable) -> None:
    while len(row) in spanning:
        above = spanning.pop(len(row))
        if above.rows > 1:
            spanning[len(row)] = replace(above, rows=above.rows - 1)
        if above.across > 1:
            table.across[len(table.rows), len(row)] = above.across
        row.append(above.pieces)


def _spanned(value: str | None) -> int:
    text = (value or "").strip()
    return max(1, min(int(text), _MOST_SPANNED)) if text.isascii() and text.isdigit() else 1
