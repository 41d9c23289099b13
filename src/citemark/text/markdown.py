"""The line grammar of Markdown and MDX: what a single line is, judged without its surrounding white space.

These rules divide pages into blocks when they are indexed, and passages into spans when they are quoted. They are those
of CommonMark 0.31 and of GitHub's tables, together with the tags and statements of MDX.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?[ \t]+[^\W\d_a-z].*[^.,;:!?\s]$")
_LONGEST_TITLE = 80
"""Characters: longer numbered lines are sentences that begin with a number."""

_UNDERLINE = re.compile(r"(?:=+|-+)$")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}$")
_RULE_MARKS = frozenset("-*_")
_LONGEST_RULE = 1_000
"""Characters: on a line of marks that ends in something else, the expression takes quadratic time."""

_ONLY_TAGS = re.compile(r"(?:<[^<>]*>\s*)+$")
_TITLED_TAG = re.compile(r"<[^<>]*\stitle=", re.IGNORECASE)
_LIST_MARKER = re.compile(r"([-+*]|\d{1,9}[.)])(?:([ \t]+)|$)")
_PROSE_MARKER = re.compile(r"([•‣◦▪●○]|[a-z]\))([ \t]+)")
_DELIMITER_ROW = re.compile(r"\|?+[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?$")
_CELL_BAR = re.compile(r"(?<!\\)\|")
_MODULE_STATEMENT = re.compile(
    r"import\s++(?:['\"{*]|[\w$,][\w$,{}\s*]*\sfrom\s)|export\s++(?:const|let|var|default|function|async|class|[*{])"
)
_QUOTE_MARKS = "> \t"

_FIRST_KEY = re.compile(
    r"(?:[ \t]*+(?:#[^\n]*+)?+\n)*+ {0,3}"
    r"(?:\"[^\"\n]++\"|'[^'\n]++'|[\w$.:/@][\w$.:/@-]*(?: [\w$./@-]+){0,3})[ \t]*+:(?=[ \t\n])"
)
"""The first line that is neither blank nor a comment. Where it is no key, the dashes above it are a thematic break."""

_FIRST_TOML_KEY = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?+\n)*+[ \t]*+(?:[\w.\"'-]++[ \t]*+=|\[)")
_FIRST_JSON_KEY = re.compile(r"\s*+\"[^\"\n]++\"[ \t]*+:")

_LONGEST_FRONT_MATTER = 32_768
"""Characters: more than any page needs. A rule at the top of a long page must not turn the page into front matter."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens fenced code: its run of backticks or tildes, and what it says about the language."""

    mark: str
    info: str

    def is_closed_by(self, line: str) -> bool:
        """Whether a line closes the code: at least as many of the same marks, and nothing else."""
        return line.startswith(self.mark) and not line.strip(self.mark[0])


def fence_at(line: str, at: int = 0) -> Fence | None:
    """The fence that begins at position `at` of a line, or None if there is none."""
    match = _FENCE.match(line, at)
    if match is None:
        return None
    return Fence(match[1], match[2].strip()) if match[1] else Fence(match[3], match[4].strip())


def is_heading(line: str) -> bool:
    """True for a heading that begins with number signs."""
    return _HEADING.match(line) is not None


def is_numbered_heading(line: str) -> bool:
    """True for a line of plain text like "4.2 Valve settings": a number with two or more levels, and not a sentence."""
    return len(line) <= _LONGEST_TITLE and _NUMBERED.match(line) is not None


def is_underline(line: str) -> bool:
    """True for a line that makes the line above it a heading."""
    return _UNDERLINE.match(line) is not None


def is_rule(line: str, at: int = 0) -> bool:
    """True if the line is a thematic break from position `at` on."""
    return line[at : at + 1] in _RULE_MARKS and len(line) < _LONGEST_RULE and _RULE.match(line, at) is not None


def list_marker(line: str, at: int = 0) -> re.Match[str] | None:
    """The bullet or number that begins a list item: group 1 is the mark, group 2 the white space after it, if any."""
    return _LIST_MARKER.match(line, at)


def prose_marker(line: str) -> re.Match[str] | None:
    """The same as `list_marker` for the other markers of plain text: typographic bullets and letters."""
    return _PROSE_MARKER.match(line)


def is_delimiter_row(line: str) -> bool:
    """True for the line of dashes below the header of a table."""
    return line[:1] in {"|", ":", "-"} and _DELIMITER_ROW.match(line) is not None


def is_table_header(line: str, below: str) -> bool:
    """True for a row of cells above a delimiter row with the same number of columns."""
    return "|" in line and is_delimiter_row(below) and _columns(line) == _columns(below)


def is_module_statement(line: str) -> bool:
    """True for an MDX `import` or `export`; it counts only where a block may begin."""
    return _MODULE_STATEMENT.match(line) is not None


def unquoted(line: str) -> str:
    """A line without its indentation and the marks that quote it."""
    return line.lstrip(_QUOTE_MARKS)


FrontMatterForm = Literal["yaml", "toml", "json"]


@dataclass(frozen=True, slots=True)
class FrontMatterPlace:
    """Where the properties between the two lines around them start and stop, and where the closing line ends."""

    start: int
    stop: int
    end: int
    form: FrontMatterForm = "yaml"


_FRONT_MATTER: Mapping[FrontMatterForm, tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]] = MappingProxyType(
    {
        "yaml": (
            re.compile(r"---[ \t]*+(?:\r\n|\r|\n)"),
            _FIRST_KEY,
            re.compile(r"^(?:---|\.\.\.)[ \t]*+$", re.MULTILINE),
        ),
        "toml": (
            re.compile(r"\+\+\+[ \t]*+(?:\r\n|\r|\n)"),
            _FIRST_TOML_KEY,
            re.compile(r"^\+\+\+[ \t]*+$", re.MULTILINE),
        ),
        "json": (
            re.compile(r"\{[ \t]*+(?:\r\n|\r|\n)"),
            _FIRST_JSON_KEY,
            re.compile(r"^\}[ \t]*+$", re.MULTILINE),
        ),
    }
)
"""For each form: the line that opens it, what its first line of content looks like, and the line that closes it."""


def front_matter_of(body: str, *forms: FrontMatterForm) -> FrontMatterPlace | None:
    """The position of a page's front matter, or None if it has none; text between two rules is none.

    Args:
        body: the text from the beginning of the page.
        forms: those that are looked for; without any, YAML and TOML, since a passage of data may look like the third.
    """
    for form in forms or ("yaml", "toml"):
        opening, first, closing = _FRONT_MATTER[form]
        head = opening.match(body)
        if head is None:
            continue
        # `$` and `^` recognise only LF; the replacement keeps the length, so that offsets stay valid.
        limited = body[: _LONGEST_FRONT_MATTER + 8].replace("\r\n", " \n").replace("\r", "\n")
        close = closing.search(limited, head.end())
        if close is not None and first.match(limited, head.end(), close.start()) is not None:
            return FrontMatterPlace(head.end(), close.start(), close.end(), form)
    return None


def _columns(row: str) -> int:
    cells = row.removeprefix("|")
    bars = len(_CELL_BAR.findall(cells))
    return bars if cells.endswith("|") and not cells.endswith("\\|") else bars + 1


_OPEN_TAG = re.compile(r"</?([A-Za-z][\w.-]*)(?=[\s/>{]|$)|</?>")
_COMPONENT = re.compile(r"[A-Z][\w.-]*[a-z.]|[a-z][\w-]*\.")
_TAG_STOP = re.compile(r"[\"'{}>]|(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_BLOCK_TAGS = re.compile(
    r"(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    r"fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|"
    r"li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|"
    r"tfoot|th|thead|title|tr|track|ul)$",
    re.IGNORECASE,
)
_SILENT_TAG = re.compile(
    r"</?[\w.-]*+(?:\s++(?:class|className|id|style|cols|key|align|data-[\w-]++)\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|\{[^{}]*+\}))*+\s*+/?>"
)


def tag_name(stripped: str) -> str | None:
    """The name of the tag that a line begins with ("" for a fragment), or None if it begins with no tag."""
    match = _OPEN_TAG.match(stripped)
    return None if match is None else match[1] or ""


def is_component(name: str) -> bool:
    """True for the names of JSX components, which only MDX has."""
    return _COMPONENT.match(name) is not None


def is_block(name: str) -> bool:
    """True for tags that separate paragraphs (CommonMark's list, and every component)."""
    return not name or _BLOCK_TAGS.match(name) is not None or is_component(name)


def tag_end(body: str, start: int) -> tuple[int, bool]:
    """Where the tag at `start` ends, and whether it is closed.

    A closed tag ends after its `>`, any other at the first blank line or at the end of the text. A `>` inside quotes or
    braces does not count, and a value may span several lines.
    """
    depth = 0
    position = start + 1
    while True:
        stop = _TAG_STOP.search(body, position)
        if stop is None:
            return len(body), False
        mark = stop[0]
        position = stop.end()
        if mark in "\"'":
            close = body.find(mark, position)
            blank = _BLANK_LINE.search(body, position, close if close >= 0 else len(body))
            if close < 0 or blank is not None:
                return (len(body) if blank is None else blank.start()), False
            position = close + 1
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        elif mark != ">":
            return stop.start(), False
        elif depth <= 0:
            return position, True


def says_nothing(markup: str) -> bool:
    """True for markup that contains neither text nor an attribute that a reader would see."""
    rest = _SILENT_TAG.sub("", markup)
    return not rest.strip("-*_|: \t\r\n")


def is_only_tags(line: str) -> bool:
    """True for a line that consists of complete tags and has no text."""
    return line.startswith("<") and _ONLY_TAGS.match(line) is not None


_INLINE_TAGS = re.compile(
    r"(?:a|abbr|b|bdi|bdo|br|button|cite|code|data|del|dfn|em|font|i|img|input|ins|kbd|label|mark|meter|picture|q|s|samp|"
    r"small|source|span|strike|strong|sub|sup|svg|time|u|var|video|audio|wbr)$",
    re.IGNORECASE,
)
_WHOLE_TAG = re.compile(r"</?([A-Za-z][\w.-]*)(?:\s[^<>]*)?/?>$")


def is_markup(tag: str) -> bool:
    """True for an HTML or MDX tag that shows nothing itself; `<T>`, `<name@example.org>` and titled tags are text."""
    match = _WHOLE_TAG.match(tag)
    if match is None or is_titled_tag(tag):
        return False
    return is_block(match[1]) or _INLINE_TAGS.match(match[1]) is not None


def is_titled_tag(line: str) -> bool:
    """True for a line whose tag has a title, which readers see as a heading."""
    return _TITLED_TAG.match(line) is not None
