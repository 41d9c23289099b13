"""Whether two passages are versions of one: the same but for links and a few plain words."""

import re
from collections import Counter

_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+|https?://[^\s)>\]\"']+", re.MULTILINE)
"""Where a link leads to."""

_EDGES = ".,;:!?()[]\"'*_>|#\u201c\u201d\u2018\u2019"
_PLAIN = re.compile(r"[^\W\d_]?[^\W\d_A-Z]*")
"""A word that is no number, name in capitals or identifier."""

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


def are_versions(one: list[str], other: list[str]) -> bool:
    """Whether a reader of one learns nothing from the other.

    Words that differ are few, none is a number, a date, an identifier or one that turns what is said, and none stands
    elsewhere in both: "client" in the place of "server" is no rewording where both are spoken of.
    """
    if one == other:
        return True
    gone, come = Counter(one) - Counter(other), Counter(other) - Counter(one)
    changed = gone | come
    if max(gone.total(), come.total()) > _MOST_CHANGED * min(len(one), len(other)):
        return False
    if any(word.casefold() in _DECISIVE or not _PLAIN.fullmatch(word) for word in changed):
        return False
    if any(word in one and word in other for word in changed):
        return False
    return [word for word in one if word not in changed] == [word for word in other if word not in changed]
