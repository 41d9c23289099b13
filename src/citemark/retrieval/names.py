"""Names in a question that occur nowhere in the allowed sources.

Relevance cannot tell a question about something absent from one that is put in other words: both match little. A name
can: what a question calls by name, and no document does, is not answered here.

Each language of the allowed sources reads a name by its own rules and looks among its own documents. A name is unknown
only where every one of them reads it and finds it nowhere, so no further document makes a name unknown.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from math import inf

from citemark.model.candidates import QueryTerm
from citemark.model.languages import DENSE

_WORD = re.compile(r"(?:(?<!\w)[+-](?=\d))?[^\W_][\w.:/@#+-]*[^\W_]|[^\W_]")
_PARTS = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[.?!:;\n][\"')\]]*\s*$")
_OPENERS = " \t\"'([{*_\u00bf\u00a1\u00ab\u201c\u201e\u2018\u201a"
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]")
_MOST_NAMES = 32
"""Each is looked up in every language; a pasted page may hold hundreds."""

_CAPITAL_NOUNS = "german"


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a question that may name something; `by_capital` where nothing but a capital in a sentence says so."""

    text: str
    by_capital: bool = False

    @property
    def forms(self) -> str:
        """What is looked up: the name whole, its parts and these joined. Any of them makes it known."""
        plain = unicodedata.normalize("NFKC", self.text)
        parts = [part for part in _PARTS.split(plain) if part]
        return " ".join(dict.fromkeys([plain, *parts, "".join(parts)]))


def capitals_name(terms: Sequence[QueryTerm]) -> bool:
    """Whether a capital inside a sentence marks a name: not in a question that may be German.

    It may be where German takes at least as many of its words for stop words as any other language of the sources.
    """
    kept: dict[str, int] = defaultdict(int)
    for name, _, times in {(term.configuration, term.lexeme, term.times) for term in terms}:
        kept[name] += times
    return kept.get(_CAPITAL_NOUNS, inf) > min(kept.values(), default=0)


def names_in(question: str) -> tuple[Name, ...]:
    """What may be a name in a question, in order and each once.

    A name has a digit or an inner capital, or a capital where no sentence begins (unless most words have one).
    """
    found = {name.text: name for name in _names(DENSE.sub(" ", question))}
    return tuple(islice(found.values(), _MOST_NAMES))


def unknown_names(
    names: Iterable[Name],
    readings: Mapping[str, Sequence[QueryTerm]],
    configurations: AbstractSet[str],
    *,
    capitals: bool = True,
) -> tuple[str, ...]:
    """The names of which no part occurs in any document of the allowed sources, in order.

    Args:
        names: of the question.
        readings: by name, the lexemes that each configuration reads in its forms, with their counts.
        configurations: all that the documents were read with. One that takes a name for a stop word cannot say
            that it is absent.
        capitals: whether a capital inside a sentence marks a name.
    """
    return tuple(
        name.text
        for name in names
        if (capitals or not name.by_capital) and _absent(readings.get(name.text, ()), configurations)
    )


def _absent(readings: Sequence[QueryTerm], configurations: AbstractSet[str]) -> bool:
    read_by = {term.configuration for term in readings}
    return bool(configurations) and read_by >= configurations and not any(term.df for term in readings)


def _names(question: str) -> Iterator[Name]:
    words = list(_WORD.finditer(question))
    marked = 2 * sum(match.group()[0].isupper() for match in words) <= len(words)
    for match in words:
        word = match.group()
        if any(sign.isdigit() for sign in word) or _INNER_CAPITAL.search(word):
            yield Name(word)
        elif marked and word[0].isupper() and len(word) > 1:
            before = question[: match.start()].rstrip(_OPENERS)
            if before and _SENTENCE.search(before) is None:
                yield Name(word, by_capital=True)
