"""Versions: when two passages tell a reader the same, and which of them represents both."""

import re
from collections import Counter
from collections.abc import Iterable

_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+|https?://[^\s)>\]\"']+", re.MULTILINE)
"""The target of a link."""

_EDGES = ".,;:!?()[]\"'*_>|#\u201c\u201d\u2018\u2019"
_MOST_CHANGED = 0.1
"""The largest share of words that may differ: enough for a reworded sentence of a section, not for another section."""

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
"""Words that reverse or limit what a sentence says."""


def words_of(text: str) -> list[str]:
    """The words of a text in order, without the targets of its links and the punctuation around words."""
    return [word for part in _TARGET.sub(" ", text).split() if (word := part.strip(_EDGES))]


def _is_plain(word: str) -> bool:
    """Whether a word is not a number, identifier or name: a row about Anna is not a version of one about Fritz."""
    return word.isalpha() and word == word.lower()


def are_versions(one: list[str], other: list[str]) -> bool:
    """Whether a reader of one text learns nothing from the other.

    Only few words may differ. None of them may be a number, a date, an identifier, a name or a word that reverses or
    limits a statement, and none may also occur in both texts: "client" in place of "server" is not a rewording if both
    texts mention both.
    """
    if one == other:
        return True
    most = _MOST_CHANGED * min(len(one), len(other))
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return False
    removed, added = Counter(one) - Counter(other), Counter(other) - Counter(one)
    changed = removed | added
    if max(removed.total(), added.total()) > most:
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
"""The rank of a version as a sort key: whether it is named, whether it is not a draft, its date, its number."""


class VersionOrder:
    """Decides which version of a page represents all: the one a question names, else the newest; drafts come last."""

    def __init__(self, phrasings: Iterable[str] = ()) -> None:
        """Take the question and its further phrasings."""
        self._named = {word for phrasing in phrasings for word in _NAME.findall(phrasing.casefold())}

    def standing(self, path: str, dated: str) -> Standing:
        """The rank of the page at `path`, whose own date is `dated` or ""; a date in the path takes precedence."""
        parts = path.casefold().split("/")
        names = {*parts, parts[-1].rpartition(".")[0]}
        dates = {name for name in names if _DATE.fullmatch(name)}
        numbers = {match[1] for name in names if (match := _NUMBER.fullmatch(name))}
        drafts = {_DRAFT} & names
        named = not self._named.isdisjoint({*dates, *numbers, *(f"v{number}" for number in numbers), *drafts})
        version = max((tuple(map(int, number.split("."))) for number in numbers), default=())
        return named, not drafts, max(dates, default=dated[:10]), version
