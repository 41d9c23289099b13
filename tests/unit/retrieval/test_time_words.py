"""What questions in eight languages say about time."""

from datetime import date

import pytest

from citemark.retrieval.time_words import asks_for_newest, time_words, without_time_words

WEDNESDAY = date(2026, 11, 25)


@pytest.mark.requirement("time-words")
@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("When is my next dentist appointment?", "next"),
        ("Which upcoming meetings have I got?", "next"),
        ("Wann ist mein nächster Zahnarzttermin?", "next"),
        ("Quand est mon prochain rendez-vous ?", "next"),
        ("¿Cuándo es mi próxima cita?", "next"),
        ("Quando è il mio prossimo appuntamento?", "next"),
        ("Wanneer is mijn volgende afspraak?", "next"),
        ("Quando é a minha próxima consulta?", "next"),
        ("Kiedy jest moja następna wizyta?", "next"),
        ("Kiedy mam najbliższe spotkanie?", "next"),
        ("When was the last board meeting?", "last"),
        ("Wann war der letzte Elternabend?", "last"),
        ("Quand était la dernière réunion ?", "last"),
        ("¿Cuándo fue la última reunión?", "last"),
        ("Wanneer was de vorige vergadering?", "last"),
        ("Kiedy było ostatnie zebranie?", "last"),
        ("How long does the meeting last?", None),
        ("What is her last name?", None),
        ("When is the board meeting?", None),
    ],
)
def test_next_and_last_give_an_order(question: str, order: str | None) -> None:
    assert time_words([question], WEDNESDAY).order == order


@pytest.mark.requirement("latest-is-newest")
@pytest.mark.parametrize(
    ("question", "newest"),
    [
        ("What does the latest report say?", True),
        ("Which is the newest price list?", True),
        ("What does the current version of the policy say?", True),
        ("Show the most recent minutes", True),
        ("Was steht im neuesten Protokoll?", True),
        ("Was sagt die aktuelle Fassung der Satzung?", True),
        ("Que dit le compte rendu le plus récent ?", True),
        ("¿Qué dice el informe más reciente?", True),
        ("Cosa dice il verbale più recente?", True),
        ("Wat staat er in het nieuwste verslag?", True),
        ("O que diz o relatório mais recente?", True),
        ("Co mówi najnowszy raport?", True),
        ("Who are the current maintainers?", False),
        ("Which version is supported?", False),
        ("When is the next meeting?", False),
    ],
)
def test_the_latest_and_the_current_version_ask_for_the_newest_document(question: str, newest: bool) -> None:
    assert asks_for_newest([question]) is newest
    assert asks_for_newest(["nothing of the kind", question]) is newest


@pytest.mark.requirement("time-words")
@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What do I have today?", "2026-11-25", "2026-11-25"),
        ("Was steht morgen an?", "2026-11-26", "2026-11-26"),
        ("Was steht übermorgen an?", "2026-11-27", "2026-11-27"),
        ("What is on the day after tomorrow?", "2026-11-27", "2026-11-27"),
        ("Qu'est-ce que j'avais hier ?", "2026-11-24", "2026-11-24"),
        ("¿Qué tengo pasado mañana?", "2026-11-27", "2026-11-27"),
        ("Co mam jutro?", "2026-11-26", "2026-11-26"),
        ("What is due this week?", "2026-11-23", "2026-11-29"),
        ("Was ist diese Woche fällig?", "2026-11-23", "2026-11-29"),
        ("Which meetings are next week?", "2026-11-30", "2026-12-06"),
        ("Quels rendez-vous la semaine prochaine ?", "2026-11-30", "2026-12-06"),
        ("¿Qué hay la semana que viene?", "2026-11-30", "2026-12-06"),
        ("O que tenho na próxima semana?", "2026-11-30", "2026-12-06"),
        ("Cosa c'è la settimana prossima?", "2026-11-30", "2026-12-06"),
        ("Wat heb ik volgende week?", "2026-11-30", "2026-12-06"),
        ("Co mam w przyszłym tygodniu?", "2026-11-30", "2026-12-06"),
        ("Who came last month?", "2026-10-01", "2026-10-31"),
        ("Wer kam letzten Monat?", "2026-10-01", "2026-10-31"),
        ("What is planned for next month?", "2026-12-01", "2026-12-31"),
        ("What happens this weekend?", "2026-11-28", "2026-11-29"),
        ("What is on next Friday?", "2026-11-27", "2026-11-27"),
        ("Was ist nächsten Mittwoch?", "2026-12-02", "2026-12-02"),
        ("Who was there last Friday?", "2026-11-20", "2026-11-20"),
        ("What will next year bring?", "2027-01-01", "2027-12-31"),
    ],
)
def test_days_and_periods_are_counted_from_today(question: str, first: str, last: str) -> None:
    found = time_words([question], WEDNESDAY)
    assert (found.order, found.days) == (None, (date.fromisoformat(first), date.fromisoformat(last)))


@pytest.mark.parametrize("month", range(1, 13))
def test_months_end_on_their_last_day(month: int) -> None:
    named = time_words(["this month"], date(2028, month, 1)).days
    assert named is not None
    assert (named[0].day, named[1].month) == (1, month)
    assert (named[1] - date(2028, month, 1)).days in {28, 29, 30}


@pytest.mark.parametrize(
    "question",
    ["Which tasks are overdue?", "Was ist überfällig?", "Quelles tâches sont en retard ?", "Co jest zaległe?"],
)
def test_overdue_things_are_asked_for(question: str) -> None:
    assert time_words([question], WEDNESDAY).overdue


@pytest.mark.parametrize(
    "question", ["Was steht hier in der Satzung?", "How is the pump primed?", "Wie funktioniert das?"]
)
def test_other_questions_say_nothing_about_time(question: str) -> None:
    assert not time_words([question], WEDNESDAY)


def test_a_further_phrasing_may_say_what_the_question_does_not() -> None:
    assert time_words(["dentist", "next dentist appointment"], WEDNESDAY).order == "next"


@pytest.mark.requirement("time-words")
@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("When is my next dentist appointment?", "When is my dentist appointment?"),
        ("Is there yoga this week?", "Is there yoga ?"),
        ("Wann ist der nächste Elternabend?", "Wann ist der Elternabend?"),
        ("How is the pump primed?", "How is the pump primed?"),
        ("tomorrow", "tomorrow"),
    ],
)
def test_words_about_time_are_no_words_of_the_matter(question: str, rest: str) -> None:
    assert without_time_words(question, WEDNESDAY) == rest
