"""The meaningful words of a sentence, its clauses, and what it denies, in English, German and French."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from citemark.evidence.scoring import tokenise
from citemark.text.letter_case import caseless

_STEM = 6
"""Characters kept of a word without its ending: enough to tell words apart, few enough to match their other forms."""

_LEAST_STEM = 4
"""The fewest letters that must be left: "string" is not "str" with an ending."""

_LEAST_PARTICIPLE = 7
"""The fewest letters of a German participle whose "ge" is left out, so that "geführt" is "führen"."""

_ENDINGS = (
    "ations", "ation", "ings", "ing", "edly", "ed", "ies", "ers", "es", "ables", "ments", "ées", "és", "s", "ly",
    "ment", "ity", "al", "able", "ible", "ive", "er", "en", "ée", "é", "e",
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
    "au", "aux", "avec", "ce", "ces", "cette", "dans", "de", "du", "elle", "elles", "en", "est", "et", "été", "être",
    "il", "ils", "je", "l", "d", "n", "s", "c", "j", "la", "le", "les", "leur", "leurs", "lui", "mais", "me", "mon",
    "ne", "nous", "ont", "ou", "où", "par", "pas", "plus", "pour", "que", "qui", "sa", "se", "ses", "son", "sont",
    "sur", "un", "une", "vos", "votre", "vous", "ai", "à", "hat", "haben", "dürfen", "darf", "kann", "können",
    "muss", "müssen", "soll", "sollen", "ihm", "ihn", "ihr", "ihre", "ihrer", "jede", "jeder", "jedes", "jeden",
    "nur", "noch", "schon", "sein", "seine", "vom", "wie", "wer", "peut", "peuvent", "doit", "doivent", "faut",
    "fait", "besoin", "re", "ll", "ve", "m", "t", "my", "mir", "mich", "dir", "dich", "uns", "ihnen", "moi", "toi",
    "jamais", "rien", "aucun", "aucune", "sans", "ni", "diese", "dieser", "dieses", "diesen", "diesem", "über",
})
# fmt: on
_CLAUSE = re.compile(
    r",?\s+(?:and|but|while|whereas|so\s+that|so|because|since|which|und|aber|während|weil|wobei|et|mais|car|sondern)\s+|"
    r"[,;]\s+"
)
_BORDER = re.compile(
    r"[,;:.!?(\u2013\u2014|]+(?:\s|$)|\s(?:but|however|while|whereas|aber|jedoch|sondern|mais|sauf|whether|ob)\s"
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|nobody|rather\s+than|instead\s+of|unable|"
    r"nein|non|nicht|kein\w*|nie|niemals|nichts|ohne|ne|n(?=['\u2019])|aucune?|rien|jamais|sans|ni)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_SOFT_DENIAL = re.compile(
    r"\b(?:un(?:supported|available|defined|necessary|published)|disallow\w*|prohibit\w*|forbid\w*|prevent\w*|"
    r"un\w{3,}(?:able|ible)|exclud\w*|avoid\w*|ignor\w*|optional|reject\w*|prohibited|verboten|untersagt|"
    r"interdite?s?|défendue?s?)\b",
    re.IGNORECASE,
)
_RESTRICTION = re.compile(r"\b(?:only|nur|lediglich|seulement|ne\s+\S+\s+qu[e'\u2019])", re.IGNORECASE)
"""What looks like a denial in French and is none: "ne fonctionne que" says that it works."""
_EMPHASIS = re.compile(r"[*_`~]")
_SCOPE = 4
"""How many words after a negation it denies: the verb and its objects."""

_SHORT = 2
"""A clause with fewer meaningful words ("Currently,") adds to the one before it."""

_NO = frozenset({"no", "nein", "non"})
_EXPLETIVE = re.compile(r"\b(?:there|es\s+gibt|gibt\s+es|il\s+y)\b", re.IGNORECASE)
"""What makes a whole clause of a denied noun alone: "there is no second key"."""

_NO_ALONE = re.compile(r"\b(?:no|nein|non)\s*\Z", re.IGNORECASE)


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
    if len(word) >= _LEAST_PARTICIPLE and word.startswith("ge") and word.endswith(("t", "en")):
        word = word[2:]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)][:_STEM]
    return word[:_STEM]


def clauses(sentence: str) -> list[str]:
    """The parts that a sentence joins by a comma or conjunction."""
    return [part for part in _CLAUSE.split(sentence) if part.strip()]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its stems, and for each of its denials the stems that it reaches, nearest first."""

    stems: frozenset[str]
    denied: tuple[tuple[str, ...], ...]

    def reaches(self, stems: frozenset[str]) -> frozenset[str]:
        """Those of `stems` that a denial is about: the word after it is among them, or most of what it reaches."""
        for reach in self.denied:
            common = stems.intersection(reach)
            if reach[0] in stems or (len(common) > 1 and 2 * len(common) > len(reach)):
                return common
        return frozenset()

    def denies(self, stems: frozenset[str]) -> bool:
        """Whether one of its denials is about these stems."""
        return bool(self.reaches(stems))

    def affirms(self, stems: frozenset[str]) -> bool:
        """Whether it says something with all of these stems, and denies nothing."""
        return not self.denied and stems <= self.stems


def denies(text: str) -> bool:
    """True when something in `text` is denied or ruled out."""
    return bool(_DENIAL.search(_plain(text)) or _SOFT_DENIAL.search(text))


def denied(text: str) -> Iterator[tuple[str, ...]]:
    """Yield for each denial the stems of the next two words of its clause, which are what it denies.

    Where none follow ("the glaze room is not", "glazes with lead are forbidden") it denies what stands before it.
    """
    text = _plain(text)
    found = terms(text)
    starts = [term.start for term in found]
    borders = [match.span() for match in _BORDER.finditer(text)]
    for pattern in (_DENIAL, _SOFT_DENIAL):
        for cue in pattern.finditer(text):
            here = bisect_left(borders, (cue.end(), 0))
            end = borders[here][0] if here < len(borders) else len(text)
            after = bisect_left(starts, cue.end())
            reach = tuple(term.stem for term in found[after : after + _SCOPE] if term.start < end)
            if not reach:
                start = borders[here - 1][1] if here else 0
                before = bisect_left(starts, cue.start())
                reach = tuple(term.stem for term in found[max(0, before - _SCOPE) : before] if term.start >= start)
            if not reach and caseless(cue[0]) in _NO:
                # "Can I delete it? Currently, no." denies all that was asked.
                reach = tuple(term.stem for term in found)
            if reach:
                yield reach


def polar_clauses(text: str) -> list[Clause]:
    """The clauses of a text with what each of them denies.

    A short clause goes on with the words of the one before it: "the wheel room is open, but the glaze room is not",
    "Can I delete it? Currently, no.".
    """
    text = _plain(text)
    found: list[Clause] = []
    at = 0
    before: frozenset[str] = frozenset()
    for start, end in [*(match.span() for match in _BORDER.finditer(text)), (len(text), len(text))]:
        part = text[at:start]
        at = end
        stems = frozenset(term.stem for term in terms(part))
        reaches = tuple(denied(part))
        if _NO_ALONE.search(part) and len(stems) < _SHORT and before:
            reaches = (tuple(before),)
        if stems or reaches:
            elliptic = reaches and not stems.difference(*reaches) and not _EXPLETIVE.search(part)
            found.append(Clause(stems | before if elliptic else stems, reaches))
        before = frozenset() if "." in text[start:end] else stems if len(stems) >= _SHORT else stems | before
    return found


def _plain(text: str) -> str:
    """`text` without marks of emphasis, which hide a denial (_not_), and with French restrictions as affirmations."""
    return _RESTRICTION.sub(lambda match: " " * len(match[0]), _EMPHASIS.sub(" ", text))
