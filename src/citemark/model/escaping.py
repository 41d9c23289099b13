"""Foreign text and names made safe to print between words of ours: nothing in them can pass for ours.

A document may hold lines that read like hits of a search, a file name may hold a line break, and both may hold controls
that move a cursor or turn the direction of writing. What identifies (a citation's fields, a quotation to check) is kept
as it is; only what is shown goes through here.
"""

import re

MARK = "> "
"""Begins each line of quoted text; no text can end the quotation, because each of its own lines gets one too."""

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks, embeddings, overrides and isolates: they change the order in which the characters around them are read."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_IN_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIRECTIONS = re.compile(f"[{_BIDI}]")

_PICTURES = 0x2400
_DELETE = 0x7F
_SPACE = 0x20
_OTHERS = {_DELETE: "\u2421", 0x85: "\u2424", 0x2028: "\u2424", 0x2029: "\u2424"}
"""Pictures of the controls outside of the block U+2400: DELETE, and other characters that break a line."""


def one_line(name: str) -> str:
    """A title, path, heading or file name on one line, with its controls as pictures and directions spelled out."""
    return _directed(_CONTROLS.sub(_picture, name))


def visible(text: str) -> str:
    """A text whose lines and tabs are kept, with all that would steer a terminal or turn its writing made visible."""
    return _directed(_CONTROLS_IN_TEXT.sub(_picture, text))


def marked(text: str) -> list[str]:
    """The lines of a quoted text, each behind `MARK`. Words stay as they are, directions too: they end with a line."""
    return [f"{MARK}{_CONTROLS_IN_TEXT.sub(_picture, line)}" for line in text.splitlines()]


def _directed(text: str) -> str:
    return _DIRECTIONS.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < _SPACE:
        return chr(_PICTURES + code)
    return _OTHERS.get(code, "\ufffd")
