"""Where sentences end, in English, German and French."""

import pytest

from citemark.text.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text, 0, len(text), 0)]


@pytest.mark.requirement("abbreviations-do-not-split-sentences")
@pytest.mark.parametrize(
    "whole",
    [
        "We meet at Hauptstr. 5 in Bonn.",
        "Write to Bahnhof Str. 12, please.",
        "Call us at tel. 030 123 or Tel. +49 30 123.",
        "See No. 7 and Nr. 8, Art. 3 Abs. 2 and § 4 S. 1.",
        "Das gilt z. B. für Pumpen, d. h. für alle.",
        "Das gilt u. a. für Pumpen.",
        "Herr Dr. Meier und Hr. Kunz kommen ca. um acht.",
        "Am 29. September beginnt es.",
        "Mme. Curie arrive, p. ex. le soir.",
        "Le tél. 01 23 est le n. 5 de la liste.",
        "4. Settings of the valve",
        "4.2. Settings of the valve",
        "It costs 5 Mio. Euro.",
        "Mail J. Smith on Jan. 5 at Acme Inc. today.",
    ],
)
def test_a_full_stop_in_an_abbreviation_or_number_does_not_end_a_sentence(whole: str) -> None:
    assert cut(whole) == [whole]


@pytest.mark.requirement("abbreviations-do-not-split-sentences")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ends. 4. Settings follow.", ["It ends.", "4. Settings follow."]),
        ("Er wohnt in der Hauptstr. Dort ist es laut.", ["Er wohnt in der Hauptstr.", "Dort ist es laut."]),
        ("Is it no? No. Yes.", ["Is it no?", "No.", "Yes."]),
        ("Pumps, valves, etc. Then more.", ["Pumps, valves, etc.", "Then more."]),
        ("Ça va ? Oui. « Bien. » Fin.", ["Ça va ?", "Oui.", "« Bien. »", "Fin."]),
        ("It was 2019. Then came rain.", ["It was 2019.", "Then came rain."]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected
