"""Versions: when two passages say the same to a reader, and which of them stands for both."""

import re
from collections import Counter
from collections.abc import Iterable

_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+|https?://[^\s)>\]\"']+", re.MULTILINE)
"""Where a link leads to."""

_EDGES = ".,;:!?()[]\"'*_>|#\u201c\u201d\u2018\u2019"
_MOST_CHANGED = 0.1
"""The share of words that may differ: a reworded sentence of a section, not another section."""

# fmt: off
_DECISIVE = frozenset({
    "no", "not", "none", "never", "nor", "neither", "without", "cannot", "unless", "except", "only", "all", "any",
    "every", "some", "must", "shall", "should", "may", "might", "can", "could", "required", "recommended", "optional",
    "deprecated", "removed", "before", "after", "more", "less", "than", "least", "most",
    "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne", "nur", "alle", "jede", "jeder", "muss",
    "m\u00fcssen", "soll", "sollen", "darf", "d\u00fcrfen", "kann", "k\u00f6nnen", "au\u00dfer", "mehr", "weniger",
    "ne", "pas", "jamais", "sans", "aucun", "aucune", "seulement", "tous", "toutes", "doit", "doivent", "peut",
    "peuvent", "sauf", "plus", "moins",
})
# fmt: on
"""Words that turn or bound what a sentence says."""


def words_of(text: str) -> list[str]:
    """The words of a text in order, without where its links lead to and the signs around words."""
    return [word for part in _TARGET.sub(" ", text).split() if (word := part.strip(_EDGES))]


def _is_plain(word: str) -> bool:
    """Whether a word is no number, identifier or name: a row for Anna is no version of one for Fritz."""
    return word.isalpha() and word == word.lower()


def are_versions(one: list[str], other: list[str]) -> bool:
    """Whether a reader of one learns nothing from the other.

    Words that differ are few, none is a number, a date, an identifier, a name or one that turns what is said, and none
    stands elsewhere in both: "client" in the place of "server" is no rewording where both are spoken of.
    """
    if one == other:
        return True
    most = _MOST_CHANGED * min(len(one), len(other))
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return False
    gone, come = Counter(one) - Counter(other), Counter(other) - Counter(one)
    changed = gone | come
    if max(gone.total(), come.total()) > most:
        return False
    if any(word.casefold() in _DECISIVE or not _is_plain(word) for word in changed):
        return False
    if any(word in one and word in other for word in changed):
        return False
    return [word for word in one if word not in changed] == [word for word in other if word not in changed]


_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_NUMBER = re.compile(r"v?(\d{1,4}(?:\.\d{1,4})+)")
_DRAFT = "draft"
_NAME = re.compile(r"[\w.-]*\w")

Standing = tuple[bool, bool, str, tuple[int, ...]]
"""How far a version comes forward: it is named, it is no draft, its date, its number."""


class VersionOrder:
    """Which version of a page stands for all: the one that a question names, else the newest; a draft comes last."""

    def __init__(self, phrasings: Iterable[str] = ()) -> None:
        """Take the question and its further phrasings."""
        self._named = {word for phrasing in phrasings for word in _NAME.findall(phrasing.casefold())}

    def standing(self, path: str, dated: str) -> Standing:
        """Of the page at `path`, whose own date is `dated` or ""; a date or number in the path says more."""
        parts = path.casefold().split("/")
        names = {*parts, parts[-1].rpartition(".")[0]}
        dates = {name for name in names if _DATE.fullmatch(name)}
        numbers = {found[1] for name in names if (found := _NUMBER.fullmatch(name))}
        drafts = {_DRAFT} & names
        named = not self._named.isdisjoint({*dates, *numbers, *(f"v{number}" for number in numbers), *drafts})
        version = max((tuple(map(int, number.split("."))) for number in numbers), default=())
        return named, not drafts, max(dates, default=dated[:10]), version
