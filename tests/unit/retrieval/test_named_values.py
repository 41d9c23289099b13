"""A question that names two values of path, title or tag is asked of each."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.candidates import PageNames
from citemark.retrieval.named_values import may_stand_in, of_each_value, plain
from citemark.retrieval.question_words import compares
from citemark.retrieval.retrievers import ScoredCandidate

PAGES = {
    1: PageNames("guide/1.2/billing.md", "Billing"),
    2: PageNames("guide/2.0/billing.md", "Billing"),
    3: PageNames("guide/2.0/limits.md", "Limits", ("staging",)),
    4: PageNames("guide/2.0/rates.md", "The rates of partners", ("production", "staging")),
    5: PageNames("guide/3.1/billing.md", "Billing"),
    6: PageNames("guide/4.0/billing.md", "Billing"),
    7: PageNames("guide/5.0/billing.md", "Billing"),
}


def order(question: str, *pages: int) -> list[int]:
    """The pages of candidates in their order under a question; each candidate has the number of its place."""
    found = [ScoredCandidate(0.9, 0.9, at, 1, page, b"", 0.9, 0.0) for at, page in enumerate(pages)]
    return [each.page_id for each in of_each_value(question, found, PAGES)]


@pytest.mark.requirement("two-named-values-both-asked")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What changed between version 1.2 and 2.0 of billing?", [2, 1, 2, 2]),
        ("What changed from v1.2 to v2.0?", [2, 1, 2, 2]),
        ("What is new in 2.0?", [2, 2, 2, 1]),
        ("What is new in 2.0 and 3.1?", [2, 2, 2, 1]),
        ("What is new in 21.2 and 2.01?", [2, 2, 2, 1]),
    ],
)
def test_passages_from_several_folders_named_in_a_question_are_shown_together(
    question: str, expected: list[int]
) -> None:
    assert order(question, 2, 2, 2, 1) == expected


@pytest.mark.requirement("two-named-values-both-asked")
def test_tags_and_titles_are_values_too_and_the_best_of_all_stays_first() -> None:
    assert order("limits of staging and production", 1, 3, 3, 2, 4) == [1, 3, 4, 3, 2]
    assert order("Billing or the rates of partners?", 1, 1, 1, 4) == [1, 4, 1, 1]


@pytest.mark.requirement("two-named-values-both-asked")
def test_up_to_four_named_values_are_shown_together_and_more_keep_their_order() -> None:
    assert order("1.2, 2.0, 3.1 or 4.0?", 1, 1, 2, 5, 1, 6) == [1, 2, 5, 6, 1, 1]
    assert order("1.2, 2.0, 3.1, 4.0 or 5.0?", 1, 1, 2, 5, 1, 6, 7) == [1, 1, 2, 5, 1, 6, 7]


@pytest.mark.requirement("two-named-values-both-asked")
def test_a_page_that_has_both_values_does_not_come_forward_for_that() -> None:
    assert order("limits of staging and production", 1, 1, 1, 4) == [1, 1, 1, 4]


@pytest.mark.requirement("two-named-values-both-asked")
def test_a_hit_among_the_first_keeps_its_place() -> None:
    assert order("1.2 and 2.0", 1, 2, 2, 1) == [1, 2, 2, 1]


@pytest.mark.requirement("two-named-values-both-asked")
async def test_a_search_that_names_two_folders_shows_a_passage_of_each() -> None:
    world = InMemoryWorld({f"staging/{n}.md": "limits staging " + "limit " * 3 + f"n{n}" for n in range(8)})
    world.stores.put(world.docs, "production/limits.md", "Some limits of production are higher here than elsewhere.")
    found = await world.find("compare the limits of staging and production", top_k=3)
    assert [hit.section_id.split("/")[0] for hit in found.hits][:2] in (
        ["staging", "production"],
        ["production", "staging"],
    )


@pytest.mark.requirement("two-named-values-both-asked")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What changed between 1.2 and 2.0?", True),
        ("staging vs production", True),
        ("staging/production limits", True),
        ("Was ist in 1.2 anders als in 2.0?", True),
        ("Quelle version, 1.2 ou 2.0 ?", True),
        ("How large may a standard handle be?", False),
    ],
)
def test_pages_are_looked_up_only_for_questions_that_may_name_two_things(question: str, expected: bool) -> None:
    assert compares(question) == expected


def test_candidates_whose_pages_have_no_names_keep_their_order() -> None:
    found = [ScoredCandidate(0.9, 0.9, at, 1, at, b"", 0.9, 0.0) for at in (3, 1)]
    assert of_each_value("1.2 or 2.0", found, {}) == found


NAMES = st.text(alphabet="ab1.v2-_ A\u00e9\u2013\ufb01\u0661/", min_size=1, max_size=8)


@given(question=NAMES, part=NAMES)
@settings(max_examples=1000)
def test_no_part_that_a_question_names_is_left_out_by_its_beginning(question: str, part: str) -> None:
    asked, spelt = plain([question, part])
    named = bool(spelt) and f" {spelt} " in f" {asked} "
    assert not named or may_stand_in(asked, part)
