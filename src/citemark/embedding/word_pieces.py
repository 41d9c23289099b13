"""Divides texts into the word pieces that a model reads and that passages are measured in."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from sys import maxsize

from citemark.embedding.contract import CharRange, CharRanges
from citemark.embedding.model_files import ShippedFile
from citemark.embedding.vocabulary import Pieces, Vocabulary

# ASCII space and punctuation always separate two words; everything else is left to the vocabulary.
_WORD = re.compile(r"""[^ \t\n\r!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]""")
_BLANKS = str.maketrans("\n\t\r", "   ")
_LONGEST_CACHED = 40
"""Most characters of what is remembered; longer words and runs are codes and addresses, which do not occur again."""

_LONG = 100_000
"""Characters from which ranges are kept as plain numbers: pairs take 140 times the memory of a line of dashes."""

_CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_BREAK = re.compile(rf"[ \t\n\r!-/:-@\[-`{{-~]|{_CHINESE}(?={_CHINESE})")
"""Another word begins after a match: text without spaces is divided too, such as Chinese or a line of dashes."""


class WordPieces:
    """The tokenizer of a model. Safe to share between threads.

    A word is divided once, and the result is remembered, as is that of each run between two blanks: text repeats both,
    so most runs cost one lookup. A run that is one piece, as most are, is remembered as the id of that piece.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        most_remembered: int = 100_000,
        load_again: Callable[[], Vocabulary] | None = None,
    ) -> None:
        """Take the vocabulary, and what loads it again after it was let go; without that it stays."""
        self._vocabulary: Vocabulary | None = vocabulary
        self._load_again = load_again
        self._control = vocabulary.control
        self._most_remembered = most_remembered
        self._words: dict[str, int | Pieces] = {}
        self._runs: dict[str, int | Pieces] = {}

    @classmethod
    def load(cls, file: ShippedFile) -> "WordPieces":
        """Load the vocabulary from its tokenizer.json.

        Raises:
            DamagedModel: the file is not the one that was shipped.
        """
        return cls(Vocabulary.load(file), load_again=partial(Vocabulary.load, file))

    def let_go(self) -> None:
        """Drop the vocabulary and what is remembered, until it is used again."""
        self._words.clear()
        self._runs.clear()
        if self._load_again is not None:
            self._vocabulary = None

    def _whole(self) -> Vocabulary:
        vocabulary = self._vocabulary
        if vocabulary is None:
            if self._load_again is None:
                raise RuntimeError("only a vocabulary that can be loaded again is let go")
            vocabulary = self._vocabulary = self._load_again()
        return vocabulary

    def offsets(self, texts: Sequence[str]) -> list[CharRanges]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        return [self._ranges(text) for text in texts]

    def batch(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Token ids of each text with [CLS] and [SEP], truncated to `max_tokens` in total."""
        start, end = self._control.start, self._control.end
        return [[start, *self._ids(text, max_tokens - 2), end] for text in texts]

    def pair(self, first: str, second: str, max_tokens: int) -> tuple[list[int], list[int]]:
        """Token ids of two texts with [CLS] and [SEP], and 0 or 1 for each: whether it is of the second text.

        The longer text is cut first; both are cut to the same length if they do not have room together.
        """
        room = max_tokens - 3
        one, two = self._ids(first, maxsize), self._ids(second, maxsize)
        shorter = min(len(one), len(two), room // 2)
        kept_one, kept_two = (shorter, room - shorter) if len(one) <= len(two) else (room - shorter, shorter)
        one, two = [self._control.start, *one[:kept_one], self._control.end], [*two[:kept_two], self._control.end]
        return one + two, [0] * len(one) + [1] * len(two)

    def _ids(self, text: str, most: int) -> list[int]:
        """The first ids of a text."""
        ids: list[int] = []
        for run in text.translate(_BLANKS).split(" "):
            pieces = self._runs.get(run)
            if pieces is None:
                pieces = self._run(run)
            if isinstance(pieces, int):
                ids.append(pieces)
            elif isinstance(pieces, tuple):
                ids += pieces[0]
            else:
                ids += islice((piece for piece, _ in pieces), max(0, most - len(ids)))
            if len(ids) >= most:
                return ids[:most]
        return ids

    def _ranges(self, text: str) -> CharRanges:
        """The ranges of a text, part by part; the text is divided only between words."""
        ranges, position = CharRanges(), 0
        while position < len(text):
            gap = _BREAK.search(text, position + _LONG)
            stop = len(text) if gap is None else gap.end()
            self._add_part(text[position:stop] if position or stop < len(text) else text, ranges, position)
            position = stop
        return ranges

    def _add_part(self, part: str, ranges: CharRanges, shift: int) -> None:
        """Add the ranges of a part of a text that begins at `shift`."""
        starts: list[int] = []
        ends: list[int] = []
        add_start, add_end, recall = starts.append, ends.append, self._runs.get
        at = 0
        for run in part.replace("\n", " ").replace("\t", " ").replace("\r", " ").split(" "):
            pieces = recall(run)
            if pieces is None:
                pieces = self._run(run)
            if isinstance(pieces, int):
                add_start(at)
                at += len(run)
                add_end(at)
            else:
                for first, last in pieces[1] if isinstance(pieces, tuple) else (span for _, span in pieces):
                    add_start(at + first)
                    add_end(at + last)
                at += len(run)
            at += 1  # the blank
        ranges.extend(starts, ends, shift)

    def _run(self, run: str) -> "int | Pieces | Iterator[tuple[int, CharRange]]":
        """The pieces of one run; those of a long one, which is not remembered, one by one."""
        if len(run) > _LONGEST_CACHED:
            return self._pieces(run)
        ids: list[int] = []
        ranges: list[CharRange] = []
        at = 0
        # There are no blanks in a run, so each of its words begins where the one before it ends.
        for word in (run,) if run.isalnum() and run.isascii() else _WORD.findall(run):
            pieces, beyond = self._word(word), at + len(word)
            if isinstance(pieces, int):
                ids.append(pieces)
                ranges.append((at, beyond))
            else:
                ids += pieces[0]
                ranges += [(at + first, at + last) for first, last in pieces[1]]
            at = beyond
        return self._remember(self._runs, run, (tuple(ids), tuple(ranges)))

    def _word(self, word: str) -> int | Pieces:
        pieces = self._words.get(word)
        return self._remember(self._words, word, self._whole().divided(word)) if pieces is None else pieces

    def _pieces(self, run: str) -> Iterator[tuple[int, CharRange]]:
        """The pieces of one run with their places, word by word."""
        for match in _WORD.finditer(run):
            pieces, start = self._word(match[0]), match.start()
            if isinstance(pieces, int):
                yield pieces, match.span()
                continue
            for piece, (first, last) in zip(*pieces, strict=True):
                yield piece, (start + first, start + last)

    def _remember(self, memory: dict[str, int | Pieces], text: str, pieces: Pieces) -> int | Pieces:
        """The same pieces, or the id alone of one that is the whole text; a full memory is emptied."""
        kept = pieces[0][0] if pieces[1] == ((0, len(text)),) else pieces
        if len(text) <= _LONGEST_CACHED:
            if len(memory) >= self._most_remembered:
                memory.clear()
            memory[text] = kept
        return kept
