"""The names in a question, and which of them no document writes.

Relevance cannot distinguish a question about something absent from one that uses different words than the documents:
both match little. A name can: if no document writes it, that is a fact which a reader wants to know. So it is told, and
it lowers no score, because it may stand beside the matter: an employer, a colleague, a device (ADR 42).

A name has a digit or a capital inside, or begins with a capital where no sentence begins. Whether capitals mean
anything is judged in each phrasing by its other words, because German capitalizes all nouns, and a headline all words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from citemark.model.candidates import QueryTerm
from citemark.store.analysis import placed_terms, without_conjunctions
from citemark.text.figures import figures
from citemark.text.languages import DENSE
from citemark.text.raised import with_characters
from citemark.text.spelling import bare, one_spelling

StopWords = Mapping[str, AbstractSet[str]]
"""The languages in which a word, in lower case, is a stop word."""

_WORD = re.compile(r"(?:(?<!\w)[+-](?=\d))?[^\W_][\w.:/@#+-]*[^\W_]|[^\W_]")
_PARTS = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[.?!:;\n][\"')\]]*\s*$")
_OPENERS = " \t\"'([{*_\u00bf\u00a1\u00ab\u201c\u201e\u2018\u201a"
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]")
_INNER_MARK = re.compile(r"\w[_./:@#]\w")
_ISO = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_SMALL_NUMBER = re.compile(r"[+-]?\d{1,2}")
"""A bare number of one or two digits counts something, and names nothing."""

_MOST_NAMES = 32
"""Each name is looked up in every language, and a pasted page may contain hundreds of them."""

_CAPITAL_NOUNS = "german"
_ENGLISH = "english"
"""It shares short stop words with German ("in", "was"); its nouns have no capitals."""

_LEAST_LETTERS = 4
"""A word of the question with fewer letters says nothing about how it writes ordinary words."""

_HEADLINE = 4
"""So many words with a capital, and none without, are a headline rather than names in a row."""

_KEY_WORDS = 2
"""So many after the first word are German key words, if the phrasing has no stop word either."""

_SHOUTED = 2
"""So many stop words in capitals mean that the question is written in capitals."""

_LEAST_PART = 3
"""Shorter parts of a name occur in too many other words to recognize it by them."""

# Question words that PostgreSQL's lists of stop words lack. They are no names, and no document needs to have them.
_ASKING = (
    "wann wer wen wem wo woher wohin warum wieso weshalb welche welcher welches wieviel qui quand où pourquoi "
    "combien comment quel quelle quels quelles quoi qué quién quiénes cuándo dónde cuánto cuánta cuántos "
    "cuántas cómo cuál cuáles chi quando dove perché quanto quanta quanti quante quale quali wanneer waar "
    "waarom hoe hoeveel wie welk welke quem onde quantos quantas hvem hvor hvornår hvorfor vem när varför kuka "
    "missä milloin"
)
_QUESTION_WORDS = frozenset(_ASKING.split())

# What the wording of a question needs beside them. Written large, such a word may be a name: "May", "Long".
_HELP = (
    "may might must shall ought would could mean means meant called long often far old many "
    "lange oft bedeutet heißt darf dürfen soll sollte sollen longtemps souvent signifie veut dire doit peut "
    "significa puede pueden debe deben tiempo può possono deve devono lang vaak betekent mag moet moeten pode"
)
_HELPING = frozenset(_HELP.split())

# What only words a request, in its plain form or where a sentence begins.
_REQUEST = (
    "tell show list find give explain describe summarize summarise compare please know anything something everything "
    "described explained documented mentioned defined stated overview summary difference differences much few little "
    "zeig zeige erkläre erklär beschreibe nenne finde gib sag bitte vergleiche fasse beschrieben erklärt erwähnt "
    "übersicht überblick unterschied montre montrez explique expliquez décris décrivez donne donnez trouve trouvez "
    "compare comparez résume résumez différence explica describe dame muestra busca compara resume diferencia favor"
)
_REQUESTING = frozenset(_REQUEST.split())

# What "how" asks for: an answer states a measure, and seldom the word.
_HOW = frozenset({"how", "wie", "hoe"})
_EXTENT = (
    "tall high big large small wide deep heavy late early soon fast quick quickly slow slowly expensive cheap hot cold "
    "thick thin strong well badly frequently close near long far old many much hoch groß breit tief schwer spät früh "
    "schnell langsam teuer heiß kalt dick stark lang weit alt viel hoog groot breed diep zwaar laat vroeg snel duur"
)
_EXTENTS = frozenset(_EXTENT.split())
_WORKING = frozenset({"work", "works", "function", "functions", "funktioniert", "funktionieren", "werkt"})


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """A word of a question that may be a name; `by_capital` if only a capital inside a sentence suggests it."""

    text: str
    by_capital: bool = False

    @property
    def forms(self) -> str:
        """The forms to look up: the whole name, its parts, and the parts joined; any that occurs makes it known."""
        if placed := placed_terms(self._plain):
            return placed
        parts = self._parts
        forms = [self._plain, *parts, "".join(parts), without_conjunctions(self._plain)]
        return " ".join(dict.fromkeys(filter(None, forms)))

    @property
    def _plain(self) -> str:
        return one_spelling(self.text)

    @property
    def _parts(self) -> list[str]:
        return [part for part in _PARTS.split(self._plain) if part]

    @property
    def numbers(self) -> frozenset[str]:
        """The parts with digits, which tell similar names apart, as lexemes: "750" of "FM-750"."""
        parts = [part.lower() for part in self._parts if any(sign.isdigit() for sign in part)]
        return frozenset(part for part in parts if len(part) > 1)

    def whole_forms(self, readings: Sequence[QueryTerm]) -> list[str]:
        """The forms that stand for the whole name: as written, joined, and its stems if it has a single part."""
        parts = self._parts
        stems = [term.lexeme for term in readings] if len(parts) == 1 else []
        return list(dict.fromkeys([self._plain, "".join(parts), " ".join(parts), *stems]))

    def stands_in(self, phrasing: str) -> bool:
        """Whether a phrasing contains the name, or one of its longer parts, in any spelling of capitals."""
        words = {part for match in _WORD.finditer(phrasing) for part in _PARTS.split(match.group().casefold())}
        parts = [part.casefold() for part in self._parts]
        return any(part in words for part in parts if len(part) >= _LEAST_PART or len(parts) == 1)


class Spelling:
    """How a phrasing uses capitals, judged by its other words."""

    def __init__(self, phrasing: str, stop_words: StopWords) -> None:
        self._stop_words = stop_words
        words = list(_words(phrasing))
        counts = Counter(language for word, _ in words for language in stop_words.get(word.lower(), ()))
        most = max(counts.values(), default=0)
        self.languages = frozenset(name for name, count in counts.items() if count == most)
        """The languages that the phrasing may be in, judged by its stop words; none if it has no stop words."""
        own = [(word, begins) for word, begins in words if self.languages & stop_words.get(word.lower(), frozenset())]
        inside = [word for word, begins in words if not begins and (word, begins) not in own]
        capitals = [word for word in inside if word.istitle()]
        small = [word for word in inside if word.islower() and len(word) >= _LEAST_LETTERS]
        headline = any(word.istitle() and len(word) > 1 for word, begins in own if not begins)
        headline = headline or (len(capitals) >= (_HEADLINE if counts else _KEY_WORDS) and not small)
        capital_nouns = _CAPITAL_NOUNS in self.languages and _ENGLISH not in self.languages
        self._capitals_mark = not headline and not capital_nouns
        self._shouted = len({word for word, _ in own if word.isupper() and len(word) > 1}) >= _SHOUTED

    def is_name(self, candidate: NameCandidate) -> bool:
        """Whether a candidate is a name here, and not an ordinary word with a capital."""
        word = candidate.text
        if word.lower() in _QUESTION_WORDS or self._stop_words.get(word.lower()):
            return False
        if any(sign.isdigit() for sign in word):
            return True
        return self._capitals_mark if candidate.by_capital else not (self._shouted and word.isupper())


def candidates_in(phrasing: str) -> tuple[NameCandidate, ...]:
    """The words of a phrasing that may be names, in order and each once.

    They contain a digit or an inner capital, or begin with a capital where no sentence begins.
    """
    found = {name.text: name for name in _candidates(_apart(phrasing))}
    return tuple(islice(found.values(), _MOST_NAMES))


def identifiers_in(question: str) -> frozenset[str]:
    """The words of a question that only ever mean one thing: with a digit, an inner capital or an inner mark."""
    every = (match.group() for match in _WORD.finditer(_apart(question)))
    return frozenset(word for word in every if _is_marked(word) or _INNER_MARK.search(word))


def words_in(question: str) -> tuple[NameCandidate, ...]:
    """Every word of a question that belongs to no date, in order and each once."""
    text = _apart(question)
    dated = _date_words(text)
    found = {word: NameCandidate(word) for word in _WORD.findall(text) if word not in dated}
    return tuple(islice(found.values(), _MOST_NAMES))


def without(phrasing: str, names: Iterable[NameCandidate]) -> str:
    """The phrasing without these names; "" if no word is left."""
    left_out = {name.text for name in names}
    rest = _WORD.sub(lambda match: "" if match.group() in left_out else match.group(), phrasing)
    return " ".join(rest.split()) if _WORD.search(rest) else ""


def is_absent(name: NameCandidate, readings: Sequence[QueryTerm], configurations: AbstractSet[str]) -> bool:
    """Whether no document of the allowed sources has a name in its text: none of its parts, or not its number.

    Args:
        name: the name.
        readings: the lexemes that each configuration reads in the forms of the name, with their counts.
        configurations: all configurations that the documents were read with. One that treats a name as a stop word
            cannot say that it is absent.
    """
    read_by = {term.configuration for term in readings}
    if not configurations or not read_by >= configurations:
        return False
    known = {term.lexeme.lstrip("+-") for term in readings if term.df}
    return not known or bool({term.lexeme for term in readings} & name.numbers - known)


def is_ordinary(word: str, stop_words: StopWords) -> bool:
    """Whether a word asks or joins in some language, so that no document needs to have it."""
    return word in _HELPING or word.lower() in _QUESTION_WORDS or bool(stop_words.get(word.lower()))


def wording_in(question: str) -> frozenset[str]:
    """The words that only word a question, as a request or for a measure, so that no document needs to have them."""
    found: set[str] = set()
    asked: list[str] = []
    for word, begins in _words(question):
        lower = word.lower()
        of_extent = bool(_HOW & {*asked[-1:]}) and lower in _EXTENTS
        of_how = lower in _WORKING and not _HOW.isdisjoint(asked)
        if (word == lower or begins) and (lower in _REQUESTING or of_extent or of_how):
            found.add(word)
        asked.append(lower)
    return frozenset(found)


def lower_words(phrasings: Iterable[str]) -> list[str]:
    """Every word of these phrasings, in lower case and each once."""
    return list(dict.fromkeys(word.lower() for phrasing in phrasings for word, _ in _words(phrasing)))


def _apart(question: str) -> str:
    """A question in which every word is unbroken: hyphens plain, no points, raised figures in their characters."""
    return DENSE.sub(" ", with_characters(bare(question)))


def _words(phrasing: str) -> Iterator[tuple[str, bool]]:
    """Each word, and whether a sentence begins with it."""
    text = _apart(phrasing)
    for match in _WORD.finditer(text):
        before = text[: match.start()].rstrip(_OPENERS)
        yield match.group(), not before or _SENTENCE.search(before) is not None


def _candidates(text: str) -> Iterator[NameCandidate]:
    dated = _date_words(text)
    for word, begins in _words(text):
        if word in dated:
            continue
        if _is_marked(word):
            yield NameCandidate(word)
        elif word[0].isupper() and len(word) > 1 and not begins:
            yield NameCandidate(word, by_capital=True)


def _date_words(text: str) -> AbstractSet[str]:
    """The words of dates, which documents write in other forms. A date in ISO form is often the name of a version."""
    dates = (text[date.span.start : date.span.end] for date in figures(text) if date.is_date)
    return frozenset(word for date in dates if not _ISO.fullmatch(date) for word in _WORD.findall(date))


def _is_marked(word: str) -> bool:
    """Whether a digit or an inner capital makes a word a name wherever it stands."""
    has_digit = any(sign.isdigit() for sign in word) and not _SMALL_NUMBER.fullmatch(word)
    return has_digit or _INNER_CAPITAL.search(word) is not None
