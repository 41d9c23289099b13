"""Text to the model's word pieces: their places in the text, and batches for the model."""

import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer as RustTokenizer

CharRange: TypeAlias = tuple[int, int]
Ids: TypeAlias = npt.NDArray[np.int32]

# ASCII space and punctuation always part two words of BERT's pre-tokenizer; everything else is left to it.
_WORD = re.compile(r"""[^ \t\n\r!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]""")
_LONGEST_REMEMBERED = 40
"""Characters; longer words are codes and addresses, which do not come back."""

_WHOLE: tuple[CharRange, ...] = ((0, 0),)
_LONG = 1_000_000
"""Characters from which places are kept as plain numbers: as pairs they take thirty times the memory of the text."""

_BREAK = re.compile(r"[ \n]")


class CharRanges(Sequence[CharRange]):
    """A sequence of character ranges in little memory."""

    def __init__(self) -> None:
        self.starts = array("I")
        self.ends = array("I")

    def extend(self, spans: Sequence[CharRange], shift: int) -> None:
        """Add ranges, moved by `shift` characters."""
        self.starts.extend(start + shift for start, _ in spans)
        self.ends.extend(end + shift for _, end in spans)

    @overload
    def __getitem__(self, index: int) -> CharRange: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CharRange]: ...
    def __getitem__(self, index: int | slice) -> CharRange | Sequence[CharRange]:
        """One range, or some."""
        if isinstance(index, slice):
            return list(zip(self.starts[index], self.ends[index], strict=True))
        return self.starts[index], self.ends[index]

    def __iter__(self) -> Iterator[CharRange]:
        """The ranges in order."""
        return zip(self.starts, self.ends, strict=True)

    def __len__(self) -> int:
        """The number of ranges."""
        return len(self.starts)


class WordPieces:
    """The tokenizer of the model. Safe to share between threads.

    A word is split by the Rust tokenizer once and remembered: text repeats its words, so most of it costs one
    lookup a word. Names of control tokens such as "[SEP]" inside a text are read as text.
    """

    def __init__(self, tokenizer: "RustTokenizer", most_remembered: int = 100_000) -> None:
        vocabulary = tokenizer.get_vocab()
        self._tokenizer = tokenizer
        self._start = vocabulary["[CLS]"]
        self._end = vocabulary["[SEP]"]
        self._most_remembered = most_remembered
        self._memory: dict[str, tuple[CharRange, ...]] = {}

    @classmethod
    def load(cls, path: Path) -> "WordPieces":
        """Read tokenizer.json."""
        from tokenizers import Tokenizer as RustTokenizer  # noqa: PLC0415 - keeps the import of this module cheap

        tokenizer = RustTokenizer.from_file(str(path))
        tokenizer.encode_special_tokens = True
        return cls(tokenizer)

    def offsets(self, texts: Sequence[str]) -> list[Sequence[CharRange]]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        return [self._spans(text) if len(text) < _LONG else self._many(text) for text in texts]

    def batch(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Token ids of each text with [CLS] and [SEP], cut to `max_tokens` in all."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [[self._start, *encoding.ids[: max_tokens - 2], self._end] for encoding in encodings]

    def _spans(self, text: str) -> list[CharRange]:
        spans: list[CharRange] = []
        append, recall = spans.append, self._memory.get
        for match in _WORD.finditer(text):
            pieces = recall(match[0])
            if pieces is None:
                pieces = self._split(match[0])
            if pieces is _WHOLE:
                append(match.span())
                continue
            start = match.start()
            for first, last in pieces:
                append((start + first, start + last))
        return spans

    def _many(self, text: str) -> CharRanges:
        """The ranges of a long text, part by part; the text is divided only between words."""
        found, at = CharRanges(), 0
        while at < len(text):
            gap = _BREAK.search(text, at + _LONG)
            stop = len(text) if gap is None else gap.end()
            found.extend(self._spans(text[at:stop]), at)
            at = stop
        return found

    def _split(self, word: str) -> tuple[CharRange, ...]:
        """Places of the pieces of one word; `_WHOLE` when it is one piece, as most words are."""
        pieces = tuple(self._tokenizer.encode(word, add_special_tokens=False).offsets)
        if pieces == ((0, len(word)),):
            pieces = _WHOLE
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self._memory) >= self._most_remembered:
                self._memory.clear()
            self._memory[word] = pieces
        return pieces


def padded(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Token ids and mask of equal shape (rows, longest row), zeros on the right."""
    longest = max(len(row) for row in rows)
    ids: Ids = np.zeros((len(rows), longest), np.int32)
    mask: Ids = np.zeros((len(rows), longest), np.int32)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return ids, mask
