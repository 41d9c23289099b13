"""Numbers written in words, in three languages."""

import pytest

from citemark.answering.number_words import Language, number_words


def found(text: str, *languages: Language) -> list[tuple[str, int]]:
    return [(each.span.of(text), each.value) for each in number_words(text, languages)]


@pytest.mark.requirement("number-words-are-amounts")
@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "seven", 7),
        ("en", "Forty-Five", 45),
        ("en", "ninety nine", 99),
        ("en", "one thousand two hundred", 1200),
        ("en", "two hundred and fifty", 250),
        ("en", "three dozen", 36),
        ("en", "a dozen", 12),
        ("de", "sieben", 7),
        ("de", "einundzwanzig", 21),
        ("de", "zweihundertfünfzig", 250),
        ("de", "dreissig", 30),
        ("de", "DREI\u1e9eIG", 30),
        ("de", "ein Dutzend", 12),
        ("fr", "vingt et un", 21),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "mille deux cents", 1200),
        ("fr", "une douzaine", 12),
        ("en", "F\u0130VE", 5),
    ],
)
def test_number_words_have_their_value_and_place(language: Language, text: str, value: int) -> None:
    assert found(f"ab {text} xyz", language) == [(text, value)]


@pytest.mark.parametrize(
    "text", ["a pump", "ein Ventil", "un chien", "the second valve", "le deuxième jour", "x" * 5_000]
)
def test_articles_ordinals_and_other_words_are_no_numbers(text: str) -> None:
    assert found(text, "en", "de", "fr") == []


def test_a_comma_ends_a_number() -> None:
    assert found("two, three hundred", "en") == [("two", 2), ("three hundred", 300)]


def test_a_round_number_alone_is_vague() -> None:
    assert [each.vague for each in number_words("hundred reasons, five hundred reasons", ["en"])] == [True, False]
