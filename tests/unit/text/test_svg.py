"""`text.svg`: elements that any words may go into."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citemark.text.svg import drawing, element, outlined_text, points, text, title

SVG = "{http://www.w3.org/2000/svg}"


@given(st.text(), st.text())
def test_words_of_any_kind_are_neither_markup_nor_a_fault(words: str, value: str) -> None:
    drawn = etree.fromstring(drawing(words, (0, 0, 9, 9), [text(words, 1, 2, fill=value), outlined_text(words, 0, 0)]))
    assert [each.tag for each in drawn.iter()] == [SVG + name for name in ("svg", "title", "text", "text", "text")]
    assert list(drawn[1].attrib) == ["x", "y", "fill"]


def test_attributes_are_named_as_svg_names_them_and_left_out_if_there_is_no_value() -> None:
    assert element("line", class_="grid", stroke_width=2, rx=None) == '<line class="grid" stroke-width="2"/>'
    assert element("g", title("a & b"), element("rect", x=0)) == '<g><title>a &amp; b</title><rect x="0"/></g>'


def test_numbers_are_as_short_as_hundredths_allow() -> None:
    assert points([(1.0, 2.5), (1 / 3, 100)]) == "1,2.5 0.33,100"
    assert points([(-0.001, -0.004), (-1.5, 1e6)]) == "0,0 -1.5,1000000"
