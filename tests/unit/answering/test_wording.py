"""Stems, clauses and what a denial reaches."""

import pytest

from citemark.answering.wording import clauses, denied, denies, polar_clauses, stem, terms


def reach(text: str) -> list[set[str]]:
    return [set(stems) for stems in denied(text)]


@pytest.mark.requirement("known-survivors-are-killed")
def test_a_negation_covers_the_next_four_content_words() -> None:
    assert reach("The server does not delete the original invoices of last year today.") == [
        {stem("delete"), stem("original"), stem("invoices"), stem("last")}
    ]


def test_a_negation_ends_with_its_clause() -> None:
    assert reach("It cannot expire, the invoices stay.") == [{stem("expire")}]
    assert reach("It never expires but invoices do.") == [{stem("expires")}]


def test_a_bare_no_negates_everything_that_was_asked() -> None:
    assert reach("Delete invoices? Currently, no.") == [{stem("delete"), stem("invoices"), stem("currently")}]


def test_words_such_as_prevent_negate_what_follows_them() -> None:
    assert reach("Admins prevent password changes here.") == [{stem("password"), stem("changes"), stem("here")}]
    assert denies("Shared calendars are unavailable.")
    assert not denies("Shared calendars are shown.")


@pytest.mark.parametrize(
    ("one", "other"),
    [("requires", "required"), ("listing", "lists"), ("strings", "string"), ("notes", "note")],
)
def test_forms_of_a_word_share_its_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_an_ending_is_cut_only_where_four_letters_are_left() -> None:
    assert stem("string") == "string"
    assert stem("rings") == "ring"
    assert stem("red") == "red"
    assert stem("seal") == "seal"
    assert stem("manual") == "manu"


def test_a_stem_has_six_letters_at_most() -> None:
    assert stem("administrator") == "admini"


def test_words_that_every_text_has_are_not_terms() -> None:
    assert [(term.stem, term.start, term.end) for term in terms("It is in the folder")] == [("fold", 13, 19)]


def test_commas_and_conjunctions_part_clauses() -> None:
    assert clauses("It starts, waits and ends because nothing is left") == [
        "It starts",
        "waits",
        "ends",
        "nothing is left",
    ]


@pytest.mark.requirement("negations-are-compared")
def test_a_denial_with_nothing_after_it_is_about_what_stands_before_it() -> None:
    assert reach("Glazes with lead are forbidden.") == [{stem("glazes"), stem("lead")}]
    (room,) = (each for each in polar_clauses("The wheel room is open, but the glaze room is not.") if each.denied)
    assert room.denies(frozenset({stem("glaze"), stem("room")}))
    assert {stem("open"), stem("glaze")} <= room.stems


@pytest.mark.requirement("negations-are-compared")
@pytest.mark.parametrize(
    "text",
    [
        "It is _not_ deleted.",
        "It is **never** deleted.",
        "Das wird nicht gelöscht.",
        "Ce n'est jamais effacé.",
        "Aucun fichier ne reste.",
        "C'est interdit.",
    ],
)
def test_denials_are_seen_in_three_languages_and_under_emphasis(text: str) -> None:
    assert denies(text)


def test_a_french_restriction_is_no_denial() -> None:
    assert not denies("Le thermostat ne fonctionne qu'avec des piles.")


def test_a_no_answers_the_question_before_it() -> None:
    assert any(
        each.denies(frozenset({stem("delete"), stem("server")}))
        for each in polar_clauses("Can I delete my server? Currently, no.")
    )


def test_a_german_participle_has_the_stem_of_its_verb() -> None:
    assert stem("geführt") == stem("führte")
