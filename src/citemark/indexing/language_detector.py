"""The language of a document: the one it declares, else the one its words show, else that of its source."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from citemark.model.sources import Source
from citemark.model.text import BlockKind, Extracted
from citemark.text.languages import DENSE, language_codes, language_named

_PROSE = frozenset({BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.TABLE})
_PLACES = 16
"""The number of blocks that are sampled, spread over the document."""

_FROM_EACH = 160
"""Characters taken from each of these blocks."""

_SAMPLE = 1000
"""Characters in total, which bounds the time of the classifier."""

_LEAST_LETTERS = 20
_LEAST_WORDS = 4
"""Shorter samples are names and titles, which the classifier may assign to any language."""

_CERTAIN = 0.9
"""The probability from which the best language is accepted without further checks."""

_LIKELY = 0.5
_RULED_OUT = 0.02
"""Related languages share the probability of a short text (Spanish, Galician), so the best one is also accepted if it
has half of it and the source's own language is practically ruled out."""

_WITHOUT_WORDS = "zxx"
_NO_WORDS = re.compile(r"`[^`\n]*`?|<[^>\n]*>|\]\([^)\n]*\)|\b[a-z][a-z+.-]*://\S+|&\w+;", re.IGNORECASE)
_STRANGE = re.compile(r"[\d_/\\@=(){}\[\]<>$|+~^%]|[a-z][A-Z]|\w[.:]\w")
_LETTER = re.compile(r"[^\W\d_]")

_ENGLISH = frozenset(
    "the and to that with this from you your are not can when which they it if but by or were".split()  # noqa: SIM905
)
"""Words that English texts are full of and that are in the stop list of no other language that has one."""

_ENGLISH_SHARE = 0.1
"""A share of the words; English prose has more of these, a text in another language with English names has fewer."""

_ENGLISH_KINDS = 4
"""The number of different ones, so that a title repeated in a foreign text does not count."""

_ENGLISH_LEAST = 20
"""The minimum number of words in the sample; shorter texts are left to the classifier."""


_LEAST_DENSE = 4
"""Characters; a name or a single word in a Latin text does not determine its language."""

_DENSE_SHARE = 0.2
"""A share of the letters: such a character says about as much as three letters, and the rest is code and names."""

_SYLLABLES = (
    ("korean", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("japanese", re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
    ("lao", re.compile("[\u0e80-\u0eff]")),
    ("burmese", re.compile("[\u1000-\u109f\uaa60-\uaa7f]")),
    ("khmer", re.compile("[\u1780-\u17ff]")),
)
_SYLLABLE_SHARE = 0.1
"""A share of the dense characters: Japanese has more kana among its kanji, and Chinese texts hardly quote any."""


_LETTERS = (
    ("persian", re.compile("[\u0600-\u06ff]"), re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")),
    ("arabic", re.compile("[\u0600-\u06ff]"), None),
    ("hebrew", re.compile("[\u05d0-\u05ea]"), None),
    ("greek", re.compile("[\u0370-\u03ff]"), None),
)
"""Scripts of few languages, with the letters that only that language has (of Arabic letters: those of Persian)."""


class LanguageDetector:
    """Detects languages offline, in any thread. The classifier is loaded when the first document needs it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._model: Any = None

    def language_of(self, extracted: Extracted, source: Source) -> str:
        """The name of a document's language.

        What the document says about itself comes first. The source's language is used if detection is off, and if there
        is too little prose to be sure: short texts, and those that are nearly all code.
        """
        said = None if extracted.language is None else language_named(extracted.language)
        if said is not None:
            return said
        if not source.detects_language:
            return source.language
        return self.detect(extracted, source.language) or source.language

    def detect(self, extracted: Extracted, expected: str) -> str | None:
        """The language of the document's prose, or None if the sample does not distinguish it from the expected one."""
        words = list(_words(extracted))
        text = " ".join(words)
        letters = sum(map(len, words))
        by_script = _by_script(text, letters)
        if by_script is not None:
            return by_script
        if _plainly_english(words):
            return "english"
        if letters < _LEAST_LETTERS or len(words) < _LEAST_WORDS:
            return _by_letters(text, letters)
        shares: dict[str | None, float] = defaultdict(float)
        for code, share in self._classifier().rank(text):
            shares[language_named(code)] += share
        best = max(shares, key=shares.__getitem__)
        sure = shares[best] >= _CERTAIN or (shares[best] >= _LIKELY and shares[expected] <= _RULED_OUT)
        return best if sure else _by_letters(text, letters)

    def _classifier(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = _loaded()
        return self._model


def _loaded() -> Any:
    # Imported here because it takes 0.7 s and 100 MB, which a server without new texts need not spend. It has no types.
    library: Any = import_module("py3langid.langid")
    model = library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
    model.set_languages((language_codes() & set(model.labels)) | {_WITHOUT_WORDS})
    return model


def _words(extracted: Extracted) -> Iterator[str]:
    """Plain words of blocks from all over the document, without code, addresses or identifiers."""
    prose = [block.span for block in extracted.blocks if block.kind in _PROSE]
    left = _SAMPLE
    for span in prose[:: max(1, len(prose) // _PLACES)]:
        text = extracted.body[span.start : min(span.end, span.start + _FROM_EACH)]
        for word in _NO_WORDS.sub(" ", text).split():
            plain = word.strip("*_#|>-.,:;!?\"'()[]{}~")
            if _is_word(plain):
                yield plain
                left -= len(plain) + 1
        if left <= 0:
            return


def _is_word(plain: str) -> bool:
    if plain.isalpha() and (plain.islower() or plain.istitle() or plain.isupper()):
        return True
    return _STRANGE.search(plain) is None and _LETTER.search(plain) is not None


def _plainly_english(words: Sequence[str]) -> bool:
    """Whether a text is clearly English: most are, and this test takes a tenth of the classifier's time."""
    found = [word for word in map(str.lower, words) if word in _ENGLISH]
    enough = len(words) >= _ENGLISH_LEAST and len(found) >= _ENGLISH_SHARE * len(words)
    return enough and len(set(found)) >= _ENGLISH_KINDS


def _by_script(text: str, letters: int) -> str | None:
    """The language that a script without spaces indicates, or None if too little of the text is written in it."""
    dense = "" if text.isascii() else "".join(DENSE.findall(text))
    if len(dense) < _LEAST_DENSE or len(dense) < _DENSE_SHARE * letters:
        return None
    for name, sign in _SYLLABLES:
        if len(sign.findall(dense)) >= _SYLLABLE_SHARE * len(dense):
            return name
    return "chinese"


def _by_letters(text: str, letters: int) -> str | None:
    """The usual language of the script that most letters are in, for texts too short for the classifier."""
    if text.isascii():
        return None
    for name, script, own in _LETTERS:
        if len(script.findall(text)) > letters / 2 and (own is None or own.search(text)):
            return name
    return None
