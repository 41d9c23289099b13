"""What a question asks for by a noun, and when that nothing mentions it is enough to say so."""

import re

import pytest
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.completeness import ALL_READ, Reading
from citemark.retrieval.absence import Absence
from citemark.retrieval.asked_things import asked_for, stands_in_longer_word, unmentioned_things

PAGES = 220
"""More than so few that an answer is often put in other words than the question."""


@pytest.mark.requirement("asked-thing-unmentioned")
@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which newsletter announced the study?", {"newsletter"}),
        ("In which newsletter was it announced?", {"newsletter"}),
        ("Which courier collects the parcels?", {"courier"}),
        ("Which unions represent the staff?", {"unions"}),
        ("How many square metres does the hall have?", {"square", "metres"}),
        ("What exact limit and merge cutoffs are configured?", {"exact", "limit", "and", "merge", "cutoffs"}),
        ("What is the salary band of a driver?", {"salary", "band"}),
        ("What address/contract do we use?", {"address/contract", "address", "contract"}),
        ("Welche Legierung hat das Geh\u00e4use?", {"Legierung"}),
        ("Quelle fr\u00e9quence a la passerelle ?", {"fr\u00e9quence"}),
        ("What happens if the valve opens?", set[str]()),
        ("What causes the leak?", set[str]()),
        ("What does the box hold?", set[str]()),
        ("Who signs it?", set[str]()),
    ],
)
def test_the_nouns_behind_which_and_how_many_are_asked_for(question: str, asked: set[str]) -> None:
    assert asked_for(question) == asked


@pytest.mark.requirement("asked-thing-unmentioned")
def test_nothing_is_said_of_few_pages_and_of_questions_in_several_phrasings() -> None:
    question, absent = "Which courier collects the parcels?", ("collects", "courier")
    assert unmentioned_things([question], absent, PAGES) == ("courier",)
    assert unmentioned_things([question], absent, 28) == ()
    assert unmentioned_things([question, "parcel service"], absent, PAGES) == ()
    assert unmentioned_things([question], (), PAGES) == ()


@pytest.mark.requirement("asked-thing-unmentioned")
async def test_a_question_for_a_thing_that_no_document_mentions_is_told_so_before_the_nearest_passages() -> None:
    texts = {f"{number}.md": f"Parcel {number} leaves the yard at noon." for number in range(PAGES)}
    world = InMemoryWorld({**texts, "staff.md": "The porter collects the parcels that leave the yard."})
    page = await world.find("Which courier collects the parcels of the yard?")
    assert page.hits
    assert re.match("No document here mentions .*courier. Unless this answers, ask again", page.meta.doubt)
    assert "mentions" not in (await world.find("Which porter collects the parcels of the yard?")).meta.told
    phrased = await world.find("Which courier collects the parcels of the yard?", also=("porter collects parcels",))
    assert "courier" not in phrased.meta.told


@pytest.mark.requirement("asked-thing-unmentioned")
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("nuts", "Hazelnut and birch pollen"),
        ("Sicherung", "Sicherungskasten: F3 Bad"),
        ("Schl\u00fcssel", "Der Kellerschl\u00fcssel h\u00e4ngt am Haken"),
        ("tablets", "Tablette morgens"),
        ("rooms", "the bedrooms upstairs"),
    ],
)
def test_a_word_stands_in_a_longer_one_that_begins_or_ends_with_it(word: str, text: str) -> None:
    assert stands_in_longer_word(word, [text])


@pytest.mark.requirement("asked-thing-unmentioned")
@pytest.mark.parametrize(
    ("word", "text"), [("nuts", "a minute later"), ("ox", "the box"), ("c++", "cc"), ("key", "the lock")]
)
def test_a_word_does_not_stand_in_the_middle_of_another_one(word: str, text: str) -> None:
    assert not stands_in_longer_word(word, [text])


@pytest.mark.requirement("asked-thing-unmentioned")
async def test_a_word_that_a_passage_has_in_a_longer_one_is_not_called_unmentioned() -> None:
    texts = {f"{number}.md": f"Parcel {number} leaves the yard at noon." for number in range(PAGES)}
    world = InMemoryWorld({**texts, "allergies.md": "Lea is allergic to hazelnut, and to birch pollen."})
    page = await world.find("Which nuts is Lea allergic to?")
    assert page.hits[0].section_id == "allergies.md"
    assert not any("nuts" in line for line in (*page.meta.first_lines, *page.meta.notes))


@pytest.mark.requirement("asked-thing-unmentioned")
def test_of_a_thing_that_nothing_mentions_only_that_is_told_and_no_answer_is_called_absent() -> None:
    sure = Absence(words=("courier", "collects"), things=("courier",), confidence=0.8, rated=True)
    assert sure.line(ALL_READ, shown=True) == "No document here mentions courier. Nearest passages:"
    assert sure.told == "things"
    assert sure.doubt(ALL_READ, shown=True).startswith("No document here mentions collects. Unless this answers, ask")
    assert sure.line(ALL_READ, shown=False) == ""
    assert sure.line(Reading(withheld=1), shown=True).startswith("Not found")


def test_a_thing_that_the_first_line_does_not_tell_is_named_among_the_words() -> None:
    lacking = Absence(words=("courier",), things=("courier",), lacking="no passage found for it gives a phone number")
    assert "phone number" in lacking.line(ALL_READ, shown=True)
    assert lacking.doubt(ALL_READ, shown=True) == "No document here mentions courier."
    assert lacking.notes(ALL_READ, shown=False) == ["no document here mentions courier"]
