"""What is absent is told in one line, and hides nothing."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.completeness import ALL_READ, Reading, SourceReading
from citemark.retrieval.absence import NOTHING_ABSENT, Absence

TEXTS = {
    "valves.md": "valve pressure valve",
    "pumps.md": "pump pressure and a long tail of other words",
    "bees.md": "honey",
}
WORDS = ("valve", "pump", "pressure", "honey", "tail")


@pytest.mark.requirement("absence-is-told", "unknown-name-lowers-no-score")
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.sampled_from([0.0, 0.3, 0.5]))
async def test_a_name_that_no_document_writes_lowers_no_score(words: list[str], min_score: float) -> None:
    world = InMemoryWorld(TEXTS)
    plain = await world.rank(" ".join(words), min_score=min_score)
    named = await world.rank(" ".join([*words, "XR500"]), min_score=min_score)
    assert named.absence.names == ("XR500",)
    scores = {each.chunk_id: each.score for each in named.candidates}
    assert all(scores[each.chunk_id] >= each.score - 1e-9 for each in plain.candidates)


@pytest.mark.requirement("absence-is-told", "unknown-name-sought-in-every-phrasing")
async def test_a_name_is_looked_for_under_every_phrasing_and_told_at_any_confidence() -> None:
    ranking = await InMemoryWorld({**TEXTS, "sure.md": "valve of"}).rank("valve", also=("valve of the XR500",))
    assert ranking.confidence > 0.6
    assert ranking.absence.names == ("XR500",)
    assert ranking.absence.line(ALL_READ, shown=True) == 'No document read here writes "XR500".'
    assert not ranking.absence.central


@pytest.mark.requirement("two-nearest-passages-for-unknown-name")
async def test_a_question_is_about_a_name_that_every_phrasing_contains() -> None:
    world = InMemoryWorld(TEXTS)
    ranking = await world.rank("valve XR500", also=("pressure of the xr500",))
    assert ranking.absence.central
    assert ranking.absence.line(ALL_READ, shown=True) == 'No document read here writes "XR500". Nearest passages:'
    page = await world.find("valve XR500", also=("pressure of the xr500", "pump XR500"))
    assert len(page.hits) == 2, "of three that pass"
    assert page.meta.next_cursor is None
    assert not (await world.rank("valve XR500")).absence.central, "a question alone may name it beside the matter"


@pytest.mark.requirement("two-nearest-passages-for-unknown-name")
async def test_a_question_is_about_a_name_without_which_nothing_passes_and_the_nearest_is_shown() -> None:
    world = InMemoryWorld(TEXTS)
    question = "tail of XR500 unseen words apart from everything"
    assert not (await world.rank(question, min_score=0.7)).candidates
    page = await world.find(question, min_score=0.7)
    assert [hit.section_id for hit in page.hits] == ["pumps.md"]
    assert page.meta.told == 'No document read here writes "XR500". Nearest passages:'


@pytest.mark.requirement("unknown-name-asked-alone")
async def test_what_is_shown_for_an_unknown_name_in_a_single_phrasing_is_called_the_nearest() -> None:
    world = InMemoryWorld(TEXTS)
    for question in ("pressure of the XR500", "Which valve has the XR500?", "honey from Peru"):
        page = await world.find(question)
        assert page.hits
        assert page.meta.told.endswith(". Nearest passages:")
    assert (await world.find("pressure of the XR500", also=("pressure",))).meta.told.endswith('writes "XR500".')
    assert not (await world.find("zeppelin XR500", min_score=0.9)).meta.told.endswith("passages:"), "none follow"


@pytest.mark.requirement("unknown-name-sought-everywhere")
async def test_a_name_in_a_title_a_path_or_a_tag_is_written() -> None:
    world = InMemoryWorld(TEXTS)
    places: tuple[dict[str, Any], ...] = ({"title": "Manual of XR500"}, {"tags": ("xr500",)})
    for place in places:
        other = InMemoryWorld(TEXTS)
        other.stores.put(other.docs, "empty.md", "", **place)
        assert (await other.rank("valve XR500")).absence.names == ()
    world.stores.put(world.docs, "plans/xr500.md", "")
    assert (await world.rank("valve XR500")).absence.names == ()


@pytest.mark.requirement("unknown-name-lowers-no-score")
async def test_a_german_question_over_english_pages_has_no_names_in_its_nouns() -> None:
    ranking = await InMemoryWorld(TEXTS).rank("Wo ist der Honig bei Sturm?", also=("honey",))
    assert ranking.absence.names == ()
    assert [each.page_id for each in ranking.candidates] == [3]


@pytest.mark.requirement("unsure-in-words-first")
def test_a_result_that_is_not_sure_says_so_in_words_and_what_is_mentioned_nowhere() -> None:
    unsure = Absence(words=("zeppelin",), confidence=0.65)
    said = unsure.doubt(ALL_READ, shown=True)
    assert said.startswith("It is not sure that this answers, and no document here mentions zeppelin: ")
    assert said.endswith("ask again with the documents' own terms in `also`.")
    assert "0.65" not in said
    assert unsure.notes(ALL_READ, shown=True) == []
    assert unsure.notes(ALL_READ, shown=False) == ["no document here mentions zeppelin"]
    assert unsure.doubt(ALL_READ, shown=False) == ""
    assert Absence(confidence=0.3).doubt(ALL_READ, shown=True, also="").startswith("Unless this answers, ask again")
    assert (
        Absence(words=("zeppelin",), confidence=0.3)
        .doubt(ALL_READ, shown=True)
        .startswith("No document here mentions zeppelin. Unless this answers, ask again")
    )
    assert (
        Absence(words=("zeppelin",), confidence=0.95).doubt(ALL_READ, shown=True)
        == "No document here mentions zeppelin."
    )
    central = Absence(("X1",), central=True, words=("zeppelin",), confidence=0.3)
    assert central.doubt(ALL_READ, shown=True) == "No document here mentions zeppelin."
    for sure in (Absence(confidence=0.7), Absence(confidence=0.2, exact=True), Absence(confidence=0.0, by_words=True)):
        assert sure.doubt(ALL_READ, shown=True) == ""


def test_the_documents_do_not_say_stands_for_low_confidence_alone() -> None:
    assert Absence(confidence=0.2).line(ALL_READ, shown=True).startswith("The documents do not say (confidence 0.20)")
    assert Absence(confidence=0.9).line(ALL_READ, shown=True) == ""
    assert "do not say" not in Absence(("X1",), confidence=0.2).line(ALL_READ, shown=True)
    assert Absence(confidence=0.2, exact=True).line(ALL_READ, shown=True) == ""


@pytest.mark.requirement("confidence-is-the-result-s")
async def test_a_confidence_is_known_only_where_a_ranking_gave_one() -> None:
    world = InMemoryWorld(TEXTS)
    assert NOTHING_ABSENT.known_confidence is None
    assert Absence(confidence=0.4, by_words=True, rated=True).known_confidence is None
    first = await world.find("pressure", top_k=2, page_size=1)
    assert first.meta.confidence is not None
    assert first.meta.next_cursor
    second = await world.find("pressure", top_k=2, page_size=1, cursor=first.meta.next_cursor)
    assert second.hits
    assert second.meta.confidence is None, "the list was stored without it"


@pytest.mark.requirement("weak-never-beside-exact-hit")
async def test_a_result_with_an_exact_hit_of_the_only_identifier_is_not_called_weak() -> None:
    world = InMemoryWorld({**TEXTS, "codes.md": "ERR-1042 " + "filler of many other kinds " * 30})
    question = "please explain in plain language whatever ERR-1042 could possibly mean to somebody"
    page = await world.find(question)
    assert page.hits[0].section_id == "codes.md"
    assert page.meta.doubt == ""
    assert "do not say" not in page.meta.told
    other = await world.find("please explain in plain language whatever honey could possibly mean to somebody")
    assert "ask again with the documents' own terms" in other.meta.doubt


readings = st.builds(
    Reading,
    st.lists(
        st.builds(
            SourceReading,
            st.just(1),
            st.just("docs"),
            listed=st.integers(0, 2000),
            waiting=st.integers(0, 2),
            changed=st.integers(0, 2),
            failed=st.integers(0, 2),
            unlisted=st.booleans(),
            unflushed=st.booleans(),
            refused=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    st.integers(0, 2),
)
absences = st.builds(
    Absence,
    names=st.sampled_from([(), ("XR500",), ("XR500", "Zarfix")]),
    central=st.booleans(),
    words=st.sampled_from([(), ("rudder",)]),
    confidence=st.sampled_from([0.1, 0.58, 0.9]),
    phrasings=st.integers(1, 4),
)


@pytest.mark.requirement("nothing-absent-while-waiting", "failed-beside-absence")
@given(absences, readings, st.booleans())
def test_whatever_waits_changed_or_was_withheld_forbids_every_claim(
    absence: Absence, reading: Reading, shown: bool
) -> None:
    said = [line for line in [absence.line(reading, shown=shown), *absence.notes(reading, shown=shown)] if line]
    claims = [line for line in said if re.search("No document|no document|documents do not say", line)]
    limited = [line for line in said if "what has been read so far" in line]
    if reading.settled:
        assert not limited
        assert all(("could not be read" in line) == bool(reading.failed) for line in claims)
    else:
        assert not claims
        assert bool(limited) == bool(absence.names or (said and not said[0].startswith("weak")))


def test_documents_that_could_not_be_read_are_counted_beside_the_name_that_is_in_no_other() -> None:
    reading = Reading((SourceReading(1, "docs", listed=1207, failed=3),))
    assert Absence(("XR500",)).line(reading, shown=True) == (
        'No document read here writes "XR500": it is in none of 1,204 documents read; 3 could not be read.'
    )
