"""Whether an expected answer stands in a quote, whatever the markup and the line breaks."""

import re
from collections.abc import Iterable

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LIST_MARKER = re.compile(r"^[ \t>]*(?:[-+*]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:+-]*-{3}[ \t|:+-]*$", re.MULTILINE)
_MARKS = re.compile(r"[*_`#|>\\~\[\]]+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BORDERS = "  "


def plain(text: str) -> str:
    """The words of `text` with single blanks: no links, tags, list markers, table rules and emphasis."""
    text = _LIST_MARKER.sub("", _RULE.sub(" ", text))
    text = _TAG.sub(" ", _LINK.sub(r"\1", text))
    return " ".join(_MARKS.sub(" ", text).split())


def stands_in(answer: str, quotes: Iterable[str]) -> bool:
    """True when all of `answer`, word by word, stands in one of the quotes."""
    wanted = _tokens(answer)
    return wanted != _BORDERS and any(wanted in _tokens(quote) for quote in quotes)


def _tokens(text: str) -> str:
    """Words and marks between blanks: "4 weeks" is not in "14 weeks", and markup that touches a word is no matter."""
    return f" {' '.join(_TOKEN.findall(plain(text)))} "
