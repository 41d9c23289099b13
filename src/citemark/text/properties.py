"""Properties as documents write them: lines of a key and its value, each with the lines that continue it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from citemark.model.text import Span

Properties: TypeAlias = Mapping[str, tuple[str, ...]]
"""The values of each property as they are compared: keys and values in one case, nested keys joined by dots."""

_KEY_LINE = re.compile(
    r"(?P<indent>[ \t]*+)(?:#\+|:)?(?P<key>\"[^\"\r\n]{1,80}\"|'[^'\r\n]{1,80}'|\w[\w $./@-]{1,79}?)[ \t]*"
    r"(?::(?=[ \t\r\n]|$)|=(?=[ \t]))|(?P<table>\[\[?[\w.\"' -]{1,80}\]\]?[ \t]*$)",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_GOES_ON = re.compile(r"[ \t]|[-\]}#][ \t,]*|[\r\n]|$")
"""How a line below a key begins that belongs to the key: indented, an entry of a list, a closing bracket, a comment."""

_LEAST = 2
"""Fewer lines of a key and a value may be a sentence with a colon."""

_LONGEST_TEXT = 4_000
"""Characters: no passage is longer, and whole files need not be tried."""

_WIKI_VALUE = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]$")
_TIME_OF_DAY = re.compile(r"(\d{4}-\d\d-\d\d)[t ]\d\d?:\d\d.*$")
_SHORT_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")


@dataclass(frozen=True, slots=True)
class PropertyLines:
    """The lines of one property: its key as written, without quotes, and the span of its lines."""

    key: str
    span: Span


def property_lines(text: str, start: int, stop: int) -> Iterator[PropertyLines]:
    """The properties between two positions, in order; comments belong to the one above them, or to the first."""
    written = text[start:stop]
    begin = start + len(written) - len(written.lstrip())
    key, base = "", -1
    for line in _LINE.finditer(text, start, stop):
        found = _KEY_LINE.match(text, line.start(), stop)
        if found is None:
            continue
        indent = len(found["indent"] or "")
        if base < 0 or indent <= base:
            if base >= 0:
                yield PropertyLines(key, _trimmed(text, begin, line.start()))
                begin = line.start() + indent
            key, base = (found["key"] or found["table"]).strip("\"'[] \t"), indent if base < 0 else base
    if text[begin:stop].strip():
        yield PropertyLines(key, _trimmed(text, begin, stop))


def properties_alone(text: str) -> list[PropertyLines]:
    """The properties of a text that consists of nothing else; empty for any other text."""
    if len(text) > _LONGEST_TEXT or _KEY_LINE.match(text) is None:
        return []
    found = list(property_lines(text, 0, len(text)))
    if len(found) < _LEAST:
        return []
    for each in found:
        _, *below = each.span.of(text).splitlines()
        if not all(map(_GOES_ON.match, below)):
            return []
    return found


def comparable(text: str) -> str:
    """A key or value as it is compared: in one case, one form of its letters, and with single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def asked_for(pairs: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The values that each key is to have, from pairs such as "status=done"; those of one key are alternatives.

    Raises:
        ValueError: a pair has no key or no value.
    """
    wanted: dict[str, dict[str, None]] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if not comparable(key) or not comparable(value):
            raise ValueError(pair)
        wanted.setdefault(comparable(key), {})[comparable(value)] = None
    return tuple((key, tuple(values)) for key, values in wanted.items())


def compared(value: str) -> tuple[str, ...]:
    """The forms of a value by which it can be asked for: as written, the page that it links to, the day of a time."""
    whole = comparable(value)
    forms = [whole]
    if (page := _WIKI_VALUE.match(whole)) is not None:
        forms.append(page[1].strip())
    if (moment := _TIME_OF_DAY.match(whole)) is not None:
        forms.append(moment[1])
    if (day := _SHORT_DAY.match(whole)) is not None:
        forms.append(f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}")
    return tuple(dict.fromkeys(form for form in forms if form))


def _trimmed(text: str, start: int, end: int) -> Span:
    return Span(start, start + len(text[start:end].rstrip()))
