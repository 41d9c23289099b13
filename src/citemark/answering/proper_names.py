"""Words of an answer that name something: proper names, designations of standards, identifiers, code."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from citemark.model.text import Span
from citemark.text.letter_case import caseless

_CODE = re.compile(r"`([^`\n]+)`")
_WORD = re.compile(r"[^\W_]+(?:[\u2019'][a-z]+)?")
_IDENTIFIER = re.compile(r"(?<![\w`-])(?:https?://[^\s)\]>\"]+|[A-Za-z][\w-]*(?:[._/:]\w[\w-]*)+|\w+_\w+)")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_DESIGNATION = re.compile(
    r"(?<![\w`./-])(?:[A-Z]{2,}[ \t])?[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[ \t-]|[/#](?=\d)|[ \t]#)?\d+(?:[.-]\d+)*(?![\w%])"
)
"""An abbreviation with a number: "ISO 27001", "RFC9728", "SEP-2596", "PR #12", "TLS 1.3", "DIN EN 50600"."""

_INNER = re.compile(r"[^\W\d_].*[A-ZÄÖÜ\d]|[A-Z]{2}")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"[a-z]{1,3}[A-Z]\w+")
"""Names that begin with a lower-case letter: "gRPC", "iOS"."""

_GENITIVE = re.compile(r"['\u2019]s?\Z")
_LIST_JOINT = re.compile(r"\s*(?:,\s*(?:\b(?:and|or|und|oder)\b\s*)?|\b(?:and|or|und|oder|sowie)\b\s*|&\s*)")
_GERMAN = re.compile(
    r"\b(?:der|die|das|dem|den|des|ein|eine[nmrs]?|und|oder|ist|sind|wird|werden|wurde|hat|haben|nicht|kein\w*|für|mit|"
    r"auf|aus|von|vom|zu|zum|zur|bei|nach|über|im|am|als|wenn|dass|nur|sich|es|alle|jede[nmrs]?|binnen|beim|er|sie|diese[nmrs]?|ihnen|ich|wir|mir|mich)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|a|an|and|or|is|are|be|been|was|were|not|of|for|with|on|from|by|to|at|as|if|that|it|its|has|have|must|"
    r"may|can|this|than|only)\b",
    re.IGNORECASE,
)
_HEADS = "institut|amt|ministerium|zentrum|gesellschaft|verband|agentur|stiftung|verein|behörde|kammer|hochschule"
_NOUN = r"[A-ZÄÖÜ][\wäöüß-]*"
_UMLAUT = re.compile(r"[äöüß]")
_INSTITUTION = re.compile(
    rf"\b(?:{_NOUN}(?:{_HEADS})|(?i:{_HEADS}))[ ](?:für|der|des|zur)[ ](?:(?:der|die|das)[ ])?{_NOUN}"
    rf"(?:[ ](?:(?:in[ ](?:der|den)|und|für|des|der)[ ])?{_NOUN})*"
)
_GERMAN_NOUN = re.compile(r"(?:en|er|ung|heit|keit|schaft|tion|tät|nis|ment|ei)s?\Z")
"""Endings that German nouns often have and product names seldom do."""

_LOOK_BACK = 24
"""How many characters before a word are searched for a sentence's start, including marks of lists and headings."""

_TITLE = re.compile(r"\b(?:Dr|Prof|Mr|Mrs|Ms|St|Hr|Fr|M|Mme)\.\Z")
_TITLED = re.compile(r"\b(?:Frau|Herrn?|Familie|Firma|Mr|Mrs|Ms|Mme|Mlle|Monsieur|Madame|Dr|Prof)\.?[ ]\Z")
"""What names whatever follows it, in German too."""


# fmt: off
_NOT_NAMES = frozenset({
    "i", "yes", "no", "ja", "nein", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag",
    "sie", "ihr", "ihre", "ihnen", "frau", "herr", "herrn", "mr", "mrs", "ms", "dr", "prof",
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "januar", "jänner", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember",
})
_COUNTED = frozenset({
    "anfang", "mitte", "ende", "euro", "dollar", "franken", "cent", "prozent", "uhr", "meter", "kilometer", "gramm",
    "kilogramm", "tonnen", "liter", "grad", "millionen", "milliarden", "dutzend", "seite", "seiten", "abschnitt",
    "kapitel", "nummer", "version", "stufe", "schritt", "tabelle", "abbildung", "absatz", "punkt", "teil", "sekunden",
    "minuten", "stunden", "tage", "tagen", "wochen", "monate", "monaten", "jahre", "jahren", "tag", "woche", "monat",
    "jahr", "stunde",
})
"""German nouns that may be next to another noun without an article: two of them are not a name."""
_BEFORE_NOUNS = frozenset({
    "ab", "als", "am", "an", "auch", "auf", "aus", "bei", "beim", "bis", "da", "das", "dass", "durch", "ein", "etwas",
    "falls", "für", "gegen", "gemäß", "genug", "hat", "hinter", "ihr", "im", "in", "ist", "kein", "laut", "mehr",
    "mein", "mit", "nach", "noch", "nur", "ob", "ohne", "per", "pro", "rund", "sein", "seit", "sind", "so", "statt",
    "trotz", "um", "und", "uns", "viel", "vom", "von", "vor", "was", "weil", "welch", "wie", "wird", "wo", "zu", "zum",
    "zur", "zwei", "drei", "fünf", "sechs", "acht", "zehn", "elf", "zwölf", "bzw", "jedoch", "allein", "manch", "solch",
})
# fmt: on
_PLAIN = _NOT_NAMES | _COUNTED


class Taken:
    """Disjoint spans, with a fast test whether another span overlaps them."""

    def __init__(self) -> None:
        self._spans: list[Span] = []

    def take(self, span: Span) -> bool:
        """Add a span, or return False without adding it if it overlaps one of the spans."""
        at = bisect(self._spans, span)
        beside = self._spans[max(0, at - 1) : at + 1]
        if any(span.start < other.end and other.start < span.end for other in beside):
            return False
        self._spans.insert(at, span)
        return True


def words(text: str) -> list[str]:
    """The runs of letters and the runs of digits in `text`, in one case."""
    return [caseless(match[0]) for match in _TOKEN.finditer(text)]


def in_german(text: str) -> bool:
    """True when `text` has more German than English function words, or as many of both and an umlaut.

    In German, capitals do not mark names.
    """
    german, english = len(_GERMAN.findall(text)), len(_ENGLISH.findall(text))
    return german > english or (german == english and bool(_UMLAUT.search(text)))


def code_spans(text: str) -> Iterator[Span]:
    """Yield the contents of inline code, and identifiers in running text (paths, dotted names, addresses)."""
    ends = 0
    for match in _CODE.finditer(text):
        yield from _identifiers(text, ends, match.start())
        yield Span(*match.span(1))
        ends = match.end()
    yield from _identifiers(text, ends, len(text))


def _identifiers(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _IDENTIFIER.finditer(text, start, end):
        if not _ABBREVIATION.fullmatch(match[0]):
            yield Span(*match.span())


def designations(text: str) -> Iterator[Span]:
    """Yield abbreviations with the numbers that belong to them."""
    for match in _DESIGNATION.finditer(_without_code(text)):
        yield Span(*match.span())


def proper_names(sentence: str, known: AbstractSet[str], *, german: bool | None = None) -> Iterator[Span]:
    """Yield the names in `sentence`, which must be a whole sentence; consecutive words are one name.

    A sentence's first word counts only if it has a capital or digit inside, or if it is in `known` and another name
    follows. German capitalises every noun: there, a name is a word with a capital or digit inside, two or more words in
    a row, an institution ("Amt für ..."), or a word next to a known name in a list.

    Args:
        sentence: one sentence of an answer, its citations blanked.
        known: words that the documents use only as names.
        german: whether the sentence is German; None leaves that to its words.
    """
    bare = _without_code(sentence)
    german = in_german(bare) if german is None else german
    taken = Taken()
    for match in _INSTITUTION.finditer(bare) if german else ():
        taken.take(Span(*match.span()))
        yield Span(*match.span())
    found = [run for run in _runs(bare, known, german=german) if taken.take(run)]
    for at, run in enumerate(found):
        written = run.of(bare)
        inner = bool(_INNER.search(written[1:])) or written.isupper()
        several = " " in written
        if not several and not inner and _opens(bare, run.start):
            continue
        listed = not _GERMAN_NOUN.search(written) and _beside_known(bare, found, at, known)
        titled = _TITLED.search(bare, max(0, run.start - _LOOK_BACK), run.start)
        if several or inner or not german or listed or titled:
            yield run


def _runs(text: str, known: AbstractSet[str], *, german: bool) -> Iterator[Span]:
    """Yield words with a capital, consecutive ones as one run; a genitive ends a run."""
    plain = _PLAIN if german else _NOT_NAMES
    found = (Span(*match.span()) for match in _WORD.finditer(text))
    capitals = [span for span in found if _is_capital(span.of(text)) and caseless(span.of(text)) not in plain]
    run: Span | None = None
    for span in capitals:
        if run is not None and _joins(text, run, span, german=german):
            run = Span(run.start, span.end)
            continue
        if run is not None:
            yield run
        run = span
        word = span.of(text)
        if _opens(text, span.start) and not (word in known or _INNER.search(word[1:]) or (german and _may_name(word))):
            run = None
            yield span
    if run is not None:
        yield run


def _is_capital(word: str) -> bool:
    return len(word) > 1 and (word[0].isupper() or bool(_CAMEL.fullmatch(word)))


def _may_name(word: str) -> bool:
    """True for the first word of a German sentence unless it is an adjective or may precede any noun."""
    return caseless(word) not in _BEFORE_NOUNS and not word.endswith(("e", "er", "es", "en", "em"))


def _joins(text: str, run: Span, following: Span, *, german: bool) -> bool:
    between = text[run.end : following.start]
    if _GENITIVE.search(text, run.end - 2, run.end):
        return False
    return between in {" ", "\u00a0", " of "} or (between == "-" and not german)


def _beside_known(text: str, found: Sequence[Span], at: int, known: AbstractSet[str]) -> bool:
    """True when a known name comes directly before or after the run at index `at` in a list."""
    beside = ((at - 1, at, at - 1), (at, at + 1, at + 1))
    return any(
        left >= 0
        and right < len(found)
        and _LIST_JOINT.fullmatch(text, found[left].end, found[right].start)
        and all(word in known for word in found[other].of(text).split())
        for left, right, other in beside
    )


def _without_code(text: str) -> str:
    return _CODE.sub(lambda match: " " * len(match[0]), text)


def _opens(text: str, start: int) -> bool:
    """True at the start of the sentence or after a colon or quotation mark, where any word may have a capital."""
    before = text[max(0, start - _LOOK_BACK) : start].rstrip(" \t\n*_#>-\u2013\u2022(")
    if _TITLE.search(before):
        return False
    return not before or before[-1] in ":.!?;\"\u201c\u201e\u00bb\u00ab'\u2018"
