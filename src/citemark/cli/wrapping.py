"""Lines for a terminal, broken between words where the terminal would break them anywhere."""

import re
import textwrap

_LEAST_WIDTH = 40
"""In a narrower terminal, lines are left to it: broken ones would hold a word each."""


def wrapped(text: str, width: int) -> str:
    """The text with lines of at most `width` characters; a longer word stays whole, and further lines are indented."""
    return text if width < _LEAST_WIDTH else "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = re.match(r"[ \t]*", line)
    further = (indent[0] if indent else "") + "  "
    return textwrap.fill(
        line,
        width,
        subsequent_indent=further,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
