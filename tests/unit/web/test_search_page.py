"""What a search shows of its hits."""

from citemark.web.rendering import marked
from citemark.web.search_page import highlights


def shown(question: str, text: str) -> str:
    return str(marked(text, highlights(question, text)))


def test_the_words_of_the_question_are_highlighted_and_articles_are_not() -> None:
    text = "The pump, and <the> PUMPS & a pump."
    assert shown("Where is the pump?", text) == (
        "The <mark>pump</mark>, and &lt;the&gt; PUMPS &amp; a <mark>pump</mark>."
    )


def test_a_question_of_short_words_highlights_those() -> None:
    assert shown("the IT", "the it") == "<mark>the</mark> it"


def test_pairs_of_characters_that_touch_are_one_highlight() -> None:
    assert shown("東京都庁", "私は東京都庁へ") == "私は<mark>東京都庁</mark>へ"
