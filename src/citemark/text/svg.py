"""Writes SVG, for views of models and for charts: elements whose attributes and words are escaped."""

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

INK, FAINT, PAPER = "#1f2328", "#57606a", "#ffffff"
"""The colours of lines and names, of what is said beside them, and of what they are on."""

SIDE_BY_SIDE = ("#1f5fa8", "#c2571a", "#3a7d44", "#7a4fa0")
"""The colours of lines and bars that are compared with each other, in their order."""

_NAMESPACE = "http://www.w3.org/2000/svg"
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def element(name: str, *content: str, **attributes: str | float | None) -> str:
    """An element around content that is SVG already.

    In the names of attributes, an underscore stands for a hyphen, and one at the end for nothing (`class_`). An
    attribute that is None is left out. Numbers are rounded to hundredths of a pixel.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


def drawing(
    name: str, box: tuple[float, float, float, float], content: Iterable[str], **attributes: str | float
) -> str:
    """A whole drawing with a name, which programs that read aloud say; `box` is what it shows: x, y, width, height."""
    shown = " ".join(map(_value, box))
    inner = "\n".join(("", title(name), *content, ""))
    return element("svg", inner, xmlns=_NAMESPACE, viewBox=shown, role="img", **attributes)


def title(words: str) -> str:
    """What is said of the element that this is the first part of: its name, or words beside the pointer."""
    return element("title", escaped(words))


def text(words: str, x: float, y: float, **attributes: str | float | None) -> str:
    """Words whose line begins, or is in the middle, at a point."""
    return element("text", escaped(words), x=x, y=y, **attributes)


def outlined_text(words: str, x: float, y: float, **attributes: str | float | None) -> str:
    """Words that stay readable where they cross lines."""
    around = {"fill": "none", "stroke": PAPER, "stroke_width": 3, "stroke_linejoin": "round"}
    return text(words, x, y, **attributes, **around) + text(words, x, y, **attributes, fill=INK)


def points(places: Iterable[tuple[float, float]]) -> str:
    """The value of `points` for a line or an area with these corners."""
    return " ".join(f"{_value(x)},{_value(y)}" for x, y in places)


def escaped(words: str) -> str:
    """Words as they may stand in XML, also within an attribute."""
    return escape(_ILLEGAL.sub("", words), {'"': "&quot;"})


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return escaped(value)
    return f"{round(value, 2) + 0:.2f}".rstrip("0").rstrip(".")  # adding 0 makes a zero of a negative zero
