r"""Characters that nobody sees and a model reads, and how they are shown: `<U+E0041>` in place of U+E0041.

Unicode's default-ignorable code points have no shape of their own. A few are needed: a joiner inside an emoji or
between letters of Arabic, Persian or an Indic script, a selector after a symbol, a mark of direction beside a letter
that is written from right to left. All others can carry a text that a reader of the document never sees. The text that
is stored keeps all of them, and so do its offsets; what is decided here is only what is shown.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""The code points with the property Default_Ignorable_Code_Point (DerivedCoreProperties.txt, the same from Unicode 14
to 17), in the form of a regular expression's class."""

DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks, embeddings, overrides and isolates: they change the order in which the characters around them are read."""

HIDDEN_NOTE = (
    "A passage or a name holds hidden characters: <U+...> gives the number of one that a reader of the document does "
    "not see."
)
"""What a result says in which any are shown."""

_ANNOTATIONS = "\ufff9-\ufffb"
"""Delimiters of text that is left out of what is shown; they are not among the ignorable, and no less hidden."""

_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The only flags that emoji write with tags (RGI_Emoji_Tag_Sequence): England, Scotland and Wales."""

_HIDDEN = re.compile(f"(?P<flag>{_FLAGS})|[{IGNORABLE}{_ANNOTATIONS}]")
_DIRECTIONS = re.compile(f"[{DIRECTIONS}]")
_SPELLED = re.compile(r"<U\+([0-9A-F]{4,6})>")
_AMBIGUOUS = re.compile(r"<(?=U\+[0-9A-F]{4,6}>)")

_SOFT_HYPHEN = "\u00ad"
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_MARKS_OF_DIRECTION = frozenset("\u200e\u200f\u061c")
_PRESENTATIONS = frozenset("\ufe0e\ufe0f")
_MONGOLIAN = frozenset("\u180b\u180c\u180d\u180f")
_KEYCAP = "\u20e3"

_JOINED = re.compile(
    "[\u0600-\u085f\u0860-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1807-\u18aa\ua840-\ua877\ufb50-\ufdff\ufe70-\ufefc]"
)
"""Scripts in which joiners choose the shape of a letter: Arabic to N'Ko and Mandaic, those of India, Burmese, Khmer."""

_MODIFIED = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")
"""What may stand between an emoji and the joiner to the next: its presentation, and the tones of skin."""

_SIGNS = frozenset("\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d")
"""Emoji that Unicode does not count as symbols, or that stand among Latin signs."""

_FIRST_SYMBOL = 0x2190
_PICTOGRAPHS = range(0x1F000, 0x1FB00)
"""Includes those of later versions of Unicode than this Python knows."""

_VIRAMA = 9
"""The combining class of the sign that takes an Indic consonant its vowel."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The place of a hidden character in a text, and what is shown there: its number, or nothing."""

    at: int
    shown: str


def hidden_in(text: str) -> Iterator[Hidden]:
    """The hidden characters of a text, without those that a script or an emoji needs, in order.

    A soft hyphen inside a word, which is a place to break the line, is shown as nothing.
    """
    if text.isascii():
        return
    for found in _HIDDEN.finditer(text):
        at = found.start()
        if found["flag"] or _is_needed(text, at):
            continue
        inside_word = text[at] == _SOFT_HYPHEN and at > 0 and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()
        yield Hidden(at, "" if inside_word else _spelled(text[at]))


def revealed(text: str) -> str:
    """A text as it is shown: hidden characters as their numbers."""
    parts: list[str] = []
    at = 0
    for hidden in hidden_in(text):
        parts += [text[at : hidden.at], hidden.shown]
        at = hidden.at + 1
    return "".join([*parts, text[at:]]) if at else text


def with_directions_revealed(text: str) -> str:
    """A text among words of ours: no character in it may turn the direction of writing, even if its script needs it."""
    return text if text.isascii() else revealed(_DIRECTIONS.sub(lambda found: _spelled(found[0]), text))


def revealed_name(name: str) -> str:
    """A name that identifies something, as it is shown; `meant_name` finds the name in it."""
    unambiguous = _AMBIGUOUS.sub(_spelled("<"), name)
    soft_shown = unambiguous.replace(_SOFT_HYPHEN, _spelled(_SOFT_HYPHEN))
    return revealed(soft_shown)


def meant_name(shown: str) -> str:
    """The name that was shown as this one, or that is written as it is."""
    return _SPELLED.sub(_meant, shown) if "<U+" in shown else shown


def hidden_as_json_escapes(document: str) -> str:
    """A JSON document that says the same, with hidden characters in its strings as escapes."""
    if document.isascii():
        return document
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], document)


def shown_as_it_is(document: str) -> bool:
    """Whether nothing in a text or in JSON, not as escapes, is shown in another way, not even where it names something.

    False also for characters that a script or an emoji needs, which only a look at each place tells.
    """
    return "<U+" not in document and (document.isascii() or _HIDDEN.search(document) is None)


def holds_hidden(text: str) -> bool:
    """Whether any character of a text is shown as its number."""
    return any(hidden.shown for hidden in hidden_in(text))


def _meant(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    char = chr(code) if code <= 0x10FFFF else ""  # noqa: PLR2004 - the last code point
    return char if char == "<" or (char and _HIDDEN.fullmatch(char)) else found[0]


def _spelled(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _is_needed(text: str, at: int) -> bool:
    """Whether a script or an emoji needs the character between its neighbours; of several in a row, none is needed."""
    char, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char in _PRESENTATIONS:
        return _is_symbol(before) or (before != "" and before in "#*0123456789" and after == _KEYCAP)
    if char == _JOINER and _is_pictograph(after) and _joins_from(text, at):
        return True
    if char in (_JOINER, _NON_JOINER):
        return _is_joined(before) and (_is_joined(after) or char == _JOINER or unicodedata.combining(before) == _VIRAMA)
    if char in _MARKS_OF_DIRECTION:
        alone = not any(neighbour and _HIDDEN.fullmatch(neighbour) for neighbour in (before, after))
        return alone and (_is_right_to_left(before) or _is_right_to_left(after))
    return _shapes_letters(char, before, after)


def _shapes_letters(char: str, before: str, after: str) -> bool:
    """Whether a Mongolian letter has its form from the character, or an old Korean syllable is complete with it."""
    of_mongolian = "\u1820" <= before <= "\u18aa"
    if char in _MONGOLIAN:
        return of_mongolian
    if char == "\u180e":
        return of_mongolian and "\u1820" <= after <= "\u18aa"
    if char == "\u115f":
        return "\u1161" <= after <= "\u11a7"
    return char == "\u1160" and "\u1100" <= before <= "\u115e" and "\u11a8" <= after <= "\u11ff"


def _joins_from(text: str, at: int) -> bool:
    """Whether the character before a joiner, its presentation and tone aside, is an emoji."""
    before = at - 1
    while before > 0 and at - before <= 2 and _MODIFIED.fullmatch(text[before]):  # noqa: PLR2004 - a tone and a selector
        before -= 1
    return before >= 0 and _is_pictograph(text[before])


def _is_pictograph(char: str) -> bool:
    return bool(char) and (ord(char) in _PICTOGRAPHS or _is_symbol(char))


def _is_symbol(char: str) -> bool:
    if not char:
        return False
    if char in _SIGNS or ord(char) in _PICTOGRAPHS:
        return True
    return ord(char) >= _FIRST_SYMBOL and unicodedata.category(char) in {"So", "Sm"}


def _is_joined(char: str) -> bool:
    is_of_script = bool(char) and _JOINED.fullmatch(char) is not None
    return is_of_script and unicodedata.category(char)[0] in "LM" and _HIDDEN.fullmatch(char) is None


def _is_right_to_left(char: str) -> bool:
    return bool(char) and unicodedata.bidirectional(char) in {"R", "AL"} and char not in _MARKS_OF_DIRECTION
