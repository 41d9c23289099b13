"""Runs to lines in reading order: the file's order where it is one, else the order of the eye."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from citemark.extraction.pdf_runs import Run

_DISORDER = 5
_LOOK_BACK = 3
_SAME_ROW = 0.5
_CELL_GAP = 1.5
_LETTER_GAP = 0.12
_GUTTER = 1.0
_COLUMN_WIDTH = 12
_DEEPEST = 40
_MOST_SORTED = 5_000


@dataclass(frozen=True, slots=True)
class Line:
    """What stands side by side: the whole, and its cells (more than one where wide gaps part it)."""

    whole: Run
    cells: tuple[Run, ...]


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """The lines of one page's runs."""
    lines: list[Line] = []
    for run in _in_reading_order(runs):
        line = lines[-1] if lines else None
        if line is None or line.whole.hyphen or not _beside(line.cells[-1], run):
            lines.append(Line(run, (run,)))
            continue
        last = line.cells[-1]
        gap = max(run.left - last.right, last.left - run.right)
        whole = _joined(line.whole, run, gap)
        if gap > _CELL_GAP * last.height:
            lines[-1] = Line(whole, (*line.cells, run))
        else:
            lines[-1] = Line(whole, (*line.cells[:-1], _joined(last, run, gap)))
    return lines


def overlap(one: Run, other: Run) -> float:
    """How much of the narrower one's width lies over or under the other one: 0 to 1."""
    shared = min(one.right, other.right) - max(one.left, other.left)
    return max(0.0, shared) / max(0.01, min(one.right - one.left, other.right - other.left))


def _in_reading_order(runs: Sequence[Run]) -> Sequence[Run]:
    """The file's order, unless it climbs within a column or leaps between columns of prose too often."""
    if len(runs) > _MOST_SORTED:
        return runs
    climbs = sum(_climbs(runs, at) for at in range(1, len(runs)))
    leaps = sum(_level(one, other) and _is_prose([one, other]) for one, other in pairwise(runs))
    return _cut(list(runs), 0) if (climbs + leaps) * _DISORDER >= max(1, len(runs) - 1) else runs


def _climbs(runs: Sequence[Run], at: int) -> bool:
    """True when a run stands above the last one of its column that came before it."""
    run = runs[at]
    for earlier in reversed(runs[max(0, at - _LOOK_BACK) : at]):
        if overlap(earlier, run) > _SAME_ROW:
            return run.bottom > earlier.top - earlier.height / 2
    return False


def _cut(runs: list[Run], depth: int) -> list[Run]:
    """Order by recursive cuts (XY-cut): columns of prose first, else the rows of the page."""
    if len(runs) > 1 and depth < _DEEPEST:
        columns = _parted(runs, key=lambda run: (run.left, run.right), least=_GUTTER * median(r.height for r in runs))
        if len(columns) > 1 and all(map(_is_prose, columns)):
            return [run for column in columns for run in _cut(column, depth + 1)]
        bands = _parted(runs, key=lambda run: (-run.top, -run.bottom), least=median(r.height for r in runs))
        if len(bands) > 1:
            return [run for band in bands for run in _cut(band, depth + 1)]
    return _by_rows(runs)


def _parted(runs: list[Run], *, key: Callable[[Run], tuple[float, float]], least: float) -> list[list[Run]]:
    """Groups along one axis, between which there is a gap of at least `least`."""
    groups: list[list[Run]] = []
    reach = 0.0
    for run in sorted(runs, key=key):
        start, end = key(run)
        if not groups or start - reach >= least:
            groups.append([])
            reach = end
        groups[-1].append(run)
        reach = max(reach, end)
    return groups


def _by_rows(runs: list[Run]) -> list[Run]:
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: -(run.top + run.bottom)):
        if rows and _level(rows[-1][0], run):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [run for row in rows for run in sorted(row, key=lambda run: run.left)]


def _is_prose(column: list[Run]) -> bool:
    return len(column) > 1 and median((run.right - run.left) / max(0.01, run.height) for run in column) >= _COLUMN_WIDTH


def _level(one: Run, other: Run) -> bool:
    shared = min(one.top, other.top) - max(one.bottom, other.bottom)
    return shared >= _SAME_ROW * max(0.01, min(one.height, other.height))


def _beside(last: Run, run: Run) -> bool:
    slack = last.height * _SAME_ROW
    return _level(last, run) and (run.left >= last.right - slack or run.right <= last.left + slack)


def _joined(last: Run, run: Run, gap: float) -> Run:
    between = " " if gap > _LETTER_GAP * last.height else ""
    return Run(
        last.text + between + run.text,
        min(last.left, run.left),
        min(last.bottom, run.bottom),
        max(last.right, run.right),
        max(last.top, run.top),
        last.size if len(last.text) >= len(run.text) else run.size,
        run.hyphen,
    )
