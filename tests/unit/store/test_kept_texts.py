"""A superseded text takes what it has beside its successor, and the parts join to exactly it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.store.kept_texts import KeptText, kept_beside

PARAGRAPH = "The boiler of the house was swept in May. Its valve, made of brass, opens at nine bar. Nobody uses it.\n\n"


def joined(other: str, kept: KeptText) -> str:
    """The text again, as the database joins it."""
    text, place = "", 0
    for at in range(0, len(kept.parts), 3):
        start, taken, added = kept.parts[at : at + 3]
        text += other[start : start + taken] + kept.rest[place : place + added]
        place += added
    return text


def sections(count: int, seed: int = 3) -> list[str]:
    chance = random.Random(seed)
    words = PARAGRAPH.split()
    return [f"## Part {number}\n\n{' '.join(chance.choices(words, k=90))}.\n\n" for number in range(count)]


@pytest.mark.requirement("past-text-beside-successor")
def test_a_text_takes_little_more_than_the_section_that_changed() -> None:
    before, anew = sections(6), sections(1, seed=9)
    text, other = "".join(before), "".join([*before[:2], *anew, *before[3:]])
    kept = kept_beside(other, text)
    assert kept is not None
    assert joined(other, kept) == text
    assert len(kept.rest) <= len(before[2]) + 24
    assert len(kept.parts) <= 12


@pytest.mark.requirement("past-text-beside-successor")
def test_a_section_that_moved_and_one_word_that_changed_take_a_sentence() -> None:
    before = [*sections(5), PARAGRAPH * 4]
    text = "".join(before)
    other = "".join([before[3], *before[:3], *before[4:]]).replace("in May", "in June", 1)
    kept = kept_beside(other, text)
    assert kept is not None
    assert joined(other, kept) == text
    assert len(kept.rest) < 100


def test_a_text_that_has_little_in_common_with_its_successor_stays_whole() -> None:
    assert kept_beside("".join(sections(3, seed=1)), "".join(sections(3, seed=2))) is None
    assert kept_beside("", "") is None
    # Every second sentence changed: more parts than are read quickly.
    lines = [f"This is the sentence with the number {number}.\n" for number in range(1000)]
    assert kept_beside("".join(lines[::2]), "".join(lines)) is None


PIECES = ["é", "\n", ".", PARAGRAPH, "\U0001d4b3 stands for a number of the row.\n", "\r\n", "x"]


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.data())
def test_any_text_is_joined_as_it_was(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    other = "".join(data.draw(st.permutations(pieces))[: data.draw(st.integers(0, len(pieces)))])
    kept = kept_beside(other, text)
    assert kept is None or joined(other, kept) == text
