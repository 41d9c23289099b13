"""HTML and JSX tags that stand on lines of their own, as MDX pages use them."""

import re

_OPEN = re.compile(r"</?([A-Za-z][\w.-]*)(?=[\s/>{]|$)|</?>")
_COMPONENT = re.compile(r"[A-Z][\w.-]*[a-z.]|[a-z][\w-]*\.")
_STOP = re.compile(r"[\"'{}>]|(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_BLANK = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_BLOCK_NAMES = re.compile(
    r"(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    r"fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|"
    r"li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|"
    r"tfoot|th|thead|title|tr|track|ul)$",
    re.IGNORECASE,
)
_SILENT = re.compile(
    r"</?[\w.-]*+(?:\s++(?:class|className|id|style|cols|key|align|data-[\w-]++)\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|\{[^{}]*+\}))*+\s*+/?>"
)


def tag_name(stripped: str) -> str | None:
    """The name of the tag that a line begins with ("" for a fragment), None when it begins with none."""
    match = _OPEN.match(stripped)
    return None if match is None else match[1] or ""


def is_component(name: str) -> bool:
    """True for the names of JSX components, which only MDX has."""
    return _COMPONENT.match(name) is not None


def is_block(name: str) -> bool:
    """True for tags that part paragraphs (CommonMark's list, and every component)."""
    return not name or _BLOCK_NAMES.match(name) is not None or is_component(name)


def tag_end(body: str, start: int) -> tuple[int, bool]:
    """Where the tag at `start` ends: past its `>`, or at the first blank line when it is never closed.

    Quotes and braces hide a `>`; a value may run over lines.
    """
    depth = 0
    at = start + 1
    while True:
        stop = _STOP.search(body, at)
        if stop is None:
            return len(body), False
        mark = stop[0]
        at = stop.end()
        if mark in "\"'":
            close = body.find(mark, at)
            blank = _BLANK.search(body, at, close if close >= 0 else len(body))
            if close < 0 or blank is not None:
                return (len(body) if blank is None else blank.start()), False
            at = close + 1
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        elif mark != ">":
            return stop.start(), False
        elif depth <= 0:
            return at, True


def says_nothing(markup: str) -> bool:
    """True for markup that holds neither text nor an attribute that a reader would see."""
    rest = _SILENT.sub("", markup)
    return not rest.strip("-*_|: \t\r\n")
