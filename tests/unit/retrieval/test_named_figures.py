"""Among near-identical passages, those with the figures of the question come first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.support.chunks import stored
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.candidates import StoredChunk
from citemark.model.ids import DocumentId
from citemark.retrieval import named_figures
from citemark.retrieval.named_figures import Series
from citemark.retrieval.retrievers import ScoredCandidate
from citemark.text.figures import Figure, figures

MONTHS = ("January", "February", "March", "April", "May", "June")
READINGS = [f"Read on {day} {month} 2026. Electricity 4{day},112 kWh" for day, month in enumerate(MONTHS, start=1)]


def chunks(texts: Sequence[str], titles: Sequence[str] = ()) -> dict[int, StoredChunk]:
    return {
        at: replace(stored(at, text), page_id=DocumentId(at), title=title)
        for at, (text, title) in enumerate(zip(texts, titles or [""] * len(texts), strict=True))
    }


def order(question: str, found: Mapping[int, StoredChunk], relevances: Sequence[float] = ()) -> list[int]:
    """The chunks in their order under a question, where they are found in the order of their ids."""
    candidates = [
        ScoredCandidate(0.9 - at / 100, relevance, at, 1, at, b"", 0.9, 0.0)
        for at, relevance in zip(found, relevances or [1.0] * len(found), strict=True)
    ]
    return [each.chunk_id for each in Series.among(candidates, found).ordered(question)]


@pytest.mark.requirement("figures-choose-among-siblings")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("meter reading in March 2026", 2),
        ("Zählerstand im März", 2),
        ("reading of 04.04.2026", 3),
        ("when were 42112 kWh read?", 1),
    ],
)
def test_the_reading_that_is_asked_for_comes_first_among_all(question: str, first: int) -> None:
    rest = [at for at in range(len(READINGS)) if at != first]
    assert order(question, chunks(READINGS)) == [first, *rest]


@pytest.mark.requirement("figures-choose-among-siblings")
def test_pages_whose_titles_differ_in_their_figures_are_siblings_whatever_they_say() -> None:
    found = chunks(["Marquardt, survey of a bureau", "Theatre, a throne"], ["Rechnung 2041-B", "Rechnung 2042-B"])
    assert order("Rechnung 2042-B", found) == [1, 0]


def test_a_title_alone_does_not_bring_a_much_less_relevant_page_forward() -> None:
    found = chunks(["Three phases of the pump", "Valves and seals"], ["Chapter 7", "Chapter 3"])
    assert order("Which 3 phases has the pump?", found, [1.0, 0.5]) == [0, 1]


def test_siblings_trade_places_among_themselves_and_other_passages_keep_theirs() -> None:
    found = chunks([READINGS[0], "The meter is read by Tom.", READINGS[2], "Tom was born on 2 March 1976."])
    assert order("meter reading in March 2026", found) == [2, 1, 0, 3]


def test_a_question_without_figures_or_with_those_of_all_siblings_changes_nothing() -> None:
    assert order("meter reading", chunks(READINGS)) == list(range(len(READINGS)))
    assert order("meter reading of 2026", chunks(READINGS)) == list(range(len(READINGS)))


@pytest.mark.requirement("figures-choose-among-siblings")
async def test_a_search_finds_the_month_that_is_asked_for_first() -> None:
    world = InMemoryWorld(
        {f"{at}.md": f"Meter read {at:02}.{at:02}.2026, electricity {at}00 kWh" for at in range(1, 10)}
    )
    for question in ("When was the meter read in March 2026?", "Meter read on 3 March"):
        assert (await world.ranked(question))[0] == "3.md"


def test_documents_of_two_kinds_are_no_siblings_whatever_they_say() -> None:
    note, event = chunks(READINGS[1:3]).values()
    assert order("reading in March 2026", {0: note, 1: event}) == [1, 0]
    assert order("reading in March 2026", {0: note, 1: replace(event, doc_type="calendar_event")}) == [0, 1]


def test_appointments_trade_places_among_themselves_where_notes_say_the_same() -> None:
    found = chunks(READINGS[:4])
    for at in (1, 3):
        found[at] = replace(found[at], doc_type="calendar_event")
    assert order("reading in March 2026", found) == [2, 1, 0, 3]
    assert order("reading in April 2026", found) == [0, 3, 2, 1]


def test_a_candidate_whose_text_may_no_longer_be_read_keeps_its_place() -> None:
    found = chunks(READINGS[:4])
    candidates = [ScoredCandidate(0.9 - at / 100, 1.0, at, 1, at, b"", 0.9, 0.0) for at in found]
    del found[1]
    placed = Series.among(candidates, found).ordered("meter reading in March 2026")
    assert [each.chunk_id for each in placed] == [2, 1, 0, 3]


MINUTES = {f"{month}.md": f"Minutes of {month:02}/2026. The board met and approved." for month in range(1, 7)}


@pytest.mark.requirement("lacking-dates")
@pytest.mark.parametrize("asked", ["November 2026", "the 3 March 2027", "11/2026"])
async def test_a_date_that_no_passage_of_a_series_has_is_told(asked: str) -> None:
    absence = (await InMemoryWorld(MINUTES).rank(f"minutes of the board in {asked}")).absence
    assert absence.told == "unsaid"
    written = asked.removeprefix("the ")
    assert absence.lacking == f"none of the 6 similar passages found has {written}"


@pytest.mark.requirement("lacking-dates")
async def test_nothing_is_said_of_a_date_that_a_series_has_or_that_there_is_no_series_for() -> None:
    world = InMemoryWorld(MINUTES)
    for question in ("minutes of the board in April 2026", "minutes of the board", "minutes of the board in April"):
        assert (await world.rank(question)).absence.lacking == "", question
    two = InMemoryWorld(dict([*MINUTES.items()][:2]))
    assert (await two.rank("minutes of the board in November 2026")).absence.lacking == ""
    undated = InMemoryWorld({f"{each}.md": f"Step {each} of the board's way to minutes." for each in "1234"})
    assert (await undated.rank("minutes of the board in November 2026")).absence.lacking == ""


def test_a_series_that_goes_on_below_the_candidates_or_recurs_lacks_nothing() -> None:
    found = chunks(READINGS)
    series = Series.among([ScoredCandidate(0.9, 1.0, at, 1, at, b"", 0.9, 0.0) for at in found], found)
    assert series.lacking("meter reading in November 2026", cut=False).endswith("has November 2026")
    assert series.lacking("meter reading in November 2026", cut=True) == ""
    events = {at: replace(chunk, doc_type="calendar_event") for at, chunk in found.items()}
    recurring = Series.among([ScoredCandidate(0.9, 1.0, at, 1, at, b"", 0.9, 0.0) for at in events], events)
    assert recurring.lacking("meter reading in November 2026", cut=False) == ""


OTHER = (
    "The pump is descaled whenever its pressure falls, by whoever looks after the greenhouse. The order of 3 November"
    " 2026 says so, and that spare seals are kept beside the boiler."
)


def series_of(texts: Sequence[str]) -> Series:
    found = chunks(texts)
    return Series.among([ScoredCandidate(0.9, 1.0, at, 1, at, b"", 0.9, 0.0) for at in found], found)


@pytest.mark.requirement("lacking-dates")
def test_a_date_that_stands_in_a_passage_of_another_kind_is_not_said_to_be_lacking() -> None:
    assert series_of([*READINGS, OTHER.replace("3 November", "summer of")]).lacking("in November 2026", cut=False)
    assert series_of([*READINGS, OTHER]).lacking("in November 2026", cut=False) == ""


def test_figures_are_found_in_passages_that_may_be_alike_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def noted(text: str) -> list[Figure]:
        looked_at.append(text)
        return figures(text)

    monkeypatch.setattr(named_figures, "figures", noted)
    alike = [OTHER, OTHER.replace("2026", "2025")]
    unlike = (
        "In 1987 a theatre in the old harbour was given a throne, which the painters had left there for want of room."
    )
    series_of([*alike, unlike])
    assert [text.rpartition("\n")[2] for text in looked_at] == alike
