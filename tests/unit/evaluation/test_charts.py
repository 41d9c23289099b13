"""Charts: what stands where."""

from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pytest

from citemark.evaluation.charts import Axes, Series, bar_chart, line_chart

SVG = "{http://www.w3.org/2000/svg}"


def found(chart: str, name: str) -> list[Element]:
    return list(ET.fromstring(chart).iter(SVG + name))  # noqa: S314 - our own


def test_a_point_is_plotted_at_its_value() -> None:
    axes = Axes("x", "y", 10, 1, percent=True)
    circles = found(line_chart([Series("s", [(0, 0.0), (10, 1.0)])], axes, "t"), "circle")
    low, high = circles
    assert float(low.get("cx", "")) < float(high.get("cx", ""))
    assert float(low.get("cy", "")) > float(high.get("cy", ""))
    assert [circle[0].text for circle in circles] == ["s: 0, 0%", "s: 10, 100%"]


def test_the_height_of_a_bar_follows_its_value() -> None:
    bars = found(bar_chart([("k", [0.5, 1.0])], ("one", "two"), Axes("x", "y", 1, 1), "t"), "rect")
    half, whole = [float(each.get("height", "")) for each in bars]
    assert whole == pytest.approx(2 * half, abs=0.2)


def test_lines_that_are_compared_differ_in_colour_and_are_named_in_theirs() -> None:
    chart = line_chart([Series("a <b>", [(0, 0.0)]), Series("c", [(0, 1.0)])], Axes("x", "y", 1, 1), 'a "t"')
    colours = [line.get("stroke") for line in found(chart, "polyline")]
    assert len(set(colours)) == 2
    named = {each.text: each.get("fill") for each in found(chart, "text") if each.get("fill")}
    assert named == {"\u25a0 a <b>": colours[0], "\u25a0 c": colours[1]}
    assert [each.get("aria-label") for each in found(chart, "svg")] == ['a "t"']
