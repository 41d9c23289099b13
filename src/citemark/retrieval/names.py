"""Names in a question that stand nowhere in the fence.

Relevance cannot tell a question about something absent from one that is put in other words: both match little. A name
can: what a question calls by name, and no document does, is not answered here.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf

from citemark.model.candidates import QueryTerm
from citemark.model.scripts import DENSE

_WORD = re.compile(r"[^\W_][\w.:/@#+-]*[^\W_]|[^\W_]")
_PARTS = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[.?!:;\n][\"')\]]*\s*$")
_OPENERS = " \t\"'([{*_\u00bf\u00a1\u00ab\u201c\u201e\u2018\u201a"
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]")
_STEM = 4
"""A stemmer takes at most so many letters from the end of a word."""

_CAPITAL_NOUNS = "german"


def capitals_name(terms: Sequence[QueryTerm]) -> bool:
    """Whether a capital inside a sentence marks a name: not in a question that may be German.

    It may be where German takes at least as many of its words for stop words as any other language of the fence.
    """
    kept: dict[str, int] = defaultdict(int)
    for name, _, times in {(term.configuration, term.lexeme, term.times) for term in terms}:
        kept[name] += times
    return kept.get(_CAPITAL_NOUNS, inf) > min(kept.values(), default=0)


def unknown_names(question: str, terms: Sequence[QueryTerm], *, capitals: bool = True) -> tuple[str, ...]:
    """The question's names of which no part occurs in any document of the fence, in order.

    A name has a digit or an inner capital, or a capital where no sentence begins (unless most words have one).

    Args:
        question: as asked.
        terms: its lexemes with their counts in the fence.
        capitals: whether a capital inside a sentence marks a name.
    """
    known = {term.lexeme for term in terms if term.df > 0}
    absent = {term.lexeme for term in terms if term.df == 0} - known
    if not absent:
        return ()
    return tuple(
        dict.fromkeys(
            name
            for name in _names(DENSE.sub(" ", question), capitals=capitals)
            if not _stands_for(name, known) and _stands_for(name, absent)
        )
    )


def _names(question: str, *, capitals: bool) -> Iterator[str]:
    words = list(_WORD.finditer(question))
    counted = sum(match.group()[0].isupper() for match in words)
    marked = capitals and 2 * counted <= len(words)
    for match in words:
        word = match.group()
        before = question[: match.start()].rstrip(_OPENERS)
        begins = not before or _SENTENCE.search(before) is not None
        by_capital = marked and word[0].isupper() and len(word) > 1 and not begins
        if by_capital or any(sign.isdigit() for sign in word) or _INNER_CAPITAL.search(word):
            yield word


def _stands_for(name: str, lexemes: set[str]) -> bool:
    """Whether a lexeme is the name, a part of it, its parts joined, or one of these cut to its stem."""
    parts = [part for part in _PARTS.split(name.lower()) if part]
    forms = {name.lower(), "".join(parts), *parts}
    return any(
        form.startswith(lexeme.strip("-+")) and len(form) - len(lexeme.strip("-+")) <= _STEM
        for lexeme in lexemes
        if lexeme.strip("-+")
        for form in forms
    )
