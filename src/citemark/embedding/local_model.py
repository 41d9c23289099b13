"""A model whose files are installed: two graphs on onnxruntime, and a tokenizer."""

import os
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from citemark.embedding.contract import Vectors
from citemark.embedding.document_graphs import Ids, MakeDocumentGraph, OnnxDocuments
from citemark.embedding.graphs import LoadedGraph
from citemark.embedding.model_files import ModelFiles, ShippedFile, read_calibration, read_manifest, verify
from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin


class TokenIds(Protocol):
    """Turns texts into what a graph reads."""

    def batch(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Token ids of each text with those of its start and its end, truncated to `max_tokens` in total."""
        ...

    def let_go(self) -> None:
        """Drop what takes up memory, until it is used again."""
        ...


AnyTokenizer = TypeVar("AnyTokenizer", bound=TokenIds)


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


class LocalModel(Generic[AnyTokenizer]):
    """Embeds questions in full precision with one graph and documents in 8-bit products with another, into one space.

    Graphs and the tokenizer are loaded at first use; `let_go` drops graphs until the next use. Every method may be
    called from any thread. A call of `embed_documents` keeps one core busy: a caller with N workers uses N cores.
    """

    def __init__(
        self,
        files: ModelFiles,
        tokenizer: Callable[[ShippedFile], AnyTokenizer],
        threads: int = 0,
        seconds: Callable[[], float] = monotonic,
        documents: MakeDocumentGraph = OnnxDocuments,
    ) -> None:
        """Read the manifest.

        Args:
            files: The model's files.
            tokenizer: Makes the tokenizer of its file, at first use.
            threads: Cores for one question; 0 means two, or one on a single-core machine.
            seconds: A monotonic clock, by which graphs are idle.
            documents: Makes what runs the graph for documents.

        Raises:
            DamagedModel: a file is missing or of the wrong size.
        """
        self._files = files
        self._manifest = read_manifest(self._files)
        self._calibration = read_calibration(self._files)
        query_threads = threads or min(_MOST_QUERY_THREADS, os.cpu_count() or 1)
        self._queries = LoadedGraph(self._files.query_graph, query_threads, seconds)
        self._documents = documents(self._files.document_graph, seconds)
        self._lock = Lock()
        self._make_tokenizer = tokenizer
        self._tokenizer: AnyTokenizer | None = None

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
    def tokenizer(self) -> AnyTokenizer:
        """The model's tokenizer."""
        if self._tokenizer is None:
            with self._lock:
                if self._tokenizer is None:
                    self._tokenizer = self._make_tokenizer(self._manifest.file(self._files.tokenizer))
        return self._tokenizer

    def embed_query(self, text: str) -> Vectors:
        """Embed one question as one unit vector, shape (dimensions,), in full precision."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed phrasings of a question as unit vectors, shape (len(texts), dimensions), full precision, in one run."""
        return _run(self._queries.session(), self._rows(self._manifest.query_prefix, texts))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as unit vectors, shape (len(texts), dimensions), in the order given.

        Raises:
            BackendUnavailable: the model was closed in the meantime.
        """
        rows = self._rows(self._manifest.document_prefix, texts)
        vectors = np.empty((len(rows), self.identity.dimensions), np.float32)
        for indexes in _batches([len(row) for row in rows], self._documents.most_tokens):
            vectors[indexes] = self._documents.run(*padded([rows[index] for index in indexes]))
        return vectors

    def _rows(self, prefix: str, texts: Sequence[str]) -> list[list[int]]:
        prefixed = [prefix + text for text in texts] if prefix else texts
        return self.tokenizer.batch(prefixed, self.identity.max_tokens)

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
