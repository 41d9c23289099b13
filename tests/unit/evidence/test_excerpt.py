import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import split_spans, texts

from citemark.evidence.budget import bytes_len, count_tokens
from citemark.evidence.excerpt import MAX_BYTES, bullets, expand, read, read_bullets
from citemark.model.errors import BudgetExceeded, InvalidArgument
from citemark.model.text import Span


@pytest.mark.requirement("reading-on-covers-a-passage-once", "tools-kb-char-offsets")
@given(texts, st.integers(1, 60), st.integers(4, 200))
def test_following_the_offsets_gives_the_whole_text_once(text: str, max_tokens: int, max_bytes: int) -> None:
    parts: list[str] = []
    at: int | None = 0
    while at is not None:
        cut = read(text, at, max_tokens, max_bytes)
        assert cut.start_char == at
        assert count_tokens(cut.text) <= max_tokens
        assert bytes_len(cut.text) <= max_bytes
        assert cut.next_start_char is None or cut.next_start_char > at
        parts.append(text[cut.start_char : cut.end_char])
        at = cut.next_start_char
    assert "".join(parts) == text


@given(texts, st.integers(4, 60))
def test_following_bullets_shows_every_span_within_the_caps(text: str, max_tokens: int) -> None:
    at: int | None = 0
    seen = ""
    while at is not None:
        cut = read_bullets(text, at, max_tokens)
        assert count_tokens(cut.text) <= max_tokens
        assert cut.next_start_char is None or cut.next_start_char > at
        seen += cut.text
        at = cut.next_start_char
    letters = "".join(character for character in text if character.isalnum())
    assert "".join(character for character in seen if character.isalnum()) == letters


@pytest.mark.requirement("tools-kb-expand-best-span")
@given(texts, st.data(), st.integers(0, 50), st.integers(0, 50), st.integers(4, 300))
def test_an_expansion_holds_its_span_and_stays_in_its_bounds(
    text: str, data: st.DataObject, before: int, after: int, max_bytes: int
) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))
    cut = expand(text, span, before, after, max_bytes)
    assert cut.text == text[cut.start_char : cut.end_char]
    assert bytes_len(cut.text) <= max_bytes
    assert count_tokens(text[cut.start_char : span.start]) <= before
    assert cut.start_char <= span.start
    assert cut.end_char >= span.end or bytes_len(span.of(text)) > max_bytes
    assert count_tokens(text[span.end : cut.end_char]) <= after
    assert cut.next_start_char == (cut.end_char if cut.end_char < len(text) else None)


def test_text_is_preferably_cut_at_the_end_of_a_line_then_of_a_word() -> None:
    assert read("one two\nthree four\nfive six seven", 0, 5).text == "one two\nthree four\n"
    assert read("one two three four", 0, 3).text == "one two "


@pytest.mark.requirement("tools-kb-char-offsets")
@pytest.mark.parametrize("sign", ["e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "\r\n"])
@pytest.mark.parametrize("more", range(18))
def test_a_grapheme_cluster_is_not_cut(sign: str, more: int) -> None:
    text = "x" * 3 + sign * 4
    at: int | None = 0
    while at is not None:
        cut = read(text, at, 100, bytes_len(sign) + more)
        assert unicodedata.category((cut.text + "x")[0]) not in {"Mn", "Cf"}
        assert not cut.text.endswith("\r")
        assert (len(cut.text) - cut.text.count("x")) % len(sign) == 0
        at = cut.next_start_char


def test_an_offset_outside_the_text_is_an_error() -> None:
    with pytest.raises(InvalidArgument, match="outside"):
        read("abc", 4, 10)


def test_a_cap_below_one_character_is_an_error() -> None:
    with pytest.raises(BudgetExceeded):
        read("€uro", 0, 10, 2)


@pytest.mark.requirement("byte-caps-count-utf8", "read-excerpt-default-and-caps")
def test_the_byte_cap_counts_bytes() -> None:
    assert bytes_len(read("€" * 40_000, 0, 20_000).text) <= MAX_BYTES


@pytest.mark.requirement("tools-kb-bullet-lines", "bullets-are-not-doubled")
def test_bullets_are_one_line_per_span() -> None:
    text = "One\nmore. Two.\n\n- three"
    assert bullets(text).splitlines() == ["- One more.", "- Two.", "- three"]
    assert len(bullets(text).splitlines()) == len(split_spans(text))


def test_bullets_end_with_a_whole_span_and_a_long_item_keeps_its_own_bullet() -> None:
    text = "One\nmore. Two.\n\n- three is a longer item of a list"
    first = read_bullets(text, 0, 6)
    assert (first.text, first.end_char, first.truncated) == ("- One more.\n- Two.", 14, True)
    rest = read_bullets(text, first.next_start_char or 0, 6)
    assert rest.text == "- three is a longer"
    assert read_bullets(text, 0, 30).text.splitlines() == bullets(text).splitlines()


@pytest.mark.requirement("bullets-keep-headings-apart")
@pytest.mark.parametrize("heading", ["## Service", "Service\n-------", "# Part\n\n## Service"])
@pytest.mark.parametrize(("below", "shown"), [("- Grease it.", "- Grease it."), ("Grease it.", "- Grease it.")])
def test_bullets_keep_a_heading_and_what_stands_below_it_apart(heading: str, below: str, shown: str) -> None:
    text = f"{heading}\n\n{below}\n\n## Storage\n\n1. Dry.\n2. Cool.\n"
    titles = [line for line in heading.splitlines() if line.strip("- ")]
    assert bullets(text).splitlines() == [*titles, shown, "## Storage", "1. Dry.", "2. Cool."]
    assert read_bullets(text, 0, 800).text == bullets(text)


def test_a_span_above_the_byte_cap_ends_after_a_word() -> None:
    cut = expand("one two three four", Span(4, 18), 5, 5, 9)
    assert (cut.text, cut.start_char, cut.next_start_char) == ("two three", 4, 13)


def test_an_expansion_takes_words_before_and_after_the_span() -> None:
    body = "one two three four five six seven eight nine ten"
    found = expand(body, Span(body.index("five"), body.index("six")), 2, 2)
    assert found.text.strip() == "four five six"
    assert expand(body, Span(body.index("five"), body.index("six") - 1), 0, 0).text == "five"
    assert expand(body, Span(0, 3), 100, 100).text == body


@pytest.mark.requirement("bullets-keep-headings-apart")
@pytest.mark.parametrize("below", ["", "| 1 | dry |\n|---|---|\n| 2 | cool |"])
def test_a_heading_without_sentences_below_it_has_no_bullet_either(below: str) -> None:
    assert bullets(f"Grease it.\n\n## Storage\n\n{below}").splitlines()[:2] == ["- Grease it.", "## Storage"]
