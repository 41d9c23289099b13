"""Pages that would take a parser ever longer are cut in a way that keeps their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.operations import operations

from citemark.extraction.html.document import extract_html
from citemark.extraction.html.trimming import MOST_OPEN, trimmed
from citemark.model.text import Extracted
from citemark.model.unread_parts import in_words


def page(body: str) -> Extracted:
    return extract_html(f"<!doctype html><body>{body}</body>".encode(), fallback_title="file")


@pytest.mark.requirement("html-linear")
def test_elements_that_are_too_deep_lose_their_tags_and_keep_their_words() -> None:
    found = page("<div>word " * 5_000 + "</div>" * 5_000 + "<p>The end.</p>")
    assert found.body.count("word") == 5_000
    assert found.body.endswith("The end.")
    assert in_words(found.left_out) == f"{5_000 - MOST_OPEN:,} tags of an element too deep in others"


@pytest.mark.requirement("html-linear")
def test_only_the_first_attributes_of_a_tag_are_read() -> None:
    many = " ".join(f"data-{number}='{number}'" for number in range(3_000))
    found = page(f"<p id=first {many} title=last>Words.</p>")
    assert found.body == "Words."
    assert in_words(found.left_out) == "2,874 attributes beyond the first 128 of a tag"
    cut = trimmed(f"<p id=first {many}>Words.</p>").text
    assert cut.startswith("<p id=first data-0='0'")
    assert cut.endswith("data-126='126'>Words.</p>")


SLOW = {
    "blocks": "<div>a",
    "lists": "<ul><li>a",
    "formats": "<p><b>a",
    "content": "<main>a",
    "articles": "<article>a</article>",
    "tables": "<table><tr><td>a",
    "anchors": "<a href=x>a",
    "comments": "<!-- <div> --><div>a",
    "scripts": "<script>'</div>'</script><div>a",
    "quoted": "<div title='</div>'>a",
}


@pytest.mark.requirement("html-linear")
@pytest.mark.parametrize("unit", SLOW.values(), ids=SLOW)
def test_twice_the_page_takes_about_twice_as_long(unit: str) -> None:
    short, long = (operations(lambda times=times: page(unit * times)) for times in (1_500, 3_000))
    assert long < 2.6 * short


@pytest.mark.requirement("html-linear")
def test_cells_that_span_hundreds_make_no_more_than_their_page_can_hold() -> None:
    found = page("<table>" + "<tr><td colspan=100 rowspan=100>a" * 3_000 + "</table>")
    assert len(found.body) < 4_000_000
    assert found.body.count("a") >= 3_000


PLAIN = (
    "<!doctype html><html><head><title>A <b>title</title><style>p > b {}</style></head><body><!-- <div> -->"
    "<p>One<p>Two <b>bold</b> <a href='x>y'>link</a><ul><li>item<li>item</ul><script>if (a<b) {}</script></body></html>"
)


def test_a_page_of_people_is_parsed_as_it_is() -> None:
    found = trimmed(PLAIN)
    assert (found.text, found.elements, found.attributes) == (PLAIN, 0, 0)


@given(st.text(st.sampled_from("<>/!- ab='\"pdivscript")))
def test_a_page_that_is_not_deep_is_never_changed(text: str) -> None:
    assert trimmed(text).text == text


def test_end_tags_of_what_was_cut_are_cut_with_it() -> None:
    deep = "<span>" * (MOST_OPEN + 2) + "x" + "</span>" * (MOST_OPEN + 2)
    assert trimmed(deep).text == "<span>" * MOST_OPEN + "x" + "</span>" * MOST_OPEN


def test_an_end_tag_without_a_beginning_opens_nothing() -> None:
    unbalanced = "</i></div>" * 300 + "<div>x</div>"
    assert trimmed(unbalanced).text == unbalanced
