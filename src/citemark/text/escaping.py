"""Makes foreign text and names safe to print among our own words: nothing in them can pass for our output.

A document may contain lines that look like search hits, a file name may contain a line break, and both may contain
control characters that move the cursor or reverse the direction of writing. Which characters nobody would see is
decided in `hidden`. Values that identify something (a citation's fields, a quotation to check) are kept as they are;
only text that is displayed goes through here.
"""

import re

from citemark.text.hidden import revealed, with_directions_revealed

MARK = "> "
"""Begins each line of quoted text; no text can end the quotation, because each of its own lines gets one too."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_IN_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_PICTURES = 0x2400
_DELETE = 0x7F
_SPACE = 0x20
_OTHERS = {_DELETE: "\u2421", 0x85: "\u2424", 0x2028: "\u2424", 0x2029: "\u2424"}
"""Pictures of the characters that are not at U+2400 plus their code: DELETE, and other characters that break a line."""


def one_line(name: str) -> str:
    """A title, path, heading or file name on one line, with controls as pictures and what nobody sees spelled out."""
    return with_directions_revealed(_CONTROLS.sub(_picture, name))


def visible(text: str) -> str:
    """A text with its lines and tabs kept, and what steers a terminal, turns the writing or hides made visible."""
    return with_directions_revealed(_CONTROLS_IN_TEXT.sub(_picture, text))


def marked(text: str) -> list[str]:
    """The lines of a quoted text, each after `MARK`.

    Words are kept as they are, and so are marks of direction that their script needs: their effect ends with the line.
    """
    return [f"{MARK}{_CONTROLS_IN_TEXT.sub(_picture, line)}" for line in revealed(text).splitlines()]


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < _SPACE:
        return chr(_PICTURES + code)
    return _OTHERS.get(code, "\ufffd")
