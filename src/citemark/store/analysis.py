"""Text as the full-text index sees it: identifiers whole and split, scripts without spaces as character pairs.

Questions pass through the same function, so a term of a text always matches itself, in every language.
"""

import re
import unicodedata
from collections.abc import Iterator

from citemark.text.languages import DENSE, character_pairs
from citemark.text.raised import LOWERED, RAISED, placed_words, with_characters
from citemark.text.spelling import APART, one_spelling

# Every pattern over whole texts is linear: a line of a megabyte without a space must not stall indexing.
_MARKS = re.compile(r"[_:./\\@#+-]+")
_RUN = re.compile(r"[\w:./\\@#+-]+")
_OUTSIDE = re.compile(r"[^\w:./\\@#+-]")
# A mark between word characters, or a capital after a lower-case letter, or one before another capital and a lower-case
# letter. It begins with the characters that are rare in prose, so that the engine can skip to them.
_COMPOUND = re.compile(r"[A-Z_:./\\@#+-](?:(?<=[a-z][A-Z])|(?<=[A-Z])[A-Z][a-z]|(?<=\w[_:./\\@#+-])[_:./\\@#+-]*\w)")
_MAYBE_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_CAMEL = re.compile(r"[^\W\d_]*[a-z][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*")
_CAMEL_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGN = re.compile(r"[+#](?<=[A-Za-z].)")
_SIGNED = re.compile(r"(?<!\w)([A-Za-z]{1,2})(\+{1,2}|#)(?![\w+#])")
_SIGNS = {"+": "plus", "#": "sharp"}
_ARTICLE = "\u0627\u0644"
_JOINED_ARTICLE = re.compile(rf"(?<!\w)[\u0648\u0641]({_ARTICLE}\w{{3,}})")
_LONGEST = 200
"""The most characters of an identifier that is split; longer runs are mostly encoded data."""

_FRACTION_SLASH = "\u2044"
"""What NFKC writes for the bar of a fraction."""


def split_identifiers(text: str) -> str:
    """The parts and the joined form of every compound identifier in `text`, separated by spaces.

    `max_connections` gives "max connections maxconnections", `OrderService` gives "Order Service".
    """
    extra: list[str] = []
    for run in _compounds(text):
        parts = [part for part in _MARKS.split(run) if part]
        if len(parts) > 1 and len(run) <= _LONGEST:
            extra.extend(parts)
            extra.append("".join(parts))
        if _MAYBE_CAMEL.search(run) is not None:
            for part in parts:
                extra.extend(_camel_parts(part[:_LONGEST]))
    return " ".join(extra)


def _compounds(text: str) -> Iterator[str]:
    """The unbroken runs with a mark or a capital inside. Most words have neither and are never examined one by one."""
    seen = 0
    while hint := _COMPOUND.search(text, seen):
        start = hint.start()
        while start > seen and not _OUTSIDE.match(text, start - 1):
            start -= 1
        run = _RUN.match(text, start)
        seen = hint.end() if run is None else run.end()
        if run is not None:
            yield run.group()


def _signed(text: str) -> str:
    """Names of one or two letters with + or #, spelt out: "C++" and "C#" are not C, and C is a stop word in French."""
    if ("+" not in text and "#" not in text) or _SIGN.search(text) is None:
        return ""
    return " ".join(name + "".join(map(_SIGNS.__getitem__, signs)) for name, signs in _SIGNED.findall(text))


def _camel_parts(word: str) -> list[str]:
    return [piece for match in _CAMEL.finditer(word) for piece in _CAMEL_EDGE.split(match.group())]


def lexical(text: str) -> str:
    """The input of `to_tsvector`: the text and, in addition, its split identifiers and its character pairs.

    Beyond ASCII, words are in one spelling, raised and lowered figures are words of their own (10⁶ is no 106), and runs
    of scripts without spaces are replaced by their character pairs.
    """
    text = with_characters(text)
    if text.isascii():
        return _with(text, split_identifiers(text), _signed(text))
    text = one_spelling(text)
    extras = [without_conjunctions(text)]
    if APART.search(text) is not None:
        extras.append(placed_terms(text))
        text = APART.sub(_set_apart, text)
    spaced, dense_runs = DENSE.subn(" ", text)
    if dense_runs:
        return _with(DENSE.sub(_pairs, text), split_identifiers(spaced), _signed(spaced), *extras)
    return _with(text, split_identifiers(text), _signed(text), *extras)


def placed_terms(text: str) -> str:
    """The words of `text` with raised or lowered figures, each as a term of its own ("10up6") and as it is typed."""
    return " ".join(form for word in placed_words(text) for form in (word.spelt_out, word.typed) if form)


def without_conjunctions(text: str) -> str:
    """The Arabic words of `text` with an article behind a conjunction, without the conjunction.

    The stemmer takes every other prefix, but not this pair, since a word may begin with the same letters.
    """
    return " ".join(_JOINED_ARTICLE.findall(text)) if _ARTICLE in text else ""


def _set_apart(run: re.Match[str]) -> str:
    """Fractions and framed figures between spaces; raised and lowered ones are words of their own already."""
    parts = (
        unicodedata.normalize("NFKC", character)
        for character in run[0]
        if character not in RAISED and character not in LOWERED
    )
    return f" {' '.join(parts)} ".replace(_FRACTION_SLASH, " ")


def _with(text: str, *extras: str) -> str:
    return "\n".join([text, *filter(None, extras)])


def _pairs(run: re.Match[str]) -> str:
    return f" {' '.join(character_pairs(run.group()))} "
