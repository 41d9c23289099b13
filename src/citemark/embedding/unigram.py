"""Divides texts into the pieces of a Unigram model (Kudo 2018), as SentencePiece does, for a model of many languages.

Every word begins with a mark for the space before it. Of all ways to divide a word into pieces of the vocabulary, the
one with the highest sum of scores is taken.
"""

import json
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from threading import Lock
from typing import Any

from citemark.embedding.model_files import DamagedModel, ShippedFile, check

_SPACE = "\u2581"
"""What a word begins with."""

_UNKNOWN_PENALTY = 10.0
"""How much worse than the worst piece a character is that no piece begins with."""

_LONGEST_CACHED = 40
"""Most characters of a run that is remembered; longer ones are addresses, or text that is written without spaces."""

_MOST_KEPT = 100_000
"""Most runs that are remembered before all are forgotten."""


class Unigram:
    """The tokenizer of a model. Safe to share between threads.

    What lies between two blanks is divided once and remembered: text repeats its words.
    """

    def __init__(self, file: ShippedFile) -> None:
        """Take the file of the vocabulary, which is read at first use, and again after it was let go."""
        self._file = file
        self._model: _Model | None = None
        self._lock = Lock()
        self._runs: dict[str, tuple[int, ...]] = {}

    def batch(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Token ids of each text with those of its start and its end, truncated to `max_tokens` in total.

        Raises:
            DamagedModel: the file is not the one that was shipped.
        """
        model = self._model or self._loaded()
        return [[model.start, *self._ids(model, text, max_tokens - 2), model.end] for text in texts]

    def let_go(self) -> None:
        """Drop the vocabulary and what is remembered, until it is used again."""
        self._runs.clear()
        self._model = None

    def _loaded(self) -> "_Model":
        with self._lock:  # a quarter of a million pieces, which threads that begin together must not load twice
            self._model = model = self._model or _Model.load(self._file)
            return model

    def _ids(self, model: "_Model", text: str, most: int) -> list[int]:
        """The first ids of a text."""
        ids: list[int] = []
        for run in text.replace("\n", " ").split(" "):
            pieces = self._runs.get(run)
            if pieces is None:
                pieces = self._divided(model, run, most)
            ids += pieces
            if len(ids) >= most:
                return ids[:most]
        return ids

    def _divided(self, model: "_Model", run: str, most: int) -> tuple[int, ...]:
        """The pieces of one run, remembered unless it is long; of such a run, what `most` pieces can be made of."""
        if len(run) > _LONGEST_CACHED:
            return tuple(model.divided(run[: most * model.longest]))
        pieces = tuple(model.divided(run))
        if len(self._runs) >= _MOST_KEPT:
            self._runs.clear()
        self._runs[run] = pieces
        return pieces


class _Model:
    """The vocabulary, and how a text is divided."""

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        characters: Mapping[str, str],
        control: tuple[int, int, int],
    ) -> None:
        """Take the pieces with their scores, what characters become, and the ids of start, end and unknown.

        A piece with the score 0 has a meaning of its own, such as the start of a text, and is never read from one.
        """
        self.start, self.end, self._unknown = control
        self._scores = array("f", scores)
        self._ids = {piece: place for place, piece in enumerate(pieces) if scores[place]}
        self._characters = str.maketrans(dict(characters))
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        self._lengths: dict[str, int] = {}
        for piece in self._ids:
            first = piece[0]
            if len(piece) > self._lengths.get(first, 0):
                self._lengths[first] = len(piece)
        self.longest = max(self._lengths.values())

    @classmethod
    def load(cls, file: ShippedFile) -> "_Model":
        """Read the tokenizer.json of a package.

        Raises:
            DamagedModel: the file is not the one that was shipped, or is for another kind of model.
        """
        check(file)
        try:
            parsed: dict[str, Any] = json.loads(file.path.read_bytes())
            if parsed["type"] != "Unigram":
                raise DamagedModel(file.path, "divides words in another way than a Unigram model")
            control = (int(parsed["start"]), int(parsed["end"]), int(parsed["unknown"]))
            return cls(parsed["pieces"], parsed["scores"], parsed["characters"], control)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise DamagedModel(file.path, f"cannot be read ({error!r})") from error

    def divided(self, text: str) -> Iterator[int]:
        """The ids of a text's pieces, word by word."""
        if not text.isascii() or not text.isprintable():
            # The table has each character's compatible form, and none of the printable ones of ASCII, which have no
            # other; what is left of NFKC is to put characters together.
            text = unicodedata.normalize("NFC", text.translate(self._characters))
        for word in text.split(" "):
            if word:
                yield from self._word(_SPACE + word)

    def _word(self, word: str) -> list[int]:
        """The best way to divide a word (Viterbi); characters that are unknown one after another are one piece."""
        whole = len(word)
        best = [0.0] + [-inf] * whole
        came = [0] * (whole + 1)
        chosen = [self._unknown] * (whole + 1)
        ids, scores = self._ids, self._scores
        for start in range(whole):
            before, following = best[start], start + 1
            single = False
            for stop in range(following, min(whole, start + self._lengths.get(word[start], 0)) + 1):
                piece = ids.get(word[start:stop])
                if piece is None:
                    continue
                single = single or stop == following
                score = before + scores[piece]
                if score > best[stop]:
                    best[stop], came[stop], chosen[stop] = score, start, piece
            if not single and before + self._unknown_score > best[following]:
                best[following] = before + self._unknown_score
                came[following], chosen[following] = start, self._unknown
        found: list[int] = []
        place = whole
        while place:
            piece = chosen[place]
            if piece != self._unknown or not found or found[-1] != piece:
                found.append(piece)
            place = came[place]
        found.reverse()
        return found
