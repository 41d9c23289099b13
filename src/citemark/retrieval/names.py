"""Names in a question that stand nowhere in the fence.

Relevance cannot tell a question about something absent from one that is put in other words: both match little. A name
can: what a question calls by name, and no document does, is not answered here.
"""

import re
from collections.abc import Iterator, Sequence

from citemark.model.candidates import QueryTerm

_WORD = re.compile(r"[^\W_][\w.:/@#+-]*[^\W_]|[^\W_]")
_PARTS = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[.?!:;\n][\"')\]]*\s*$")
_INNER_CAPITAL = re.compile(r"[^\W_][A-Z]")
_STEM = 4
"""A stemmer takes at most so many letters from the end of a word."""


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
            for name in _names(question, capitals=capitals)
            if not _stands_for(name, known) and _stands_for(name, absent)
        )
    )


def _names(question: str, *, capitals: bool) -> Iterator[str]:
    words = list(_WORD.finditer(question))
    counted = sum(match.group()[0].isupper() for match in words)
    marked = capitals and 2 * counted <= len(words)
    for match in words:
        word = match.group()
        begins = not question[: match.start()].strip() or _SENTENCE.search(question[: match.start()]) is not None
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
