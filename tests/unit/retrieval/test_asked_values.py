"""The kinds of values that questions ask for, and passages that give none of them."""

from collections.abc import Mapping

import pytest
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.completeness import ALL_READ
from citemark.retrieval.asked_values import kind_asked_for

MONEY, PHONE, MAIL, POSTAL, ACCOUNT = (
    "an amount of money",
    "a phone number",
    "an e-mail address",
    "a postal address",
    "an account number",
)

ASKED: Mapping[str, tuple[str, ...]] = {
    MONEY: (
        "What does a Kestrel subscription cost per month?",
        "how much was the cabin in Lofoten",
        "Was kostet der Hort im Monat?",
        "Wie teuer ist ein Zimmer?",
        "Combien coûte une nuit ?",
        "¿Cuánto cuesta el billete?",
        "Quanto costa il biglietto?",
        "What is the monthly fee?",
    ),
    PHONE: ("What is Jonas Pihl's phone number?", "Telefonnummer vom Bauamt", "Quel est le numéro de téléphone ?"),
    MAIL: ("What is Noemi's e-mail address?", "Wie lautet die E-Mail-Adresse von Ines?", "email address of the club"),
    POSTAL: ("Which postal address do I write to?", "Wie ist die Anschrift des Vereins?"),
    ACCOUNT: ("IBAN of the landlord", "Welche Kontonummer hat der Verein?"),
}
OTHER_QUESTIONS = (
    "How much is known about boundary layers?",
    "What is the mapping of cost centers?",
    "Which address does the server listen on?",
    "Which phone do I get?",
    "What is the number of the room?",
    "Was ist im März geplant?",
)
GIVEN: Mapping[str, tuple[str, ...]] = {
    MONEY: (
        "A night costs 140 euros.",
        "€ 12",
        "12,50 €",
        "CHF 300",
        "$1,200",
        "It is free of charge.",
        "kostenlos",
        "Miete: 900",
        "40 per night",
    ),
    PHONE: ("Tel. 112", "+49 30 1234567", "(0761) 44 55 66", "555-123-4567", "phone: 4711", "0761/123456"),
    MAIL: ("Write to a.b@example.org.",),
    POSTAL: ("Hauptstraße 5", "79098 Freiburg", "12 Long Acre Road", "P.O. Box 12", "Postfach 3", "SW1A 1AA"),
    ACCOUNT: ("DE89 3704 0044 0532 0130 00", "Konto 1234567"),
}
NOT_GIVEN: Mapping[str, tuple[str, ...]] = {
    MONEY: ("The plan has 12 months.", "Feel free to ask.", "It takes 5 seconds a page."),
    PHONE: ("On 2026-03-01 at 10:30.", "Version 1.20.300", "See section 4711."),
    MAIL: ("Use the @name of a person.",),
    POSTAL: ("The address is 127.0.0.1.", "Twelve ways lead there."),
    ACCOUNT: ("Number 12",),
}


@pytest.mark.requirement("lacking-values")
def test_a_question_for_a_value_is_recognized_in_several_languages() -> None:
    for name, questions in ASKED.items():
        for question in questions:
            kind = kind_asked_for(question)
            assert kind is not None, question
            assert kind.name == name, question
    assert not [question for question in OTHER_QUESTIONS if kind_asked_for(question)]


@pytest.mark.requirement("lacking-values")
def test_a_value_is_recognized_by_its_form() -> None:
    for name, questions in ASKED.items():
        kind = kind_asked_for(questions[0])
        assert kind is not None
        assert not [text for text in GIVEN[name] if not kind.is_in(text)]
        assert not [text for text in NOT_GIVEN[name] if kind.is_in(text)]


TEXTS = {
    "kestrel.md": "The Kestrel subscription has a viewer, an editor and a monthly report.",
    "meters.md": "The meter subscription of a tenant costs 4 euros per month.",
}
QUESTION = "What does a Kestrel subscription cost per month?"


@pytest.mark.requirement("lacking-values")
async def test_the_documents_do_not_say_if_no_passage_about_the_matter_gives_the_value() -> None:
    ranking = await InMemoryWorld(TEXTS).rank(f"please, {QUESTION}")
    assert ranking.candidates
    assert ranking.absence.told == "unsaid"
    assert ranking.absence.line(ALL_READ, shown=True) == (
        "The documents do not say (no passage found for it gives an amount of money). Nearest passages:"
    )


@pytest.mark.requirement("lacking-values")
async def test_a_passage_that_gives_the_value_is_not_called_silent() -> None:
    world = InMemoryWorld({**TEXTS, "prices.md": "The Kestrel subscription costs 12 euros per month."})
    assert (await world.rank(f"please, {QUESTION}")).absence.lacking == ""
    nameless = InMemoryWorld(TEXTS)
    assert (await nameless.rank("what does the subscription cost per month")).absence.lacking == "", "4 euros"
