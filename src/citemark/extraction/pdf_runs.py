"""One page of a PDF to runs: text on one line, without a wide gap, and where it stands."""

import re
import unicodedata
from dataclasses import dataclass

from citemark.extraction.pdf_file import Characters

_STOP = re.compile("[\r\n]+|[ \x02\ufffe\u00ad]")
_LINE_END_HYPHENS = frozenset("\x02\ufffe\u00ad")
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff\uffff\ud800-\udfff]")
_WIDE_GAP = 1.8
_PRESENTATION_FORMS = (("\ufb00", "\ufdff"), ("\ufe70", "\ufefe"))
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


@dataclass(frozen=True, slots=True)
class Run:
    """Text and its box in points, y upwards, as the page is shown (its rotation is undone).

    `size` is the size of its font in points; `hyphen` says that the line ends inside a word, whose hyphen is in `text`.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    hyphen: bool = False

    @property
    def height(self) -> float:
        """Of the box, in points; larger than the size by what the font keeps free."""
        return self.top - self.bottom


def runs_of(characters: Characters) -> list[Run]:
    """The runs of a page in the order of the file."""
    return _Reader(characters).read()


class _Reader:
    """Walks the characters once; asks for boxes only where a run may begin or end."""

    def __init__(self, characters: Characters) -> None:
        self._characters = characters
        self._text = characters.text
        self._runs: list[Run] = []

    def read(self) -> list[Run]:
        start = 0
        for stop in _STOP.finditer(self._text):
            at = stop.start()
            if stop[0] in _LINE_END_HYPHENS:
                self._close(start, at, hyphen=True)
            elif stop[0] == " " and not self._is_wide(start, at):
                continue
            else:
                self._close(start, at)
            start = stop.end()
        self._close(start, len(self._text))
        return self._runs

    def _is_wide(self, start: int, index: int) -> bool:
        """True for a blank that stands for a gap between two cells or columns."""
        if index <= start or index + 1 >= len(self._text) or not self._characters.is_generated(index):
            return False
        before, after = self._characters.box(index - 1), self._characters.box(index + 1)
        if before is None or after is None:
            return False
        gap = max(after[0] - before[2], before[0] - after[2])
        return gap > _WIDE_GAP * (before[3] - before[1])

    def _close(self, start: int, end: int, *, hyphen: bool = False) -> None:
        text = self._text[start:end]
        said = " ".join(_modern(_NO_TEXT.sub("", text)).split())
        if not said:
            return
        first = start + len(text) - len(text.lstrip())
        last = start + len(text.rstrip()) - 1
        wanted = range(first, last + 1) if _is_right_to_left(text) else (first, last)
        boxes = [box for box in map(self._characters.box, wanted) if box is not None]
        if not boxes:
            return
        left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
        bottom, top = min(box[1] for box in boxes), max(box[3] for box in boxes)
        size = self._characters.size((first + last) // 2) or top - bottom
        self._runs.append(Run(f"{said}-" if hyphen else said, left, bottom, right, top, size, hyphen))


def _modern(text: str) -> str:
    """Ligatures and the shapes of Arabic letters as the letters they stand for."""
    if text.isascii():
        return text
    return "".join(
        unicodedata.normalize("NFKC", letter)
        if any(low <= letter <= high for low, high in _PRESENTATION_FORMS)
        else letter
        for letter in text
    )


def _is_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in text)
