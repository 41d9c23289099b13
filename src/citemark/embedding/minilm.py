"""The default embedder: all-MiniLM-L6-v2 on onnxruntime, and the tokenizer that splits text into its word pieces."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

import citemark_minilm
import numpy as np

from citemark.embedding.contract import CharRange, CharRanges, Vectors
from citemark.embedding.document_graphs import Ids, MakeDocumentGraph, OnnxDocuments
from citemark.embedding.graphs import LoadedGraph
from citemark.embedding.model_files import ShippedFile, check, read_calibration, read_manifest, verify
from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin

if TYPE_CHECKING:
    from tokenizers import Tokenizer as RustTokenizer

# ASCII space and punctuation always separate two words in BERT's pre-tokenizer; everything else is left to it.
_WORD = re.compile(r"""[^ \t\n\r!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]""")
_LONGEST_CACHED = 40
"""Most characters of what is remembered; longer words and runs are codes and addresses, which do not occur again."""

_WHOLE: tuple[CharRange, ...] = ((0, 0),)
_LONG = 100_000
"""Characters from which ranges are kept as plain numbers: pairs take 140 times the memory of a line of dashes."""

_CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_BREAK = re.compile(rf"[ \t\n\r!-/:-@\[-`{{-~]|{_CHINESE}(?={_CHINESE})")
"""Another word begins after a match: text without spaces is divided too, such as Chinese or a line of dashes."""


class WordPieces:
    """The tokenizer of the model. Safe to share between threads.

    The Rust tokenizer splits a word once, and the result is remembered, as is that of each run between two blanks: text
    repeats both, so most runs cost one lookup. Names of control tokens such as "[SEP]" inside a text are read as text.
    """

    def __init__(
        self,
        tokenizer: "RustTokenizer",
        most_remembered: int = 100_000,
        load_again: "Callable[[], RustTokenizer] | None" = None,
    ) -> None:
        """Take the tokenizer, and what loads it again after it was let go; without that it stays."""
        vocabulary = tokenizer.get_vocab()
        self._tokenizer: RustTokenizer | None = tokenizer
        self._load_again = load_again
        self._start = vocabulary["[CLS]"]
        self._end = vocabulary["[SEP]"]
        self._most_remembered = most_remembered
        self._words: dict[str, tuple[CharRange, ...]] = {}
        self._runs: dict[str, tuple[CharRange, ...]] = {}

    @classmethod
    def load(cls, file: ShippedFile) -> "WordPieces":
        """Load the tokenizer from its tokenizer.json.

        Raises:
            DamagedModel: the file is not the one that was shipped.
        """
        return cls(_loaded(file), load_again=partial(_loaded, file))

    def let_go(self) -> None:
        """Drop the tokenizer and what it remembers, until it is used again."""
        self._words.clear()
        self._runs.clear()
        if self._load_again is not None:
            self._tokenizer = None

    def _whole(self) -> "RustTokenizer":
        tokenizer = self._tokenizer
        if tokenizer is None:
            if self._load_again is None:
                raise RuntimeError("only a tokenizer that can be loaded again is let go")
            tokenizer = self._tokenizer = self._load_again()
        return tokenizer

    def offsets(self, texts: Sequence[str]) -> list[CharRanges]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        return [self._ranges(text) for text in texts]

    def batch(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Token ids of each text with [CLS] and [SEP], truncated to `max_tokens` in total."""
        encodings = self._whole().encode_batch_fast(list(texts), add_special_tokens=False)
        return [[self._start, *encoding.ids[: max_tokens - 2], self._end] for encoding in encodings]

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
                pieces = self._split_run(run, at, starts, ends)
            if pieces is _WHOLE:
                add_start(at)
                at += len(run)
                add_end(at)
            else:
                for first, last in pieces:
                    add_start(at + first)
                    add_end(at + last)
                at += len(run)
            at += 1  # the blank
        ranges.extend(starts, ends, shift)

    def _split_run(self, run: str, at: int, starts: list[int], ends: list[int]) -> tuple[CharRange, ...]:
        """Ranges of the pieces of one run; those of a long one, which is not remembered, are added right away."""
        if len(run) > _LONGEST_CACHED:
            for first, last in self._pieces(run):
                starts.append(at + first)
                ends.append(at + last)
            return ()
        pieces = tuple(self._pieces(run))
        return self._remember(self._runs, run, pieces)

    def _pieces(self, run: str) -> Iterator[CharRange]:
        """Ranges of the pieces of one run, word by word."""
        for match in _WORD.finditer(run):
            pieces = self._words.get(match[0])
            if pieces is None:
                pieces = self._split(match[0])
            if pieces is _WHOLE:
                yield match.span()
                continue
            start = match.start()
            for first, last in pieces:
                yield start + first, start + last

    def _split(self, word: str) -> tuple[CharRange, ...]:
        """Ranges of the pieces of one word, or `_WHOLE` if it is one piece, as most words are."""
        pieces = tuple(self._whole().encode(word, add_special_tokens=False).offsets)
        return self._remember(self._words, word, pieces)

    def _remember(
        self, memory: dict[str, tuple[CharRange, ...]], text: str, pieces: tuple[CharRange, ...]
    ) -> tuple[CharRange, ...]:
        """The same pieces, or `_WHOLE` for one that is the whole text; a full memory is emptied."""
        if pieces == ((0, len(text)),):
            pieces = _WHOLE
        if len(text) <= _LONGEST_CACHED:
            if len(memory) >= self._most_remembered:
                memory.clear()
            memory[text] = pieces
        return pieces


def _loaded(file: ShippedFile) -> "RustTokenizer":
    from tokenizers import Tokenizer as RustTokenizer  # noqa: PLC0415 - keeps the import of this module cheap

    # Small enough to hash at every load; a changed vocabulary would change the vectors without anyone noticing.
    check(file)
    tokenizer = RustTokenizer.from_file(str(file.path))
    tokenizer.encode_special_tokens = True
    return tokenizer


def padded(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Token ids and mask of equal shape (rows, longest row), padded with zeros on the right."""
    longest = max(len(row) for row in rows)
    ids: Ids = np.zeros((len(rows), longest), np.int32)
    mask: Ids = np.zeros((len(rows), longest), np.int32)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask


_MOST_QUERY_THREADS = 2
"""A question is one short text, which more threads hardly speed up."""


class MiniLM:
    """Embeds questions in full precision with one graph and documents in 8-bit products with another, into one space.

    Graphs and the tokenizer are loaded at first use; `let_go` drops graphs until the next use. Every method may be
    called from any thread. A call of `embed_documents` keeps one core busy: a caller with N workers uses N cores.
    """

    def __init__(
        self,
        threads: int = 0,
        files: citemark_minilm.Files | None = None,
        seconds: Callable[[], float] = monotonic,
        documents: MakeDocumentGraph = OnnxDocuments,
    ) -> None:
        """Read the manifest.

        Args:
            threads: Cores for one question; 0 means two, or one on a single-core machine.
            files: The model's files, if they are not those of the installed package.
            seconds: A monotonic clock, by which graphs are idle.
            documents: Makes what runs the graph for documents.

        Raises:
            DamagedModel: a file is missing or of the wrong size.
        """
        self._files = files or citemark_minilm.files()
        self._manifest = read_manifest(self._files)
        self._calibration = read_calibration(self._files)
        query_threads = threads or min(_MOST_QUERY_THREADS, os.cpu_count() or 1)
        self._queries = LoadedGraph(self._files.query_graph, query_threads, seconds)
        self._documents = documents(self._files.document_graph, seconds)
        self._lock = Lock()
        self._tokenizer: WordPieces | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self._manifest.identity.model

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the identity."""
        return self._manifest.identity.fingerprint

    @property
    def origin(self) -> SetOrigin:
        """Empty: the model's files come with the package."""
        return SetOrigin()

    @property
    def identity(self) -> EmbeddingIdentity:
        """The identity of the vector space."""
        return self._manifest.identity

    @property
    def calibration(self) -> Calibration:
        """The fit shipped with the model."""
        return self._calibration

    @property
    def tokenizer(self) -> WordPieces:
        """The model's tokenizer."""
        if self._tokenizer is None:
            with self._lock:
                if self._tokenizer is None:
                    self._tokenizer = WordPieces.load(self._manifest.file(self._files.tokenizer))
        return self._tokenizer

    def embed_query(self, text: str) -> Vectors:
        """Embed one question as one unit vector, shape (dimensions,), in full precision."""
        return _run(self._queries.session(), self.tokenizer.batch([text], self.identity.max_tokens))[0]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed phrasings of a question as unit vectors, shape (len(texts), dimensions), full precision, in one run."""
        return _run(self._queries.session(), self.tokenizer.batch(texts, self.identity.max_tokens))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as unit vectors, shape (len(texts), dimensions), in the order given.

        Raises:
            BackendUnavailable: the model was closed in the meantime.
        """
        rows = self.tokenizer.batch(texts, self.identity.max_tokens)
        vectors = np.empty((len(rows), self.identity.dimensions), np.float32)
        for indexes in _batches([len(row) for row in rows], self._documents.most_tokens):
            vectors[indexes] = self._documents.run(*padded([rows[index] for index in indexes]))
        return vectors

    @property
    def graphs_opened(self) -> int:
        """How often a graph was loaded so far."""
        return self._queries.opened + self._documents.opened

    @property
    def is_loaded(self) -> bool:
        """Whether a graph takes up memory now."""
        return self._queries.is_open or self._documents.is_open

    def let_go(self, idle: float) -> bool:
        """Drop the graphs that nobody has used for `idle` seconds, and the tokenizer with the last of them.

        They are loaded again when they are used again. Returns whether there was such a graph.
        """
        dropped = sum(graph.let_go(idle) for graph in (self._queries, self._documents))
        if dropped and self._tokenizer is not None and not self.is_loaded:
            self._tokenizer.let_go()
        return dropped > 0

    def close(self) -> None:
        """Make threads that embed documents give up: the process is about to end."""
        self._documents.close()

    def verify_files(self) -> None:
        """Hash every file of the model against the manifest.

        Raises:
            DamagedModel: the first file that differs.
        """
        verify(self._manifest)


def _batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """The indexes of the texts in batches of similar length, which wastes the least work on padding.

    A batch has at most so many tokens, padding included, unless it is one text.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > most_tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _run(session: Any, rows: list[list[int]]) -> Vectors:
    ids, mask = padded(rows)
    vectors: Vectors = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
    return vectors
