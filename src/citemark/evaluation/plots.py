"""Line and bar charts as SVG text: self-contained, readable in print, with every value as a tooltip."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 560, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 30, 38
_COLOURS = ("#1f5fa8", "#c2571a", "#3a7d44", "#7a4fa0")
_GRID = 4


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: points (x, y) in the order of x."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axes:
    """What the axes say and how far they reach; both begin at zero. `percent`: y is a share in 0..1."""

    x: str
    y: str
    x_max: float
    y_max: float
    percent: bool = False


def line_chart(series: Sequence[Series], axes: Axes, title: str) -> str:
    """Lines over a common x axis, with a legend when there are several."""
    marks: list[str] = []
    for number, line in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(_x(x, axes), _y(y, axes)) for x, y in line.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        marks.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        marks += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>'
            f"{escape(line.name)}: {_number(at, percent=False)}, {_number(value, percent=axes.percent)}"
            "</title></circle>"
            for (x, y), (at, value) in zip(places, line.points, strict=True)
        ]
    marks += _legend([line.name for line in series])
    return _frame(marks, axes, title, _ticks(axes))


def bar_chart(bars: Sequence[tuple[str, Sequence[float]]], names: Sequence[str], axes: Axes, title: str) -> str:
    """Groups of bars, one group per label, one bar of it per name."""
    marks: list[str] = []
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(bars))
    width = slot * 0.7 / max(1, len(names))
    for group, (label, values) in enumerate(bars):
        start = _LEFT + slot * (group + 0.15)
        for number, value in enumerate(values):
            top = _y(value, axes)
            marks.append(
                f'<rect x="{start + width * number:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{HEIGHT - _BOTTOM - top:.1f}" fill="{_COLOURS[number % len(_COLOURS)]}"><title>'
                f"{escape(label)}, {escape(names[number])}: {_number(value, percent=axes.percent)}</title></rect>"
            )
        marks.append(
            f'<text x="{start + slot * 0.35:.1f}" y="{HEIGHT - _BOTTOM + 16}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    marks += _legend(names)
    return _frame(marks, axes, title, [])


def _legend(names: Sequence[str]) -> list[str]:
    """Names in their colours above the plot; a single one needs none."""
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(names))
    return [
        f'<text x="{_LEFT + slot * number:.0f}" y="14" fill="{_COLOURS[number % len(_COLOURS)]}">'
        f"&#9632; {escape(name)}</text>"
        for number, name in enumerate(names)
        if len(names) > 1
    ]


def _frame(marks: Sequence[str], axes: Axes, title: str, ticks: Sequence[str]) -> str:
    lines: list[str] = []
    for step in range(_GRID + 1):
        value = axes.y_max * step / _GRID
        y = _y(value, axes)
        lines.append(f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        lines.append(
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(value, percent=axes.percent)}</text>'
        )
    names = (
        f'<text x="{(WIDTH + _LEFT) / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">{escape(axes.x)}</text>'
        f'<text x="10" y="{HEIGHT / 2:.0f}" text-anchor="middle" transform="rotate(-90 10 {HEIGHT / 2:.0f})">'
        f"{escape(axes.y)}</text>"
    )
    body = "".join([*lines, *ticks, *marks, names])
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def _ticks(axes: Axes) -> list[str]:
    return [
        f'<text x="{_x(axes.x_max * step / _GRID, axes):.1f}" y="{HEIGHT - _BOTTOM + 16}" text-anchor="middle">'
        f"{_number(axes.x_max * step / _GRID, percent=False)}</text>"
        for step in range(_GRID + 1)
    ]


def _x(value: float, axes: Axes) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value / axes.x_max if axes.x_max else 0.0)


def _y(value: float, axes: Axes) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value / axes.y_max if axes.y_max else 0.0)


def _number(value: float, *, percent: bool) -> str:
    return f"{value:.0%}" if percent else f"{value:,.0f}" if value == int(value) else f"{value:.2f}"
