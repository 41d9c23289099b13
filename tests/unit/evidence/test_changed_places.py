"""Where two texts differ: places that are short, and that their citations can be checked against."""

import random

import pytest

from citemark.evidence.changed_places import MOST_CHARS, MOST_PLACES, ChangedPlace, PlaceSide, changed_places
from citemark.model.text import lines_of


def said(place: ChangedPlace) -> tuple[str | None, str | None]:
    return (place.before and place.before.text, place.after and place.after.text)


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", [("b", "B")]),
        ("a\nc\n", "a\nb\nc\n", [(None, "b")]),
        ("a\nb\nc\n", "a\nc\n", [("b", None)]),
        ("", "a\n", [(None, "a")]),
        ("a", "", [("a", None)]),
        ("a\n", "a", []),
        ("a\nb\n", "a\n\n\nb\n", []),
        ("same", "same", []),
        ("1\n2\n3\n4\n5\n", "x\n2\ny\n4\nz\n", [("1", "x"), ("3", "y"), ("5", "z")]),
        ("a\u2028b\nc\n", "a\u2028b\nd\n", [("c", "d")]),
    ],
)
def test_lines_that_differ_are_shown_and_equal_ones_are_not(
    before: str, after: str, places: list[tuple[str | None, str | None]]
) -> None:
    found, more = changed_places(before, after)
    assert ([said(place) for place in found], more) == (places, 0)


def sides(place: ChangedPlace, before: str, after: str) -> list[tuple[PlaceSide, str]]:
    return [(side, body) for side, body in ((place.before, before), (place.after, after)) if side is not None]


@pytest.mark.parametrize("seed", range(30))
def test_changed_text_is_shown_at_its_place(seed: int) -> None:
    chance = random.Random(seed)
    lines = [chance.choice(["", "x", "word " * chance.randint(1, 200), str(number)]) for number in range(60)]
    before = "\n".join(lines)
    for _ in range(chance.randint(1, 8)):
        lines[chance.randrange(len(lines))] = chance.choice(["", "new", "other " * 150])
    after = "\n".join(lines)
    found, more = changed_places(before, after)
    assert len(found) <= MOST_PLACES
    assert more == 0 or len(found) == MOST_PLACES
    for place in found:
        for side, body in sides(place, before, after):
            assert side.span.of(body) == side.text
            assert len(side.text) <= MOST_CHARS
            assert side.lines.start == lines_of(body, side.span).start


def test_a_long_paragraph_is_shown_from_shortly_before_its_change() -> None:
    head, tail = "The same words again and again. " * 40, " And so it goes on. " * 40
    (place,), _ = changed_places(head + "Twice a year." + tail, head + "Every month." + tail)
    assert place.before is not None
    assert place.after is not None
    assert "Twice a year." in place.before.text
    assert "Every month." in place.after.text
    assert place.before.cut
    assert place.after.cut


def test_texts_that_would_be_compared_for_hours_line_by_line_are_compared_by_their_ends() -> None:
    for before, after in (
        ("a\nb\n" * 50_000, "b\na\n" * 50_000),
        ("x" * 5_000_000, "x" * 4_999_999 + "y"),
        ("\n".join(str(n) for n in range(5_000)), "\n".join(str(n) for n in reversed(range(5_000)))),
    ):
        found, _ = changed_places(before, after)
        assert found


@pytest.mark.requirement("tags-are-in-no-answer")
def test_both_sides_are_shown_without_tags() -> None:
    old = 'The <b class="tsd-kind">pump</b> runs.\n'
    ((place,), _) = changed_places(old, old.replace("runs", "stands"))
    assert place.before is not None
    assert place.after is not None
    assert (place.before.text, place.after.text) == ("The pump runs.", "The pump stands.")
