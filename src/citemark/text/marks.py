"""How marks are written that change what a text says: struck-out words, and boxes with and without a tick."""

import re

STRUCK = "~~"
"""Before and after words that are struck out, as in Markdown."""

CHECKED = "\u2611"
EMPTY = "\u2610"

_CHECKED = re.compile(r"(?:^|\s)checked(?![\w-])(?!\s*=\s*[\"'{]?false)", re.IGNORECASE)


def box(*, checked: bool) -> str:
    """A box of a form as a character."""
    return CHECKED if checked else EMPTY


def box_of(attributes: str) -> str:
    """The box of an HTML or MDX tag with these attributes, as they are written."""
    return box(checked=_CHECKED.search(attributes) is not None)
