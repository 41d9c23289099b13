"""Numbers, dates and names of an answer that stand in none of its documents."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.answering.amounts import Amount, amount_keys, amounts
from citemark.answering.checked import SourceText
from citemark.answering.dates import date_keys, dates
from citemark.answering.names import code_spans, proper_names, words
from citemark.model.text import Span

_NAME = re.compile(r"[^\W\d_]+")
_NUMBERED = re.compile(r"\b[A-Z][A-Za-z]*[ \t]+#\Z|#\Z")
_PLURAL = re.compile(r"(?:[ \t]+[a-z]+){0,1}[ \t]+[a-z]{2,}s\b")
_GLUED = re.compile(r"[A-Za-z%°€$]+")
_UNNAMED = frozenset({"st", "nd", "rd", "th", "s", "ms", "h", "min", "d", "x"})
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_ENDINGS = ("'s", "\u2019s", "s", "es", "n", "en")


@dataclass(frozen=True, slots=True)
class Known:
    """What the documents of an answer hold, in comparable forms."""

    words: frozenset[str]
    running: str
    names: frozenset[str]
    amounts: frozenset[str]
    dates: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Known":
        """Gather it from texts."""
        text = "\n".join(texts)
        found = words(text)
        names = {word for word in _NAME.findall(text) if word[0].isupper()}
        ordinary = {word for word in _NAME.findall(text) if word[0].islower()}
        return cls(
            words=frozenset(found),
            running=f" {' '.join(found)} ",
            names=frozenset(name for name in names if name.casefold() not in ordinary),
            amounts=amount_keys(_without_dates(text)),
            dates=date_keys(text),
        )

    def word(self, word: str) -> bool:
        """True when some document has the word, perhaps with another ending."""
        folded = word.casefold()
        if folded in self.words:
            return True
        stems = (folded.removesuffix(ending) for ending in _ENDINGS if folded.endswith(ending))
        return any(stem in self.words for stem in stems) or any(folded + end in self.words for end in ("s", "es"))

    def every_word(self, text: str) -> bool:
        """True when no word of `text`, and no number, is unknown; what has no blank inside must stand together."""
        return all(self._together(words(_POSSESSIVE.sub("", part))) for part in text.split())

    def _together(self, parts: list[str]) -> bool:
        if len(parts) > 1:
            return f" {' '.join(parts)} " in self.running
        return all(self.word(part) or part in self.amounts for part in parts)

    def amount(self, amount: Amount) -> bool:
        """True when some document has the number, and the length of time that it counts."""
        return (amount.lasting or amount.key) in self.amounts


def shown_texts(documents: Iterable[SourceText]) -> Iterator[str]:
    """All that a model was given of the documents: titles, texts, further lines."""
    for document in documents:
        yield document.title
        yield document.text
        yield from document.metadata.values()


def unknown_claims(sentence: str, known: Known) -> list[Span]:
    """The claims of one sentence, its citations blanked, that stand in none of the documents; in order, disjoint."""
    found: list[Span] = []
    settled: list[Span] = []

    def settle(span: Span, *, is_known: bool) -> None:
        if not any(span.start < other.end and other.start < span.end for other in settled):
            settled.append(span)
            if not is_known:
                found.append(span)

    for span in code_spans(sentence):
        settle(span, is_known=known.every_word(span.of(sentence)))
    for span, key in dates(sentence):
        settle(span, is_known=key in known.dates)
    for amount in amounts(sentence):
        said = _as_said(sentence, amount)
        unit = _GLUED.match(sentence, amount.span.end)
        named = unit is None or unit[0].casefold() in _UNNAMED or known.every_word(amount.span.of(sentence) + unit[0])
        settle(said, is_known=known.amount(amount) and (amount.lasting is not None or named))
    for span in _joined(sentence, proper_names(sentence, known.names), known):
        settle(span, is_known=known.every_word(span.of(sentence)))
    return sorted(found)


def _without_dates(text: str) -> str:
    """`text` with its dates left out but for their years: the 18 of a date is not the number 18."""
    pieces: list[str] = []
    at = 0
    for span, key in dates(text):
        pieces += [text[at : span.start], key.partition("-")[0]]
        at = span.end
    return "".join([*pieces, text[at:]])


def _as_said(sentence: str, amount: Amount) -> Span:
    """The number with what makes it readable: "PR #901", "16KB", "ten severity levels"."""
    span = amount.span
    if amount.lasting:
        return span
    if mark := _NUMBERED.search(sentence, 0, span.start):
        span = Span(mark.start(), span.end)
    tail = (_PLURAL if amount.spelled else _GLUED).match(sentence, span.end)
    if sentence[span.start - 1 : span.start] == "-" and not sentence[span.start - 2 : span.start - 1].isalnum():
        span = Span(span.start - 1, span.end)
    return Span(span.start, tail.end()) if tail else span


def _joined(sentence: str, found: Iterable[Span], known: Known) -> list[Span]:
    """Neighbouring names that are unknown alike as one ("Acme Cloud"), the others apart."""
    joined: list[Span] = []
    for span in found:
        if (
            joined
            and sentence[joined[-1].end : span.start].strip(" ") == ""
            and not known.every_word(joined[-1].of(sentence))
            and not known.every_word(span.of(sentence))
        ):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined
