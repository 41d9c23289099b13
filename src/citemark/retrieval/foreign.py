"""What a cosine is worth of a text in a language that the embedding model was not trained for."""

from collections.abc import Sequence

from citemark.model.languages import language_named, language_names

_WEIGHTS = {
    "german": 0.45,
    "french": 0.35,
    "russian": 0.25,
    "chinese": 0.25,
    "japanese": 0.25,
    "korean": 0.2,
    "thai": 0.1,
}
_LATIN = 0.3
_OTHER = 0.2
# fmt: off
_IN_LATIN_LETTERS = frozenset({
    "afrikaans", "albanian", "azerbaijani", "basque", "bosnian", "catalan", "croatian", "czech", "danish", "dutch",
    "estonian", "filipino", "finnish", "galician", "hungarian", "icelandic", "indonesian", "irish", "italian",
    "latvian", "lithuanian", "malay", "norwegian", "polish", "portuguese", "romanian", "slovak", "slovenian", "spanish",
    "swahili", "swedish", "turkish", "vietnamese", "welsh",
})
# fmt: on


class CosineWeights:
    """The factor on a chunk's cosine, by its language.

    An English model sees that a foreign text is foreign before it sees what it is about: two unrelated pages in Dutch
    are nearly as close to each other as an English question is to its answer, two in Korean closer. The factor takes
    the cosine that one unrelated pair in a hundred reaches below the half score that a chunk of that language needs
    (measured with all-MiniLM-L6-v2 on six topics in twelve languages; docs/decisions/0017).
    """

    def __init__(self, codes: Sequence[str]) -> None:
        """Name the model's languages by their codes; none means that it reads all."""
        self.own = tuple(name for code in codes if (name := language_named(code)) is not None)

    def of(self, language: str) -> float:
        """The factor in (0, 1]; 1 for the model's own languages, and where the language is not known by name."""
        if not self.is_foreign(language):
            return 1.0
        return _WEIGHTS.get(language, _LATIN if language in _IN_LATIN_LETTERS else _OTHER)

    def is_foreign(self, language: str) -> bool:
        """Whether the model was made for other languages than this one, as far as either is known."""
        return bool(self.own) and language not in self.own and language in _KNOWN


_KNOWN = frozenset(language_names())
EVERY_LANGUAGE = CosineWeights(())
