"""What a question calls by name, and no document does."""

import pytest

from citemark.model.candidates import QueryTerm
from citemark.model.ids import SourceId
from citemark.retrieval.names import capitals_name, unknown_names


def terms(**counts: int) -> list[QueryTerm]:
    return [QueryTerm(lexeme, SourceId(1), number, df) for number, (lexeme, df) in enumerate(counts.items())]


@pytest.mark.parametrize(
    ("question", "counts", "names"),
    [
        ("How do I carry messages over MQTT topics?", {"carri": 3, "messag": 9, "mqtt": 0, "topic": 2}, ("MQTT",)),
        ("Is there an official Haskell SDK?", {"offici": 4, "haskel": 0, "sdk": 7}, ("Haskell",)),
        ("How many requests before it answers 429?", {"request": 5, "answer": 2, "429": 0}, ("429",)),
        ("Somebody quits: how do we cut off everything?", {"somebodi": 0, "quit": 0, "cut": 1}, ()),
        ("Who reads server.json?", {"read": 3, "server.json": 0, "server": 9, "json": 8, "serverjson": 0}, ()),
        ("What does -32020 mean?", {"-32020": 4, "32020": 0, "mean": 2}, ()),
        ("Which Helm Chart Values Do I Set?", {"helm": 0, "chart": 0, "valu": 3, "set": 2}, ()),
        ("where is the zeppelin", {"zeppelin": 0}, ()),
    ],
)
def test_a_name_is_unknown_when_no_part_of_it_stands_anywhere(
    question: str, counts: dict[str, int], names: tuple[str, ...]
) -> None:
    assert unknown_names(question, terms(**counts)) == names


def test_a_capital_names_nothing_where_nouns_have_one() -> None:
    question, counts = "Wo steht das Fahrrad?", {"steht": 1, "fahrrad": 0}
    assert unknown_names(question, terms(**counts), capitals=False) == ()


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
def test_a_capital_names_something_unless_the_question_may_be_german(terms: list[QueryTerm], *, names: bool) -> None:
    assert capitals_name(terms) is names


@pytest.mark.parametrize("question", ["¿Cuándo pintaron la casa?", "«Quand» fut-elle peinte ?", "„Wann“ war das?"])
def test_no_name_is_the_first_word_behind_an_opening_sign(question: str) -> None:
    assert unknown_names(question, terms(cuando=0, cuánd=0, quand=0, wann=0, cas=1)) == ()


def test_a_name_beside_a_script_without_spaces_is_a_name_of_its_own() -> None:
    question = "MQTTトピックの設定は？"  # noqa: RUF001
    assert unknown_names(question, terms(mqtt=0, トピ=3, 設定=2)) == ("MQTT",)
    assert unknown_names(question, terms(mqtt=4, トピ=0, 設定=2)) == ()
