"""The meaningful words of a sentence, its clauses, and what it denies, in English and German."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citemark.evidence.scoring import tokenise
from citemark.model.letter_case import caseless

_STEM = 6
"""Characters kept of a word without its ending: enough to tell words apart, few enough to match their other forms."""

_LEAST_STEM = 4
"""The fewest letters that must be left: "string" is not "str" with an ending."""

_ENDINGS = (
    "ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "ment", "ments", "ity", "al", "able",
    "ible", "ive", "er", "ers", "en", "e",
)  # fmt: skip
# fmt: off
_EMPTY = frozenset({
    "a", "aber", "about", "after", "all", "als", "also", "an", "and", "any", "are", "as", "at", "auch", "auf", "aus",
    "be", "been", "before", "bei", "between", "both", "but", "by", "can", "could", "das", "dass", "dem", "den", "der",
    "des", "did", "die", "do", "does", "during", "each", "ein", "eine", "einem", "einen", "einer", "eines", "er",
    "es", "every", "for", "from", "für", "had", "has", "have", "he", "her", "his", "how", "i", "if", "im", "in",
    "into", "is", "ist", "it", "its", "just", "may", "mit", "more", "most", "must", "nicht", "no", "not", "oder",
    "of", "on", "one", "only", "or", "other", "our", "out", "own", "per", "she", "should", "sich", "sie", "sind",
    "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "und", "up", "very", "via", "von", "was", "we", "wenn", "werden", "were", "what", "when", "where", "which",
    "who", "whom", "whose", "will", "wird", "with", "would", "you", "your", "zu", "zum", "zur",
})
# fmt: on
_CLAUSE = re.compile(
    r",?\s+(?:and|but|while|whereas|so\s+that|so|because|since|which|und|aber|während|weil|wobei)\s+|[,;]\s+"
)
_BORDER = re.compile(r"[,;:.!?(\u2013\u2014]\s|\s(?:but|however|aber)\s")
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|nobody|rather\s+than|instead\s+of|unable|"
    r"nein|nicht|kein\w*|nie|niemals|nichts|ohne)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_SOFT_DENIAL = re.compile(
    r"\b(?:un(?:supported|available|defined|necessary|published)|disallow\w*|prohibit\w*|forbid\w*|prevent\w*|"
    r"un\w{3,}(?:able|ible)|exclud\w*|avoid\w*|ignor\w*|optional|reject\w*|prohibited|verboten)\b",
    re.IGNORECASE,
)
_SCOPE = 2
"""How many words after a negation it denies: the verb and its object."""

_NO = frozenset({"no", "nein"})


@dataclass(frozen=True, slots=True)
class Term:
    """A meaningful word as a stem, with its position."""

    stem: str
    start: int
    end: int


def terms(text: str) -> list[Term]:
    """The words of `text` except those that occur in every text."""
    return [Term(stem(token.text), token.start, token.end) for token in tokenise(text) if token.text not in _EMPTY]


def stem(word: str) -> str:
    """A crude common form of a folded word and its inflections."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)][:_STEM]
    return word[:_STEM]


def clauses(sentence: str) -> list[str]:
    """The parts that a sentence joins by a comma or conjunction."""
    return [part for part in _CLAUSE.split(sentence) if part.strip()]


def denies(text: str) -> bool:
    """True when something in `text` is denied or ruled out."""
    return bool(_DENIAL.search(text) or _SOFT_DENIAL.search(text))


def denied(text: str) -> Iterator[frozenset[str]]:
    """Yield for each denial the stems of the next two words of its clause, which are what it denies."""
    found = terms(text)
    for pattern in (_DENIAL, _SOFT_DENIAL):
        for cue in pattern.finditer(text):
            border = _BORDER.search(text, cue.end())
            end = border.start() if border else len(text)
            scope = [term.stem for term in found if cue.end() <= term.start < end][:_SCOPE]
            # "Can I delete it? Currently, no." denies all that was asked.
            yield frozenset(scope or (term.stem for term in found if caseless(cue[0]) in _NO))
