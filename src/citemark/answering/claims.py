"""Numbers, dates and names of an answer that occur in none of its documents."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

from citemark.answering.amounts import Amount, amount_keys, amounts
from citemark.answering.checked import SourceText
from citemark.answering.proper_names import Taken, code_spans, designations, in_german, proper_names, words
from citemark.answering.wording import stem
from citemark.model.text import Span
from citemark.text.dates import date_keys, dates, dates_and_months
from citemark.text.letter_case import caseless
from citemark.text.raised import placed_words, with_characters

_NAME = re.compile(r"[^\W\d_]+")
_IN_A_ROW = re.compile(r"(?<=[a-zäöüß,][ ])[A-ZÄÖÜ][\w-]+(?:[ ][A-ZÄÖÜ][\w-]+)+")
_LOOK_BACK = 40
"""How many characters before a number are searched for the name of what it numbers ("Section 4")."""

_WRAPPED = re.compile(r"(?<=[\w,])[ \t]*\n[ \t]*(?=\w)")
"""The end of a line within a paragraph."""

_NUMBERED = re.compile(r"\b[A-Z][A-Za-z]*[ \t]+#\Z|#\Z")
_OF_A_SERIES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+ \Z")
_PLURAL = re.compile(r"(?:[ \t]+[a-z]+){0,1}[ \t]+[a-z]{2,}s\b")
_GLUED = re.compile(r"[A-Za-z%°€$]+|[ \u00a0]%")
_UNNAMED = frozenset({"st", "nd", "rd", "th", "s", "ms", "h", "min", "d", "x"})
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_ENDINGS = ("'s", "\u2019s", "s", "es", "n", "en")


class Known:
    """What the documents of an answer contain, in comparable forms.

    Each form is made when it is first asked for: most sentences have no number or date to look for.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts of the documents."""
        self._text = "\n".join(texts)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words and numbers."""
        return frozenset(self._words)

    @cached_property
    def running(self) -> str:
        """The words in their order, each between two blanks; then those of formulas and units as people type them."""
        return f" {' '.join(chain(self._words, _typed(self._text)))} "

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that are only used as names."""
        return _names_of(self._text)

    @cached_property
    def amounts(self) -> frozenset[str]:
        """The keys of numbers and lengths of time."""
        return amount_keys(_without_dates(self._flowing))

    @cached_property
    def dates(self) -> frozenset[str]:
        """The keys of dates and months."""
        return date_keys(self._flowing)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words."""
        return frozenset(map(stem, self.words))

    @cached_property
    def _words(self) -> list[str]:
        return words(self._text)

    @cached_property
    def _flowing(self) -> str:
        return _WRAPPED.sub(" ", self._text)

    def word(self, word: str) -> bool:
        """True when some document contains the word, possibly with another ending."""
        folded = caseless(word)
        if folded in self.words:
            return True
        stems = (folded.removesuffix(ending) for ending in _ENDINGS if folded.endswith(ending))
        return any(stem in self.words for stem in stems) or any(folded + end in self.words for end in ("s", "es"))

    def every_word(self, text: str) -> bool:
        """True when every word and number of `text` is known; parts joined without a blank must also occur together."""
        return all(self._together(_POSSESSIVE.sub("", part)) for part in text.split())

    def _together(self, text: str) -> bool:
        parts = words(text)
        if len(parts) > 1:
            return f" {' '.join(parts)} " in self.running or f" {' '.join(_typed(text))} " in self.running
        # The S of "ABS" is not an ending.
        return all(part in self.words if text.isupper() else self.word(part) or part in self.amounts for part in parts)


def _typed(text: str) -> Iterator[str]:
    """The words of formulas and units as people type them: "CO2" for CO₂. No figure becomes part of a number."""
    return (part for word in placed_words(with_characters(text)) for part in words(word.typed))


def shown_texts(documents: Iterable[SourceText]) -> Iterator[str]:
    """Yield everything that a model was given of the documents: titles, headers, texts and the values of metadata."""
    for document in documents:
        yield document.title
        yield document.header
        yield document.text
        yield from document.metadata.values()


def unknown_claims(sentence: str, known: Known) -> list[Span]:
    """The claims of one sentence, its citations blanked, that occur in no document; in order, without overlaps."""
    found: list[Span] = []
    taken = Taken()
    german = in_german(sentence)

    def settle(span: Span, *, is_known: bool) -> None:
        if taken.take(span) and not is_known:
            found.append(span)

    for span in code_spans(sentence):
        settle(span, is_known=known.every_word(span.of(sentence)))
    for span, key in dates_and_months(sentence):
        settle(span, is_known=key in known.dates)
    for span in designations(sentence):
        parts_known = all(known.word(part) or part in known.amounts for part in words(span.of(sentence)))
        settle(span, is_known=parts_known or known.every_word(span.of(sentence)))
    for amount in amounts(sentence):
        said = _as_said(sentence, amount, german=german)
        unit = _GLUED.match(sentence, amount.span.end)
        named = unit is None or caseless(unit[0]) in _UNNAMED or known.every_word(amount.span.of(sentence) + unit[0])
        settle(said, is_known=(amount.lasting or amount.key) in known.amounts and (amount.lasting is not None or named))
    for span in proper_names(sentence, known.names):
        settle(_as_named(sentence, span, known), is_known=known.every_word(span.of(sentence)))
    return sorted(found)


def _as_named(sentence: str, name: Span, known: Known) -> Span:
    """A name without its genitive, and without a known abbreviation for the kind of thing named ("Swift SDK")."""
    name = Span(name.start, name.start + len(_POSSESSIVE.sub("", name.of(sentence))))
    head, _, kind = name.of(sentence).rpartition(" ")
    return Span(name.start, name.start + len(head)) if head and kind.isupper() and known.word(kind) else name


def _names_of(text: str) -> frozenset[str]:
    """Words that are names in `text`: never in lower case; in German also with a capital inside, or in a row."""
    found: set[str] = set()
    for line in text.splitlines():
        german = in_german(line)
        found |= {word for word in _NAME.findall(line) if word[0].isupper() and (not german or not word[1:].islower())}
        found |= {word for run in _IN_A_ROW.findall(line) for word in _NAME.findall(run)}
    ordinary = {word for word in _NAME.findall(text) if word[0].islower()}
    return frozenset(name for name in found if caseless(name) not in ordinary)


def _without_dates(text: str) -> str:
    """`text` with its dates reduced to their years: the 18 of a date is not the number 18."""
    pieces: list[str] = []
    at = 0
    for span, key in dates(text):
        pieces += [text[at : span.start], key.partition("-")[0]]
        at = span.end
    return "".join([*pieces, text[at:]])


def _as_said(sentence: str, amount: Amount, *, german: bool) -> Span:
    """The number with what makes it readable: "PR #901", "16KB", "ten severity levels"."""
    span = amount.span
    if amount.lasting:
        return span
    mark = _NUMBERED.search(sentence, max(0, span.start - _LOOK_BACK), span.start)
    if mark is None and not amount.spelled and not german:
        mark = _OF_A_SERIES.search(sentence, max(0, span.start - _LOOK_BACK), span.start)
    if mark:
        span = Span(mark.start(), span.end)
    tail = (_PLURAL if amount.spelled else _GLUED).match(sentence, span.end)
    if sentence[span.start - 1 : span.start] == "-" and not sentence[span.start - 2 : span.start - 1].isalnum():
        span = Span(span.start - 1, span.end)
    return Span(span.start, tail.end()) if tail else span
