"""The vocabulary of a BERT model, and how a word is divided into its pieces (WordPiece, by the longest match)."""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from citemark.embedding.contract import CharRange
from citemark.embedding.model_files import DamagedModel, ShippedFile, check
from citemark.embedding.word_forms import WordForms

_LONGEST_WORD = 100
"""Most letters of a word that is divided; a longer one is unknown as a whole."""

_CONTINUED = "##"
"""What the name of a piece begins with that does not begin a word."""

_UNDERSTOOD: dict[str, dict[str, object]] = {
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": _CONTINUED,
        "max_input_chars_per_word": _LONGEST_WORD,
    },
}
"""What a tokenizer.json must say so that texts are divided as its model was trained."""

Pieces: TypeAlias = tuple[tuple[int, ...], tuple[CharRange, ...]]
"""The ids of the pieces of a text, and the characters of the text that each of them stands for."""


@dataclass(frozen=True, slots=True)
class ControlIds:
    """The ids of the pieces that are not read from a text."""

    start: int
    end: int
    unknown: int


class Vocabulary:
    """Divides words into pieces as the `tokenizers` library does for BERT's lower-case models, ids and places alike."""

    def __init__(self, ids: dict[str, int]) -> None:
        """Take the id of each piece by its name."""
        self._ids = ids
        self._forms = WordForms()
        self._longest = max(map(len, ids))
        self.control = ControlIds(ids["[CLS]"], ids["[SEP]"], ids["[UNK]"])

    @classmethod
    def load(cls, file: ShippedFile) -> "Vocabulary":
        """Read the vocabulary of a tokenizer.json.

        Raises:
            DamagedModel: the file is not the one that was shipped, or is for a kind of model that this one is not.
        """
        # Small enough to hash at every load; a changed vocabulary would change the vectors without anyone noticing.
        check(file)
        try:
            parsed: dict[str, dict[str, Any]] = json.loads(file.path.read_bytes())
            ids: dict[str, int] = parsed["model"].pop("vocab")
            if any(parsed[name] != settings for name, settings in _UNDERSTOOD.items()):
                raise DamagedModel(file.path, "divides words in another way than BERT's lower-case models")
            return cls(ids)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise DamagedModel(file.path, f"cannot be read ({error!r})") from error

    def divided(self, text: str) -> Pieces:
        """The pieces of a text; what a control piece is called, such as [SEP], is read as text."""
        if text.isascii() and text.isalnum():
            return self._word(text.lower(), range(len(text)))
        ids: list[int] = []
        ranges: list[CharRange] = []
        for word, places in self._forms.words(text):
            found, where = self._word(word, places)
            ids += found
            ranges += where
        return tuple(ids), tuple(ranges)

    def _word(self, word: str, places: "range | list[int]") -> Pieces:
        """The pieces of one word whose letters stand at these places; one unknown piece if any is."""
        whole = self._ids.get(word)
        length = len(word)
        if whole is not None and length <= _LONGEST_WORD:
            return (whole,), ((places[0], places[-1] + 1),)
        unknown = (self.control.unknown,), ((places[0], places[-1] + 1),)
        if length > _LONGEST_WORD:
            return unknown
        ids: list[int] = []
        ranges: list[CharRange] = []
        start, prefix = 0, ""
        while start < length:
            stop = min(length, start + self._longest)
            while (piece := self._ids.get(prefix + word[start:stop])) is None:
                stop -= 1
                if stop == start:
                    return unknown
            ids.append(piece)
            ranges.append((places[start], places[stop - 1] + 1))
            start, prefix = stop, _CONTINUED
        return tuple(ids), tuple(ranges)
