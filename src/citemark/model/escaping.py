"""Makes foreign text and names safe to print among our own words: nothing in them can pass for our output.

A document may contain lines that look like search hits, a file name may contain a line break, and both may contain
control characters that move the cursor or reverse the direction of writing. Values that identify something (a
citation's fields, a quotation to check) are kept as they are; only text that is displayed goes through here.
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
"""Pictures of the characters that are not at U+2400 plus their code: DELETE, and other characters that break a line."""


def one_line(name: str) -> str:
    """A title, path, heading or file name on one line, with controls as pictures and direction marks spelled out."""
    return _with_directions_visible(_CONTROLS.sub(_picture, name))


def visible(text: str) -> str:
    """A text with its lines and tabs kept, and everything that steers a terminal or turns the writing made visible."""
    return _with_directions_visible(_CONTROLS_IN_TEXT.sub(_picture, text))


def marked(text: str) -> list[str]:
    """The lines of a quoted text, each after `MARK`.

    Words are kept as they are, and so are direction marks: their effect ends with the line.
    """
    return [f"{MARK}{_CONTROLS_IN_TEXT.sub(_picture, line)}" for line in text.splitlines()]


def _with_directions_visible(text: str) -> str:
    return _DIRECTIONS.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < _SPACE:
        return chr(_PICTURES + code)
    return _OTHERS.get(code, "\ufffd")
