"""Charts of lines and of bars, with their axes."""

from collections.abc import Sequence
from dataclasses import dataclass

from citemark.text.svg import SIDE_BY_SIDE, drawing, element, points, text, title

WIDTH, HEIGHT = 560, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 30, 38
_GRID = 4
"""Horizontal lines: quarters read well for shares and counts."""


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: points (x, y) in the order of x."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axes:
    """The labels of the axes and how far they reach; both begin at zero, and `percent` means y is a share in 0..1."""

    x: str
    y: str
    x_max: float
    y_max: float
    percent: bool = False


def line_chart(series: Sequence[Series], axes: Axes, name: str) -> str:
    """Lines over a common x axis, with a legend when there are several."""
    marks: list[str] = []
    for number, line in enumerate(series):
        colour = _colour(number)
        places = [(_x(x, axes), _y(y, axes)) for x, y in line.points]
        marks.append(element("polyline", points=points(places), fill="none", stroke=colour, stroke_width=2))
        for (x, y), (x_value, y_value) in zip(places, line.points, strict=True):
            said = f"{line.name}: {_number(x_value, percent=False)}, {_number(y_value, percent=axes.percent)}"
            marks.append(element("circle", title(said), cx=x, cy=y, r=3, fill=colour))
    ticks = (axes.x_max * step / _GRID for step in range(_GRID + 1))
    marks += [_below(_number(value, percent=False), _x(value, axes)) for value in ticks]
    return _chart([*marks, *_legend([line.name for line in series])], axes, name)


def bar_chart(bars: Sequence[tuple[str, Sequence[float]]], names: Sequence[str], axes: Axes, name: str) -> str:
    """Groups of bars: one group per label, with one bar per name."""
    marks: list[str] = []
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(bars))
    width = slot * 0.7 / max(1, len(names))
    for group, (label, values) in enumerate(bars):
        start = _LEFT + slot * (group + 0.15)
        for number, value in enumerate(values):
            top = _y(value, axes)
            said = title(f"{label}, {names[number]}: {_number(value, percent=axes.percent)}")
            place = {"x": start + width * number, "y": top, "width": width, "height": HEIGHT - _BOTTOM - top}
            marks.append(element("rect", said, **place, fill=_colour(number)))
        marks.append(_below(label, start + slot * 0.35))
    return _chart([*marks, *_legend(names)], axes, name)


def _below(label: str, x: float) -> str:
    """A label of the x axis."""
    return text(label, x, HEIGHT - _BOTTOM + 16, text_anchor="middle")


def _legend(names: Sequence[str]) -> list[str]:
    """The names in their colours above the plot; a single name needs no legend."""
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(names))
    return [
        text(f"\u25a0 {name}", _LEFT + slot * number, 14, fill=_colour(number))
        for number, name in enumerate(names)
        if len(names) > 1
    ]


def _chart(marks: Sequence[str], axes: Axes, name: str) -> str:
    """The marks over the horizontal lines of the grid, with the names of the axes."""
    grid: list[str] = []
    for step in range(_GRID + 1):
        value = axes.y_max * step / _GRID
        y = _y(value, axes)
        grid.append(element("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y, class_="grid"))
        grid.append(text(_number(value, percent=axes.percent), _LEFT - 6, y + 4, text_anchor="end"))
    names = (
        text(axes.x, (WIDTH + _LEFT) / 2, HEIGHT - 4, text_anchor="middle"),
        text(axes.y, 10, HEIGHT / 2, text_anchor="middle", transform=f"rotate(-90 10 {HEIGHT // 2})"),
    )
    return drawing(name, (0, 0, WIDTH, HEIGHT), (*grid, *marks, *names), aria_label=name)


def _colour(number: int) -> str:
    return SIDE_BY_SIDE[number % len(SIDE_BY_SIDE)]


def _x(value: float, axes: Axes) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value / axes.x_max if axes.x_max else 0.0)


def _y(value: float, axes: Axes) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value / axes.y_max if axes.y_max else 0.0)


def _number(value: float, *, percent: bool) -> str:
    return f"{value:.0%}" if percent else f"{value:,.0f}" if value == int(value) else f"{value:.2f}"
