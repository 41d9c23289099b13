"""What a question calls by name, and no document does."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.model.candidates import QueryTerm
from citemark.model.ids import SourceId
from citemark.retrieval.question_words import NameCandidate, capitals_name, names_in, unknown_names

Counts = Mapping[str, Mapping[str, int]]
"""By configuration, the lexemes that it reads in a name, each with the number of chunks that hold it."""


def readings(counts: Counts) -> list[QueryTerm]:
    return [
        QueryTerm(lexeme, SourceId(1), number, df, configuration)
        for configuration, lexemes in counts.items()
        for number, (lexeme, df) in enumerate(lexemes.items())
    ]


def unknown(counts: Counts, configurations: set[str] | None = None) -> bool:
    """Whether one name is unknown."""
    found = unknown_names([NameCandidate("it")], {"it": readings(counts)}, configurations or set(counts))
    return found == ("it",)


@pytest.mark.parametrize(
    ("question", "names", "by_capital"),
    [
        ("How do I carry messages over MQTT topics?", ["MQTT"], []),
        ("Is there an official Haskell SDK?", ["Haskell", "SDK"], ["Haskell"]),
        ("How many requests before it answers 429?", ["429"], []),
        ("Somebody quits: how do we cut off everything?", [], []),
        ("Who reads server.json before 2024-11-05?", ["2024-11-05"], []),
        ("What does -32020 mean?", ["-32020"], []),
        ("Which Helm Chart Values Do I Set?", [], []),
        ("where is the zeppelin", [], []),
        ("Wer kennt den OrderService im Büro?", ["OrderService", "Büro"], ["Büro"]),
        ("¿Cuándo pintaron la casa?", [], []),
        ("«Quand» fut-elle peinte ?", [], []),
        ("„Wann“ war das?", [], []),
        ("MQTTトピックの設定は？", ["MQTT"], []),  # noqa: RUF001
    ],
)
def test_a_name_has_a_digit_an_inner_capital_or_a_capital_where_no_sentence_begins(
    question: str, names: list[str], by_capital: list[str]
) -> None:
    found = names_in(question)
    assert [name.text for name in found] == names
    assert [name.text for name in found if name.by_capital] == by_capital


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


@pytest.mark.requirement("R19")
def test_a_name_that_one_language_knows_by_its_stem_is_known_whatever_another_reads_in_it() -> None:
    assert not unknown({"english": {"registri": 6}, "german": {"registry": 0}})
    assert not unknown({"german": {"registry": 0}, "english": {"registri": 6}})
    assert unknown({"english": {"registri": 0}, "german": {"registry": 0}})


@pytest.mark.requirement("R19")
def test_a_language_in_which_a_name_is_a_stop_word_cannot_call_it_unknown() -> None:
    assert not unknown({"german": {"it": 0}}, {"english", "german"})
    assert not unknown({}, {"english"})
    assert not unknown({}, set())


@pytest.mark.requirement("R19")
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


def test_a_capital_letter_marks_no_name_where_all_nouns_have_one() -> None:
    names = names_in("Wo steht das Fahrrad?")
    absent = {"Fahrrad": readings({"german": {"fahrrad": 0}})}
    assert unknown_names(names, absent, {"german"}) == ("Fahrrad",)
    assert unknown_names(names, absent, {"german"}, capitals=False) == ()


def reading(configuration: str, *words: str) -> list[QueryTerm]:
    return [QueryTerm(word, SourceId(1), number, 1, configuration) for number, word in enumerate(words)]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        (reading("english", "is", "fahrrad"), True),
        (reading("french", "ist", "fahrrad"), True),
        ([*reading("english", "wo", "steht", "das"), *reading("german", "steht")], False),
        ([*reading("english", "bike"), *reading("german", "where", "is", "bike")], True),
        ([*reading("english", "bike"), *reading("german", "bike")], False),
        ([], True),
    ],
)
def test_a_capital_letter_marks_a_name_unless_the_question_may_be_german(
    terms: list[QueryTerm], *, names: bool
) -> None:
    assert capitals_name(terms) is names
