import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.markdown import assert_sound

from citemark.extraction.delimited import extract_delimited
from citemark.extraction.text_files import extract_plain


@pytest.mark.requirement("mdx-and-plain-text-are-read")
def test_plain_text_is_its_paragraphs_and_means_nothing_else() -> None:
    body = "# no heading\r\n[no](link)\r\n\r\n  \r\nnext  \r\n"
    extracted = extract_plain(body, fallback_title="notes")
    assert [block.span.of(body) for block in extracted.blocks] == ["# no heading\r\n[no](link)", "next"]
    assert (extracted.title, extracted.sections, extracted.links) == ("notes", (), ())


@given(st.text(st.sampled_from("ab \t\r\n\x0b\u2028"), max_size=60))
def test_paragraphs_hold_all_that_is_visible(body: str) -> None:
    assert_sound(extract_plain(body, fallback_title="f"))


@pytest.mark.timeout(10)
def test_a_long_cell_of_digits_is_read_in_linear_time() -> None:
    body = f"{'1' * 50_000}x,b\n1,2\n"
    assert extract_delimited(body, fallback_title="f").blocks[0].head == body.partition("\n")[0]
