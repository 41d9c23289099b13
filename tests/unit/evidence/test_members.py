"""A question for members gets all of them, or is told how many are left."""

import pytest

from citemark.evidence.members import asks_for_members, holds_list, is_phrase_line, members_left
from citemark.model.text import Span

ITEMS = "Regions:\n\n" + "".join(f"- Region {number}.\n  - with a note\n" for number in range(12)) + "\nThe end."
ROWS = "| plant | price |\n|---|---|\n" + "".join(f"| P{number} | {number} |\n" for number in range(9))
SERVED = "Hub is a Node.\n" + "".join(
    f"It is served by: {', '.join(f'Part {line}-{place} (Node)' for place in range(8))}.\n" for line in range(3)
)


def span_of(text: str, first: str, last: str) -> Span:
    return Span(text.index(first), text.index(last) + len(last))


@pytest.mark.requirement("whole-lists")
@pytest.mark.parametrize(
    ("text", "first", "last", "left"),
    [
        (ITEMS, "Regions:", "- Region 4.", 7),
        (ITEMS, "Regions:", "The end.", 0),
        (ROWS, "| P2", "| P4 | 4 |", 6),
        (SERVED, "It is served by: Part 0", "Part 0-7 (Node).", 16),
        (SERVED, "Hub", "a Node", 0),
    ],
)
def test_what_a_list_has_beyond_a_quote_is_counted(text: str, first: str, last: str, left: int) -> None:
    assert members_left(text, [span_of(text, first, last)]) == [left]


@pytest.mark.requirement("whole-lists")
def test_a_list_that_two_quotes_show_parts_of_is_counted_once() -> None:
    quoted = [span_of(ROWS, "| P0", "| P3 | 3 |"), span_of(ROWS, "| P5", "| P6 | 6 |")]
    assert members_left(ROWS, quoted) == [0, 3]


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which application components serve the Web portal?", True),
        ("List the regions with their prices", True),
        ("What are the two transports?", True),
        ("Welche Regionen gibt es?", True),
        ("Quelles sont les régions ?", True),
        ("What does CIS stand for?", False),
        ("What quorum does a group need?", False),
        ("Wie hoch ist die Miete?", False),
    ],
)
def test_a_question_for_members_is_told_by_its_words(question: str, asks: bool) -> None:
    assert asks_for_members(["the server", question]) == asks


def test_lists_are_told_from_prose() -> None:
    assert holds_list("Intro.\n\n- an item")
    assert holds_list("| a | b |\n|---|---|\n| c | d |")
    assert holds_list("It serves: A (Node), B (Node).")
    assert not holds_list("Only prose. More of it.")
    assert is_phrase_line("It serves: A (Node), B (Node).")
    assert not is_phrase_line("It serves A (Node).")
