"""What a question's words look for in the index: weights for BM25, planned in two phases, and names that are unknown.

A question is read in each language that the allowed sources contain, and the readings of one word are alternatives. A
chunk has one language and is only in the lexicon of that language, so it is matched by one reading of each word and no
word ever counts twice. Each language weighs its reading by its own counts, as a separate index would: a stop word of
the question's language that another language keeps is frequent or absent there, and lifts nothing here. What makes the
languages comparable is the share of the highest score that a chunk could get: the weights of each are scaled so that
all have the same upper bound, that of the reading that could score highest.
"""

import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log

from citemark.model.candidates import QueryTerm, SegmentKey, SparsePlan, WeightedTerms
from citemark.model.sources import AllowedSources
from citemark.store.postings import K1

# fmt: off
_ASKING = frozenset({
    "what", "whats", "which", "who", "whom", "whose", "when", "where", "why", "how", "much", "many",
    "was", "welche", "welcher", "welches", "welchen", "welchem", "wer", "wen", "wem", "wessen", "wann", "wo", "woher",
    "wohin", "warum", "wieso", "weshalb", "wie", "viel", "viele", "wieviel", "wieviele",
    "quoi", "quel", "quelle", "quels", "quelles", "qui", "quand", "o\u00f9", "pourquoi", "comment", "combien",
    "qu\u00e9", "cu\u00e1l", "cu\u00e1les", "qui\u00e9n", "cu\u00e1ndo", "d\u00f3nde", "c\u00f3mo", "cu\u00e1nto",
    "cu\u00e1nta", "cu\u00e1ntos", "cu\u00e1ntas", "quale", "quali", "chi", "dove", "perch\u00e9", "quanto", "quanta",
    "quanti", "quante", "wat", "welke", "wanneer", "waar", "waarom", "hoe", "hoeveel",
})
# fmt: on
"""Words that ask; lists of stop words lack many of them ("wann", "wer", "much"), and no answer consists of them."""

_RARE_POSTINGS = 10_000
_RARE_SHARE = 0.08
"""A share of the chunks. Terms are rare until together they have that many postings; measured in ADR 33."""


@dataclass(frozen=True, slots=True)
class Words:
    """The weights that the words of each phrasing have in the allowed sources.

    A plan is None if no word of its phrasing occurs. The plans of the phrasings that were asked come first. Those of
    `nameless` follow: phrasings without the names that no document writes, so that such a name lowers no score;
    `origins` has for every plan the number of the phrasing that it was made of. `unknown` are the names, in any
    phrasing, that no document writes; `in_all` are those that stand in every one of several phrasings. `absent` are
    other words of the question that occur nowhere.
    """

    plans: tuple[SparsePlan | None, ...]
    nameless: tuple[str, ...] = ()
    origins: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    in_all: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def upper_bounds(self) -> list[float]:
        """The highest BM25 score that a chunk could get, for each phrasing."""
        return [0.0 if plan is None else plan.upper_bound for plan in self.plans]


def idf(chunks: int, df: int) -> float:
    """How much a term says: ln(1 + (N - df + 0.5) / (df + 0.5)), always positive (Robertson and Zaragoza, 2009)."""
    return log(1 + (max(chunks, df) - df + 0.5) / (df + 0.5))


@dataclass(frozen=True, slots=True)
class _Word:
    """One lexeme of one reading: its terms by source, the number of chunks it occurs in, and its weight."""

    lexeme: str
    configuration: str
    terms: Sequence[QueryTerm]
    count: int
    weight: float
    mean_length: float


def plan_sparse(
    terms: Sequence[QueryTerm],
    allowed: AllowedSources,
    idle: Container[tuple[str, str]] = (),
    segments: tuple[SegmentKey, ...] | None = None,
) -> SparsePlan | None:
    """Split terms into rare ones, which find candidates, and frequent ones, which only add to the candidates' scores.

    Counts are those of the allowed sources, so a question reveals nothing about what its caller may not see. Returns
    None if the allowed sources contain no term of the question.

    Args:
        terms: the lexemes of one phrasing.
        allowed: the sources that are searched.
        idle: (configuration, lexeme) of words that ask and name nothing, as `idle_words` returns them.
        segments: those that list the terms, as they were read with them.
    """
    terms = [term for term in terms if (term.configuration, term.lexeme) not in idle] or terms
    readings = _readings(terms, allowed)
    # Words that occur nowhere count too: nothing here answers a question full of them.
    bounds = {name: sum(word.weight for word in words) * (K1 + 1) for name, words in readings.items()}
    present = sorted(
        (word for words in readings.values() for word in words if word.count > 0),
        key=lambda word: (word.count, word.lexeme, word.configuration),
    )
    if not present:
        return None
    upper_bound = max(bounds[word.configuration] for word in present)
    scales = {name: upper_bound / bound for name, bound in bounds.items()}
    limit = max(_RARE_POSTINGS, _RARE_SHARE * allowed.chunks)
    rare: list[_Word] = []
    postings = 0
    for word in present:
        if rare and postings + word.count > limit:
            break
        rare.append(word)
        postings += word.count
    return SparsePlan(
        rare=_weighted(rare, scales),
        often=_weighted(present[len(rare) :], scales),
        upper_bound=upper_bound,
        postings=sum(word.count for word in present),
        segments=segments,
        ended=None if allowed.began is None else allowed.began.ended,
    )


def idle_words(
    readings: Mapping[str, Sequence[QueryTerm]], configurations: AbstractSet[str]
) -> frozenset[tuple[str, str]]:
    """The (configuration, lexeme) of words that are only the grammar of a question.

    They are missing from the documents of one language because they belong to another: "did we" in an English question
    over German notes, "wann" over English ones. Counted as words that nothing here contains, they would make every
    document of that language look irrelevant. Words that ask are idle in every language.

    Args:
        readings: by word, the lexemes that each configuration reads in it, with their counts.
        configurations: all configurations that the documents were read with.
    """
    return frozenset(
        (term.configuration, term.lexeme)
        for word, terms in readings.items()
        for asks in (word.casefold() in _ASKING and not word.isupper(),)
        if asks or not {term.configuration for term in terms} >= configurations
        for term in terms
        if asks or term.df == 0
    )


def _readings(terms: Sequence[QueryTerm], allowed: AllowedSources) -> dict[str, list[_Word]]:
    """The words of the question by the configuration that read them, weighted by the counts of the allowed sources."""
    chunks: dict[str, int] = defaultdict(int)
    lengths: dict[str, int] = defaultdict(int)
    for lexicon in allowed.lexicons:
        chunks[lexicon.configuration] += lexicon.chunks
        lengths[lexicon.configuration] += lexicon.sum_length
    by_lexeme: dict[tuple[str, str], list[QueryTerm]] = defaultdict(list)
    for term in terms:
        by_lexeme[term.configuration, term.lexeme].append(term)
    readings: dict[str, list[_Word]] = defaultdict(list)
    for (name, lexeme), found in by_lexeme.items():
        size = chunks.get(name, 0)
        if size > 0:
            count = sum(term.df for term in found)
            mean_length = max(lengths[name] / size, 1.0)
            readings[name].append(_Word(lexeme, name, found, count, idf(size, count), mean_length))
    return readings


def _weighted(words: Sequence[_Word], scales: Mapping[str, float]) -> WeightedTerms:
    rows = [(term, word) for word in words for term in word.terms if term.df > 0]
    return WeightedTerms(
        sources=[term.source_id for term, _ in rows],
        ids=[term.term_id for term, _ in rows],
        idf=[word.weight * scales[word.configuration] for _, word in rows],
        mean_lengths=[word.mean_length for _, word in rows],
    )


_COMPARES = re.compile(
    r"\b(?:and|or|vs|versus|between|compared?|comparison|from .+ to|than|both|und|oder|zwischen|von .+ (?:zu|auf|nach)|"
    r"gegen\u00fcber|vergl\w+|beide[nr]?|als|et|ou|entre|de .+ \u00e0|compare[rz]?)\b|[/&]",
    re.IGNORECASE,
)


def compares(question: str) -> bool:
    """Whether a question may name two things side by side, judging by its words."""
    return _COMPARES.search(question) is not None
