"""Turns the characters of a page into runs, and runs into lines in reading order.

The order of the file is kept unless it jumps around too often; then columns and rows are found from the positions of
the runs. All limits are multiples of a line's height, so that they hold for every font size; test_pdf.py has the
layouts that they tell apart.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from citemark.extraction.pdf.pdfium import Characters
from citemark.extraction.pdf.raised_figures import with_places
from citemark.extraction.symbol_fonts import NO_CHARACTER, with_symbols

_STOP = re.compile("[\r\n]+|[ \x02\ufffe\u00ad]")

_LINE_END_HYPHENS = frozenset("\x02\ufffe\u00ad")

_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff\uffff\ud800-\udfff]")

_PRIVATE = re.compile("[\ue000-\uf8ff]")
"""Codes whose character only their font knows."""

_WIDE_GAP = 1.8
"""Line heights of a gap that divides cells or columns; justified text has narrower ones."""


_PRESENTATION_FORMS = (("\ufb00", "\ufdff"), ("\ufe70", "\ufefe"))

_RIGHT_TO_LEFT = frozenset({"R", "AL"})

_DISORDER = 5
"""With one jump in this many runs, or more, the order of the file is not the reading order."""


_LOOK_BACK = 3
"""How many runs back the previous run of the same column is searched for; more columns are rare."""


_SAME_ROW = 0.5
"""Share of the smaller run's height that two runs have in common when they are side by side."""


_CELL_GAP = 1.5
"""Line heights of a gap between two cells."""


_LETTER_GAP = 0.12
"""Line heights of a gap that is a space; kerning leaves narrower ones inside words."""


_GUTTER = 1.0
"""Line heights of the gap between two columns of prose."""


_COLUMN_WIDTH = 12
"""In line heights: anything narrower is cells of a table and not a column of prose."""


_DEEPEST = 40
"""Most nested cuts, which bounds the recursion."""


_MOST_SORTED = 5_000
"""Most runs of a page that are sorted; a page with more is a drawing, whose order cannot be found."""


@dataclass(frozen=True, slots=True)
class PdfRun:
    """Text and its box in points, with y upwards, as the page is shown (its rotation is undone).

    `size` is its font size in points; `hyphen` is True if the line ends inside a word, whose hyphen is in `text`.
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
        """The height of the box in points; it exceeds the font size by the space that the font keeps free."""
        return self.top - self.bottom


def runs_of(characters: Characters) -> list[PdfRun]:
    """The runs of a page in the order of the file."""
    return _RunScanner(characters).read()


class _RunScanner:
    """Walks the characters once, and asks for their boxes only where a run may begin or end."""

    def __init__(self, characters: Characters) -> None:
        self._characters = characters
        self._text = characters.text
        self._runs: list[PdfRun] = []

    def read(self) -> list[PdfRun]:
        start = 0
        for stop in _STOP.finditer(self._text):
            position = stop.start()
            if stop[0] in _LINE_END_HYPHENS:
                self._close(start, position, hyphen=True)
            elif stop[0] == " " and not self._is_wide(start, position):
                continue
            else:
                self._close(start, position)
            start = stop.end()
        self._close(start, len(self._text))
        return self._runs

    def _is_wide(self, start: int, index: int) -> bool:
        """True for a space that PDFium put into a wide gap, between two cells or columns."""
        if index <= start or index + 1 >= len(self._text) or not self._characters.is_generated(index):
            return False
        before, after = self._characters.box(index - 1), self._characters.box(index + 1)
        if before is None or after is None:
            return False
        gap = max(after[0] - before[2], before[0] - after[2])
        return gap > _WIDE_GAP * (before[3] - before[1])

    def _close(self, start: int, end: int, *, hyphen: bool = False) -> None:
        text = self._text[start:end]
        shown = self._with_symbols(with_places(self._characters, start, end), start, end)
        cleaned = " ".join(_modern(_NO_TEXT.sub(NO_CHARACTER, shown.replace("\ufeff", ""))).split())
        if not cleaned:
            return
        first = start + len(text) - len(text.lstrip())
        last = start + len(text.rstrip()) - 1
        indexes = range(first, last + 1) if _is_right_to_left(text) else (first, last)
        boxes = [box for box in map(self._characters.box, indexes) if box is not None]
        if not boxes:
            return
        left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
        bottom, top = min(box[1] for box in boxes), max(box[3] for box in boxes)
        size = self._characters.size((first + last) // 2) or top - bottom
        self._runs.append(PdfRun(f"{cleaned}-" if hyphen else cleaned, left, bottom, right, top, size, hyphen))

    def _with_symbols(self, text: str, start: int, end: int) -> str:
        """The text with the pictures of symbol fonts as characters; bullets remain what programs write for them."""
        if text.isascii() or _PRIVATE.search(text) is None:
            return text
        first = next(index for index in range(start, end) if _PRIVATE.match(self._text[index]))
        font = self._characters.font(first)
        return _PRIVATE.sub(lambda found: with_symbols(found[0], font), text)


def _modern(text: str) -> str:
    """Replace ligatures and the shapes of Arabic letters by the letters that they stand for."""
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


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Runs side by side: the whole line, and its cells (more than one if wide gaps divide it)."""

    whole: PdfRun
    cells: tuple[PdfRun, ...]


def lines_of(runs: Sequence[PdfRun]) -> list[PdfLine]:
    """Combine the runs of one page into lines."""
    lines: list[PdfLine] = []
    for run in _in_reading_order(runs):
        line = lines[-1] if lines else None
        if line is None or line.whole.hyphen or not _beside(line.cells[-1], run):
            lines.append(PdfLine(run, (run,)))
            continue
        last = line.cells[-1]
        gap = max(run.left - last.right, last.left - run.right)
        whole = _joined(line.whole, run, gap)
        if gap > _CELL_GAP * last.height:
            lines[-1] = PdfLine(whole, (*line.cells, run))
        else:
            lines[-1] = PdfLine(whole, (*line.cells[:-1], _joined(last, run, gap)))
    return lines


def overlap(one: PdfRun, other: PdfRun) -> float:
    """The share of the narrower run's width that is above or below the other run, from 0 to 1."""
    shared = min(one.right, other.right) - max(one.left, other.left)
    return max(0.0, shared) / max(0.01, min(one.right - one.left, other.right - other.left))


def _in_reading_order(runs: Sequence[PdfRun]) -> Sequence[PdfRun]:
    """Keep the file's order, unless it climbs within a column or leaps between columns of prose too often."""
    if len(runs) > _MOST_SORTED:
        return runs
    climbs = sum(_climbs(runs, index) for index in range(1, len(runs)))
    leaps = sum(_level(one, other) and _is_prose([one, other]) for one, other in pairwise(runs))
    return _cut(list(runs), 0) if (climbs + leaps) * _DISORDER >= max(1, len(runs) - 1) else runs


def _climbs(runs: Sequence[PdfRun], index: int) -> bool:
    """True if a run is above the previous run of its column."""
    run = runs[index]
    for earlier in reversed(runs[max(0, index - _LOOK_BACK) : index]):
        if overlap(earlier, run) > _SAME_ROW:
            return run.bottom > earlier.top - earlier.height / 2
    return False


def _cut(runs: list[PdfRun], depth: int) -> list[PdfRun]:
    """Order runs by recursive cuts (XY-cut): into columns of prose first, else into the rows of the page."""
    if len(runs) > 1 and depth < _DEEPEST:
        columns = _gap_groups(
            runs, key=lambda run: (run.left, run.right), least=_GUTTER * median(r.height for r in runs)
        )
        if len(columns) > 1 and all(map(_is_prose, columns)):
            return [run for column in columns for run in _cut(column, depth + 1)]
        bands = _gap_groups(runs, key=lambda run: (-run.top, -run.bottom), least=median(r.height for r in runs))
        if len(bands) > 1:
            return [run for band in bands for run in _cut(band, depth + 1)]
    return _by_rows(runs)


def _gap_groups(
    runs: list[PdfRun], *, key: Callable[[PdfRun], tuple[float, float]], least: float
) -> list[list[PdfRun]]:
    """Divide runs into groups along one axis, wherever there is a gap of at least `least`."""
    groups: list[list[PdfRun]] = []
    reach = 0.0
    for run in sorted(runs, key=key):
        start, end = key(run)
        if not groups or start - reach >= least:
            groups.append([])
            reach = end
        groups[-1].append(run)
        reach = max(reach, end)
    return groups


def _by_rows(runs: list[PdfRun]) -> list[PdfRun]:
    rows: list[list[PdfRun]] = []
    for run in sorted(runs, key=lambda run: -(run.top + run.bottom)):
        if rows and _level(rows[-1][0], run):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [run for row in rows for run in sorted(row, key=lambda run: run.left)]


def _is_prose(column: list[PdfRun]) -> bool:
    return len(column) > 1 and median((run.right - run.left) / max(0.01, run.height) for run in column) >= _COLUMN_WIDTH


def _level(one: PdfRun, other: PdfRun) -> bool:
    shared = min(one.top, other.top) - max(one.bottom, other.bottom)
    return shared >= _SAME_ROW * max(0.01, min(one.height, other.height))


def _beside(last: PdfRun, run: PdfRun) -> bool:
    slack = last.height * _SAME_ROW
    return _level(last, run) and (run.left >= last.right - slack or run.right <= last.left + slack)


def _joined(last: PdfRun, run: PdfRun, gap: float) -> PdfRun:
    between = " " if gap > _LETTER_GAP * last.height else ""
    return PdfRun(
        last.text + between + run.text,
        min(last.left, run.left),
        min(last.bottom, run.bottom),
        max(last.right, run.right),
        max(last.top, run.top),
        last.size if len(last.text) >= len(run.text) else run.size,
        run.hyphen,
    )
