"""How foreign text stands on a page."""

from datetime import UTC, datetime

from citemark.web.rendering import Page, Renderer, day, marked, plainly, twin


def test_marked_words_of_a_text_are_escaped_like_the_rest() -> None:
    assert marked("a <b> & c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> &amp; c"
    assert marked("<i>", []) == "&lt;i&gt;"


def test_an_answer_is_shown_without_the_marks_that_quote_it() -> None:
    quoted = "> ## Care\n> Grease it. [1]\n> | part | size |\n> |---|---|\n> | axle | [12] |"
    assert plainly(quoted) == "Care\nGrease it.\n| part | size |\n| axle | |"
    assert plainly("5 > 3, #1 and a|b") == "5 > 3, #1 and a|b"


def test_a_day_is_that_of_the_moment_and_nothing_without_one() -> None:
    assert day(None) == ""
    assert day(datetime(2026, 1, 31, 12, tzinfo=UTC)) == "2026-01-31"


def test_a_twin_holds_the_facts_and_not_the_looks() -> None:
    page = Page(
        "message", {"heading": "é", "message": "a\u202eb", "at": datetime(2026, 1, 31, tzinfo=UTC)}, looks={"x": 1}
    )
    assert b'"at": "2026-01-31T00:00:00Z"' in bytes(twin(page).body)
    assert b"a\\u202eb" in bytes(twin(page).body)  # nothing that nobody sees
    assert b"looks" not in bytes(twin(page).body)
    html = bytes(Renderer().html(page, None).body).decode()
    assert "a&lt;U+202E&gt;b" in html
