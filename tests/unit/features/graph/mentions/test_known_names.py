"""Names are found as whole words, the longest first, and only where the words mean them."""

from time import process_time

import pytest

from citemark.features.graph.mentions.known_names import KnownNames
from citemark.model.graph import KnownName, name_of


def known(*written: str, source: int = 1) -> list[KnownName]:
    return [KnownName(name_of(each).casefold(), frozenset({name_of(each)}), frozenset({source})) for each in written]


def found(text: str, *written: str) -> list[str]:
    return [place.span.of(text) for place in KnownNames(known(*written)).places(text)]


def test_a_name_of_several_words_is_found_in_any_case() -> None:
    assert found("First the claim registration, then Claim Payment.", "Claim Registration", "Claim Payment") == [
        "claim registration",
        "Claim Payment",
    ]


@pytest.mark.requirement("mentions-follow-the-rules")
def test_the_longest_name_at_a_place_wins() -> None:
    assert found("The claim registration service.", "Claim Registration", "Claim Registration Service") == [
        "claim registration service"
    ]


def test_names_that_begin_with_the_same_words_are_told_apart() -> None:
    names = (
        "`a-b`",
        "claim-desk",
        "Claim-Desk Rules",
        "Claim Registration",
        "Claim Payment Run",
        "Claim Payment Run Log",
    )
    text = "A claim, a claim-desk rules the claim payment run: claim payment, claim-desk rule, claim payment run log"
    assert found(text, *names) == ["claim-desk rules", "claim payment run", "claim-desk", "claim payment run log"]


def test_nothing_is_found_without_names() -> None:
    assert found("The claim registration service.") == []


def test_a_longer_name_of_another_source_does_not_hide_a_name() -> None:
    names = [*known("Claim Registration"), *known("Claim Registration Service", source=2)]
    places = KnownNames(names).places("A claim registration service.")
    assert [place.name for place in places] == ["claim registration service", "claim registration"]


@pytest.mark.parametrize(
    "text",
    [
        "preclaim registrations",
        "claim registration-based",
        "see /claim registration/x",
        "`claim` registration",
        "claim, registration",
        "claim\n\nregistration",
        "[x](claim registration)",
        "https://example.org/claim registration",
        "<a title='claim registration'>",
        "```\nclaim registration\n```",
        "~~~\nclaim registration",
    ],
)
def test_parts_of_words_and_invisible_text_are_not_mentions(text: str) -> None:
    assert found(text, "Claim Registration") in ([], ["registration"])


def test_a_name_may_be_broken_over_lines() -> None:
    assert found("the claim\n  registration", "Claim Registration") == ["claim\n  registration"]


@pytest.mark.requirement("mentions-follow-the-rules")
def test_a_plain_word_counts_inside_of_a_sentence_as_its_documents_write_it() -> None:
    text = "Customer first. The customer met a Customer.\n- Customer\n| Customer | Our Customer Desk"
    assert found(text, "Customer") == ["Customer"]
    assert [place.span.start for place in KnownNames(known("Customer")).places(text)] == [35]


def test_a_plain_word_counts_as_a_whole_piece_of_code_or_a_whole_link() -> None:
    assert found("Use `stdio`, not `stdio pipes`. `STDIO`", "stdio") == ["stdio", "STDIO"]
    assert found("[**Contributor**](#c) and the [Contributor Guide](#g)", "Contributor") == ["Contributor"]


def test_a_plain_word_in_a_sentence_is_marked_for_those_who_count_documents() -> None:
    names = KnownNames(known("Customer", "Claim Registration"))
    places = names.places("Our claim registration of a Customer, see `Customer`.")
    assert [(place.name, place.plain) for place in places] == [
        ("claim registration", False),
        ("customer", True),
        ("customer", False),
    ]


def test_compounds_count_wherever_they_are_written_as_in_their_documents() -> None:
    text = "JSON-RPC and Json-Rpc; tools/list, inputRequests, TOOLS/LIST"
    assert found(text, "JSON-RPC", "tools/list", "InputRequests") == ["JSON-RPC", "tools/list", "inputRequests"]


def test_a_name_at_the_end_of_a_longer_one_is_not_mentioned() -> None:
    assert found("from the National Weather Service", "Weather Service") == []
    assert found("from the MCP Weather Service", "Weather Service") == ["Weather Service"]


@pytest.mark.parametrize(
    "name", ["c++ notes", "what (is) a.*b [x]", "a\\b c", "$HOME dir", "§ 5 rules", "straße am see"]
)
def test_names_with_any_characters_are_found_as_they_stand(name: str) -> None:
    assert found(f"so {name} it is", name) == [name]


def test_a_name_of_many_words_is_a_sentence_and_not_looked_for() -> None:
    assert found("x " * 60, "x " * 59) == []


def test_letters_that_fold_to_several_keep_every_place() -> None:
    assert found("İßİ straße: the claim registration", "Claim Registration") == ["claim registration"]


HOSTILE = {
    "many words": "claim desk registration " * 100_000,
    "backticks": "`a" * 200_000,
    "brackets": "](" * 200_000,
    "tags": "<a" * 200_000,
    "fences": "```\n" * 200_000,
    "addresses": "://" * 200_000,
    "blanks": " " * 500_000 + "\n" * 500_000,
    "one word": "a" * 1_000_000,
    "joined": "a-" * 500_000,
}


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_hostile_texts_take_no_longer_than_others(kind: str) -> None:
    names = KnownNames(known("Claim Registration", "claim", *(" ".join(["claim"] * many) for many in range(2, 60))))
    began = process_time()
    list(names.places(HOSTILE[kind]))
    assert process_time() - began < 30
