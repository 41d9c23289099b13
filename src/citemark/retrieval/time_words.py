"""What a question's words say about time, seen from a day: "next", "this week", "überfällig", "la semaine prochaine".

Eight languages. Only relative words are read; written dates are words like any other. What a word means does not depend
on the language of the question: the tables of all languages are read together, since none contradicts another.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

from citemark.text.letter_case import caseless

Order = Literal["next", "last"]
"""Whether dated things are wanted from now on, soonest first, or until now, latest first."""

_APART = 2
"""Words that may stand between "next" and "week": "la semana que viene", "den nächsten ganzen Monat"."""

_WEEK = 7
_SATURDAY = 5
_DECEMBER = 12


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# fmt: off
_NEXT = _words(
    "next upcoming coming forthcoming soonest nachste nachster nachsten nachstes nachstem kommende kommender "
    "kommenden kommendes demnachst prochain prochaine prochains prochaines proximo proxima proximos proximas "
    "siguiente siguientes viene vem prossimo prossima prossimi prossime volgende eerstvolgende komende aankomende "
    "aanstaande nastepny nastepna nastepne nastepnym nastepnej najblizszy najblizsza najblizsze najblizszym "
    "przyszly przyszla przyszle przyszlym przyszlej nadchodzacy nadchodzace"
)
_LAST = _words(
    "last previous latest letzte letzter letzten letztes letztem vorige voriger vorigen voriges vergangene "
    "vergangenen vergangener dernier derniere derniers dernieres passe passee ultimo ultima ultimos ultimas "
    "anterior pasado pasada passado passada scorso scorsa scorsi precedente laatste vorige afgelopen ostatni "
    "ostatnia ostatnie ostatnim ostatniej poprzedni poprzednia poprzednie zeszly zeszla zeszlym ubiegly ubieglym"
)
_THIS = _words(
    "this current diese dieser diesen dieses diesem laufende laufenden ce cet cette este esta esse essa questo "
    "questa quest deze dit ten ta to tym biezacy biezacym"
)
_OVERDUE = _words(
    "overdue uberfallig uberfallige uberfalligen retard echu echue vencido vencida vencidos vencidas atrasado "
    "atrasada atrasados atrasadas scaduto scaduta scaduti scadute achterstallig achterstallige zalegly zalegle "
    "zaleglych przeterminowane przeterminowany"
)
_WEEKS = _words(
    "week woche wochen semaine semana settimana tydzien tygodniu tygodnia"
)
_MONTHS = _words(
    "month monat monats mois mes mese maand miesiac miesiacu miesiaca"
)
_YEARS = _words(
    "year jahr jahres annee an ano anno jaar rok roku"
)
_WEEKENDS = _words(
    "weekend wochenende weekends finde weekendzie"
)
_DAYS = {
    "yesterday": -1, "gestern": -1, "hier": -1, "ayer": -1, "ieri": -1, "gisteren": -1, "ontem": -1, "wczoraj": -1,
    "today": 0, "tonight": 0, "heute": 0, "aujourd": 0, "hoy": 0, "oggi": 0, "vandaag": 0, "hoje": 0, "dzis": 0,
    "dzisiaj": 0,
    "tomorrow": 1, "morgen": 1, "demain": 1, "manana": 1, "domani": 1, "amanha": 1, "jutro": 1,
    "ubermorgen": 2, "overmorgen": 2, "dopodomani": 2, "pojutrze": 2, "vorgestern": -2, "eergisteren": -2,
}
_WEEKDAYS = (
    "monday montag lundi lunes lunedi maandag segunda poniedzialek",
    "tuesday dienstag mardi martes martedi dinsdag terca wtorek",
    "wednesday mittwoch mercredi miercoles mercoledi woensdag quarta sroda srode",
    "thursday donnerstag jeudi jueves giovedi donderdag quinta czwartek",
    "friday freitag vendredi viernes venerdi vrijdag sexta piatek",
    "saturday samstag sonnabend samedi sabado sabato zaterdag sobota sobote",
    "sunday sonntag dimanche domingo domenica zondag niedziela niedziele",
)
_NEWEST = _words(
    "newest latest neueste neuester neuesten neuestes neuestem aktuellste aktuellsten jungste jungsten recentste "
    "nieuwste najnowszy najnowsza najnowsze najnowszej najnowszego"
)
_RECENT = _words("recent recente recentes recents reciente recientes recenti")
_MOST = _words("most plus mas mais piu meest")
_CURRENT = _words(
    "current present aktuelle aktueller aktuellen aktuelles geltende gultige actuelle actuel actual vigente atual "
    "attuale huidige aktualna aktualny aktualne aktualnej obecna"
)
_EDITIONS = _words(
    "version versions revision release edition fassung ausgabe stand edicion versao edicao versione edizione versie "
    "uitgave wersja wersje wersji wydanie"
)
# fmt: on
_DAY_OF_WEEK = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
_DUE = frozenset({"due", "fallig", "fallige", "falligen", "echeance", "vence", "scade", "deadline"})
_FRENCH_YEAR = frozenset({"prochain", "dernier", "passe"})
"""What stands beside "an", which is a year in French and a preposition in German."""

_COMMON = frozenset(
    {"an", "ce", "ten", "ta", "to", "este", "esta", "hier", "dit", "mes", "viene", "vem", "segunda", "quarta"}
)
"""Words about time that are also others; they stay where they are."""

_EVERY = (
    _NEXT | _LAST | _THIS | _OVERDUE | _WEEKS | _MONTHS | _YEARS | _WEEKENDS | _DUE | _DAYS.keys() | _DAY_OF_WEEK.keys()
)
_WORD = re.compile(r"[^\W\d_]+")
_AFTER_TOMORROW = re.compile(r"\b(?:day after tomorrow|apres demain|pasado manana|depois de amanha)\b")
_BEFORE_YESTERDAY = re.compile(r"\b(?:day before yesterday|avant hier|antes de ayer|altro ieri)\b")
_HERE = re.compile(r"\bhier\b(?=\s+(?:ist|sind|in|im|am|auf|steht|wird|gibt|kann|we|is|zijn|op))|\A\s*wer\b.*\bhier\b")
"""German and Dutch "hier" is here; French "hier" is yesterday."""


_NOT_TIME = frozenset({"name", "names", "for", "until", "longer"})
"""What follows a "last" that is a verb or names a part."""


@dataclass(frozen=True, slots=True)
class TimeWords:
    """What a question says about time.

    `order`: towards the future or the past, or None. `days`: the first and the last day that it names, both included.
    `overdue`: whether it asks for what should be done already. `due`: whether it asks for what has a due date.
    """

    order: Order | None = None
    days: tuple[date, date] | None = None
    overdue: bool = False
    due: bool = False

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return self.order is not None or self.days is not None or self.overdue


def time_words(phrasings: Sequence[str], today: date) -> TimeWords:
    """The words about time of a question and its phrasings; the first phrasing that has any decides."""
    return next(filter(bool, (_read(phrasing, today) for phrasing in phrasings)), TimeWords())


def asks_for_newest(phrasings: Sequence[str]) -> bool:
    """Whether a question, in any phrasing, asks for the latest of several documents, or their current version."""
    return any(map(_asks_for_newest, phrasings))


def _asks_for_newest(question: str) -> bool:
    words = _WORD.findall(_without_accents(question))
    if not _NEWEST.isdisjoint(words):
        return True
    beside = list(pairwise(words))
    recent = any(one in _MOST and other in _RECENT for one, other in beside)
    return recent or any(
        (one in _CURRENT and other in _EDITIONS) or (one in _EDITIONS and other in _CURRENT) for one, other in beside
    )


def without_time_words(question: str, today: date) -> str:
    """The question without its words about time, which are no words of what it is about.

    A calendar's own text is full of them ("Next dates", "every week"), so they would find what repeats. Unchanged if
    nothing else is left.
    """
    text = _without_accents(question)
    if len(text) != len(question) or not _read(question, today):
        return question
    marked = [match.span() for match in _WORD.finditer(text) if match[0] in _EVERY]
    rest = question
    for start, end in reversed(marked):
        rest = f"{rest[:start]} {rest[end:]}"
    return " ".join(rest.split()) if _WORD.search(rest) else question


def _read(question: str, today: date) -> TimeWords:
    text = _without_accents(question)
    words = _WORD.findall(text)
    overdue, due = not _OVERDUE.isdisjoint(words), not _DUE.isdisjoint(words)
    days = _named_day(text, words, today)
    if days is not None:
        return TimeWords(None, days, overdue, due)
    for at, way in _ways(words):
        period = _period_beside(words, at, way, today)
        if period is not None:
            return TimeWords(None, period, overdue, due)
    order = next((way for at, way in _ways(words) if way and _is_used(words, at)), 0)
    if not order and not overdue:
        return TimeWords()
    return TimeWords("next" if order > 0 else "last" if order < 0 else None, None, overdue, due)


def _ways(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the place and direction (1, -1, 0 for "this") of each word of direction."""
    for at, word in enumerate(words):
        if word in _NEXT:
            yield at, 1
        elif word in _LAST:
            yield at, -1
        elif word in _THIS:
            yield at, 0


def _is_used(words: Sequence[str], at: int) -> bool:
    """Whether "last" is no verb ("how long does it last?") and no name ("last name")."""
    return words[at] != "last" or (
        at + 1 < len(words) and words[at + 1] not in {"name", "names", "for", "until", "longer"}
    )


def _named_day(text: str, words: Sequence[str], today: date) -> tuple[date, date] | None:
    shift = 2 if _AFTER_TOMORROW.search(text) else -2 if _BEFORE_YESTERDAY.search(text) else None
    if shift is None:
        named = (word for word in words if word in _DAYS and not (word == "hier" and _HERE.search(text)))
        word = next(named, None)
        shift = None if word is None else _DAYS[word]
    if shift is None:
        return None
    day = today + timedelta(days=shift)
    return day, day


def _period_beside(words: Sequence[str], at: int, way: int, today: date) -> tuple[date, date] | None:
    """The week, month, year, weekend or weekday that the word at `at` points to, or None."""
    near = range(max(0, at - _APART), min(len(words), at + _APART + 1))
    for place in sorted(near, key=lambda place: abs(place - at)):
        word = words[place]
        if word in _WEEKENDS:
            return _week(today, way, first=_SATURDAY)
        if word in _WEEKS:
            return _week(today, way)
        if word in _MONTHS:
            return _month(today, way)
        if word in _YEARS and (word != "an" or words[at] in _FRENCH_YEAR):
            return date(today.year + way, 1, 1), date(today.year + way, _DECEMBER, 31)
        if word in _DAY_OF_WEEK:
            return _weekday(today, _DAY_OF_WEEK[word], way)
    return None


def _week(today: date, way: int, first: int = 0) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday()) + timedelta(days=_WEEK * way)
    return monday + timedelta(days=first), monday + timedelta(days=_WEEK - 1)


def _month(today: date, way: int) -> tuple[date, date]:
    count = today.year * 12 + today.month - 1 + way
    following = date((count + 1) // 12, (count + 1) % 12 + 1, 1)
    return date(count // 12, count % 12 + 1, 1), following - timedelta(days=1)


def _weekday(today: date, weekday: int, way: int) -> tuple[date, date]:
    """The coming such day ("this" may be today), or the one before today."""
    ahead = (weekday - today.weekday()) % _WEEK
    if way > 0:
        ahead = ahead or _WEEK
    elif way < 0:
        ahead -= _WEEK
    day = today + timedelta(days=ahead)
    return day, day


def _without_accents(text: str) -> str:
    """`text` in lower case and without accents, and with ł as l, for comparison with the tables."""
    plain = caseless(text).replace("\u0142", "l")
    return "".join(mark for mark in unicodedata.normalize("NFD", plain) if not unicodedata.combining(mark))
