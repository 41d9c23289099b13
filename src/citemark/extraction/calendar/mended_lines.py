"""iCalendar data whose lines a parser takes: components are closed, values of vCalendar 1.0 decoded, texts joined.

Programs forget to fold long texts and to close components, older ones write vCalendar 1.0, and files are cut off. The
parser would refuse all of such a file, or lose the rest of a text.
"""

import quopri
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.extraction.decoding import decode_as
from citemark.model.errors import SkippableSourceError

_PROPERTY = re.compile(
    r"[ \t]*(?:[A-Z][A-Z0-9-]*|[Xx]-[\w-]+|begin|end|uid|summary|description|location|dt[a-z]+|due|rrule|exdate|rdate|"
    r"status|class|url|geo|categories|attendee|organizer|created|last-modified|sequence|priority|transp|trigger|action)"
    r"[;:]"
)
_FRAME = re.compile(r"[ \t]*(BEGIN|END)[ \t]*:[ \t]*([\w-]+)[ \t]*", re.IGNORECASE)
_LONG_TEXT = re.compile(r"[ \t]*(?:DESCRIPTION|COMMENT)[;:]", re.IGNORECASE)
_QUOTED = re.compile(r"(?P<head>[^:\n]*;[ \t]*(?:ENCODING=)?QUOTED-PRINTABLE[^:\n]*):(?P<value>.*)", re.IGNORECASE)
_CHARSET = re.compile(r";CHARSET=\"?([\w.:-]{2,40})\"?", re.IGNORECASE)
_ENCODING = re.compile(r";(?:ENCODING=)?QUOTED-PRINTABLE|;CHARSET=[^;:]*", re.IGNORECASE)
_STUCK = re.compile(
    r"(?P<head>[ \t]*(?:RRULE|EXRULE)(?:;[^:]*)?:)(?P<rule>.*\bINTERVAL[ \t]*=[ \t]*(?:0+|-\d+)(?!\d).*)", re.IGNORECASE
)
"""A rule with an interval below 1, whose dates never get past the first."""


_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE"})
"""Components that are never inside one another."""


@dataclass(frozen=True, slots=True)
class MendedLines:
    """The data, and how many components had no end or no beginning."""

    data: str
    unbalanced: int = 0


def mended_lines(data: str) -> MendedLines:
    """Mend unfolded data. A rule that never advances is put in quotes, which makes it a value that cannot be read."""
    lines = (_STUCK.sub(r'\g<head>"\g<rule>"', line) for line in _joined(_decoded(data.split("\n"))))
    balanced = _Balanced()
    mended = "\n".join(balanced.read(lines))
    return MendedLines(mended, balanced.wrong)


def _decoded(lines: Iterable[str]) -> Iterator[str]:
    """The lines with quoted-printable values in plain; such a value goes on in the next line if it ends with "="."""
    rest = iter(lines)
    for line in rest:
        found = _QUOTED.fullmatch(line)
        if found is None:
            yield line
            continue
        value = found["value"]
        while value.endswith("=") and (following := next(rest, None)) is not None:
            value = value[:-1] + following.lstrip(" \t")
        charset = _CHARSET.search(found["head"])
        plain = _text_of(quopri.decodestring(value.encode("utf-8", "replace")), charset[1] if charset else "")
        yield f"{_ENCODING.sub('', found['head'])}:{_escaped(plain)}"


def _text_of(value: bytes, charset: str) -> str:
    try:
        return decode_as(value, charset)
    except SkippableSourceError:
        return value.decode("utf-8", "replace")


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with those of a long text that was not folded in one."""
    text: str | None = None
    for line in lines:
        if text is not None and line.strip() and not _PROPERTY.match(line):
            text += f"\\n{_escaped(line)}"
            continue
        if text is not None:
            yield text
        text = line if _LONG_TEXT.match(line) else None
        if text is None:
            yield line
    if text is not None:
        yield text


def _escaped(text: str) -> str:
    return re.sub(r"\r\n|\r|\n", r"\\n", re.sub(r"(?<!\\)([,;])", r"\\\1", text))


class _Balanced:
    """Closes components that are open where another entry begins, or at the end, and leaves out stray ends."""

    def __init__(self) -> None:
        self.wrong = 0
        self._open: list[str] = []
        self._names: Counter[str] = Counter()

    def read(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            frame = _FRAME.fullmatch(line)
            if frame is None:
                yield line
                continue
            name = frame[2].upper()
            if frame[1].upper() == "BEGIN":
                while name in _ENTRIES and any(self._names[entry] for entry in _ENTRIES):
                    yield self._close()
                self._open.append(name)
                self._names[name] += 1
                yield line
            elif self._names[name]:
                while self._open[-1] != name:
                    yield self._close()
                self._pop()
                yield line
            else:
                self.wrong += 1
        while self._open:
            yield self._close()
        yield ""

    def _close(self) -> str:
        self.wrong += 1
        return f"END:{self._pop()}"

    def _pop(self) -> str:
        name = self._open.pop()
        self._names[name] -= 1
        return name
