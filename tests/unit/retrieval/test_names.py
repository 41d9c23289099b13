"""The names in a question, and which of them no document writes."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.model.candidates import QueryTerm
from citemark.model.ids import SourceId
from citemark.retrieval.names import (
    NameCandidate,
    Spelling,
    candidates_in,
    identifiers_in,
    is_absent,
    is_ordinary,
    lower_words,
    without,
    wording_in,
)

Counts = Mapping[str, Mapping[str, int]]
"""By configuration, the lexemes that it reads in a name, each with the number of chunks that hold it."""

_STOP_WORDS = {
    "english": "the of is who what does how do i for and on where when are in before must which to a was will did my",
    "german": "wo wie das der die den ist wird im und bei ein in was will zu mein",
    "dutch": "de het is die van een wie",
}
STOP_WORDS = {
    word: frozenset(language for language, words in _STOP_WORDS.items() if word in words.split())
    for word in " ".join(_STOP_WORDS.values()).split()
}


def readings(counts: Counts) -> list[QueryTerm]:
    return [
        QueryTerm(lexeme, SourceId(1), number, df, configuration)
        for configuration, lexemes in counts.items()
        for number, (lexeme, df) in enumerate(lexemes.items())
    ]


def unknown(counts: Counts, configurations: set[str] | None = None, name: str = "it") -> bool:
    """Whether one name is unknown."""
    return is_absent(NameCandidate(name), readings(counts), configurations or set(counts))


def names_in(phrasing: str) -> list[str]:
    """The names in a phrasing, as its other words let them be judged."""
    spelling = Spelling(phrasing, {word: STOP_WORDS[word] for word in lower_words([phrasing]) if word in STOP_WORDS})
    return [name.text for name in candidates_in(phrasing) if spelling.is_name(name)]


@pytest.mark.parametrize(
    ("question", "names", "by_capital"),
    [
        ("How do I carry messages over MQTT topics?", ["MQTT"], []),
        ("Is there an official Haskell SDK?", ["Haskell", "SDK"], ["Haskell"]),
        ("How many requests before it answers 429?", ["429"], []),
        ("Somebody quits: how do we cut off everything?", [], []),
        ("Who reads server.json before 2024-11-05?", ["2024-11-05"], []),
        ("What does -32020 mean?", ["-32020"], []),
        ("What are the 12 steps?", [], []),
        ("where is the zeppelin", [], []),
        ("¿Cuándo pintaron la casa?", [], []),
        ("«Quand» fut-elle peinte ?", [], []),
        ("„Wann“ war das?", [], []),
        ("MQTTトピックの設定は？", ["MQTT"], []),  # noqa: RUF001
    ],
)
def test_a_name_has_a_digit_an_inner_capital_or_a_capital_where_no_sentence_begins(
    question: str, names: list[str], by_capital: list[str]
) -> None:
    found = candidates_in(question)
    assert [name.text for name in found] == names
    assert [name.text for name in found if name.by_capital] == by_capital


@pytest.mark.requirement("ordinary-words-are-no-names")
@pytest.mark.parametrize(
    ("phrasing", "names"),
    [
        ("Who is Tobias Renner?", ["Tobias", "Renner"]),
        (
            "Did Joe Biden, Kamala Harris and Nancy Pelosi speak?",
            ["Joe", "Biden", "Kamala", "Harris", "Nancy", "Pelosi"],
        ),
        ("Which Straight Pipe Lengths Must Installers Leave Before The Meter?", []),
        ("Setting the Chart Values Behind Every Ingress", []),
        ("Setting the Chart Values Behind ACME Ingress", ["ACME"]),
        ("PLEASE TELL ME WHAT IS THE LIMIT OF X100", ["X100"]),
        ("what is the limit of the ACME gateway", ["ACME"]),
        ("Wo ist der Sammelplatz bei Feueralarm?", []),
        ("Wie lange dauert die Probezeit?", []),
        ("Wo ist der OrderService im Büro?", ["OrderService"]),
        ("Wie is Tobias Renner?", ["Tobias", "Renner"]),
        ("What was Renner in Oslo?", ["Renner", "Oslo"]),
        ("Tell me, Wann and Qui are what?", []),
    ],
)
def test_whether_a_capital_marks_a_name_is_judged_by_the_other_words_of_the_phrasing(
    phrasing: str, names: list[str]
) -> None:
    assert names_in(phrasing) == names


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("server2.json", "server2.json server2 json server2json"),
        ("-32020", "-32020 32020"),
        ("Registry", "Registry"),
    ],
)
def test_a_name_is_looked_up_whole_in_parts_and_joined(name: str, forms: str) -> None:
    assert NameCandidate(name).forms == forms


def test_a_name_is_unknown_when_no_part_of_it_occurs_anywhere() -> None:
    assert unknown({"english": {"haskel": 0}})
    assert not unknown({"english": {"server.json": 0, "server": 9, "json": 0}})


def test_a_name_with_a_number_that_occurs_nowhere_is_unknown_although_its_letters_occur() -> None:
    counts = {"english": {"fm": 4, "750": 0, "-750": 0, "fm750": 0}}
    assert unknown(counts, name="FM-750")
    assert not unknown({"english": {**counts["english"], "750": 1}}, name="FM-750")
    assert not unknown({"english": {"-32020": 3, "32020": 0}}, name="-32020"), "a sign does not tell numbers apart"


@pytest.mark.requirement("names-compared-in-document-language")
def test_a_name_that_one_language_knows_by_its_stem_is_known_whatever_another_reads_in_it() -> None:
    assert not unknown({"english": {"registri": 6}, "german": {"registry": 0}})
    assert not unknown({"german": {"registry": 0}, "english": {"registri": 6}})
    assert unknown({"english": {"registri": 0}, "german": {"registry": 0}})


@pytest.mark.requirement("names-compared-in-document-language")
def test_a_language_in_which_a_name_is_a_stop_word_cannot_call_it_unknown() -> None:
    assert not unknown({"german": {"it": 0}}, {"english", "german"})
    assert not unknown({}, {"english"})
    assert not unknown({}, set())


@pytest.mark.requirement("names-compared-in-document-language")
@given(
    st.dictionaries(
        st.sampled_from(["english", "german", "french"]),
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=2),
        min_size=1,
    ),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=2),
)
def test_documents_in_one_more_language_never_make_a_name_unknown(counts: Counts, more: Mapping[str, int]) -> None:
    before = unknown(counts)
    after = unknown({**counts, "swedish": more}, {*counts, "swedish"})
    assert before or not after


@pytest.mark.parametrize(
    ("name", "phrasing", "stands"),
    [
        ("Haskell", "haskell client library", True),
        ("Okta-sleutel", "reset the Okta key", True),
        ("FM-750", "range of the FM-220", False),
        ("Oslo", "Osloer office", False),
    ],
)
def test_a_name_stands_in_a_phrasing_whole_or_by_a_longer_part(name: str, phrasing: str, *, stands: bool) -> None:
    assert NameCandidate(name).stands_in(phrasing) is stands


def test_a_phrasing_without_its_names_is_the_rest_of_its_words() -> None:
    assert without("What did Biden say in Oslo?", [NameCandidate("Biden")]) == "What did say in Oslo?"
    assert without("Biden?", [NameCandidate("Biden")]) == ""


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("what does max_connections do", {"max_connections"}),
        ("ERR-1042 or server.json", {"ERR-1042", "server.json"}),
        ("how do I grease the axle?", set[str]()),
    ],
)
def test_identifiers_have_a_digit_an_inner_capital_or_an_inner_mark(question: str, identifiers: set[str]) -> None:
    assert identifiers_in(question) == identifiers


@pytest.mark.requirement("unknown-name-sought-everywhere")
@pytest.mark.parametrize("date", ["November 2026", "31.10.2026", "11/2026", "3 March 2027", "12. Mai 2026"])
def test_a_date_is_no_name_because_documents_write_it_in_other_forms(date: str) -> None:
    assert [name.text for name in candidates_in(f"what did the Kestrel show in {date}")] == ["Kestrel"]
    assert [name.text for name in candidates_in("in the 2025-06-18 revision")] == ["2025-06-18"], (
        "the name of a version"
    )


@pytest.mark.requirement("ordinary-words-are-no-names")
def test_german_key_words_without_a_stop_word_are_no_names() -> None:
    assert names_in("Altpapier Abfuhr Tag") == []
    assert names_in("Sicherungskasten Belegung Badezimmer") == []
    assert names_in("Tobias Renner") == ["Renner"]
    assert names_in("Kestrel Modbus support") == ["Modbus"]


@pytest.mark.requirement("ordinary-words-are-no-names")
def test_words_that_only_a_question_needs_are_ordinary_unless_they_are_written_large() -> None:
    assert all(
        is_ordinary(word, {}) for word in ("may", "long", "mean", "means", "bedeutet", "wann", "Wann", "signifie")
    )
    assert not any(is_ordinary(word, {}) for word in ("May", "Long", "stay", "valve"))


@pytest.mark.requirement("ordinary-words-are-no-names")
def test_words_that_word_a_request_or_ask_for_a_measure_are_told_apart_from_what_it_is_about() -> None:
    assert wording_in("Please show me the difference: how tall is the roof?") == {
        "Please",
        "show",
        "difference",
        "tall",
    }
    assert wording_in("How does the pump work?") == {"work"}
    assert wording_in("How much is the roof?") == {"much"}
    assert wording_in("Wie hoch ist das Dach? Erkläre es bitte.") == {"hoch", "Erkläre", "bitte"}
    assert wording_in("The tall roof of Find and Give, beside the work of the deep sea") == frozenset()
