"""The default embedder: all-MiniLM-L6-v2 on onnxruntime."""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import citemark_minilm
import numpy as np

from citemark.embedding.contract import Vectors
from citemark.embedding.model_files import DamagedModel, check, read_calibration, read_manifest, verify
from citemark.embedding.wordpieces import WordPieces, padded
from citemark.model.errors import BackendUnavailable
from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin

_TOKENS_PER_BATCH = 2048
"""Padding included. Measured: four to eight chunks of 200 tokens are the fastest, 32 take twice the memory."""

_MOST_QUERY_THREADS = 2
"""A question is one short text, which more threads make hardly faster."""


class MiniLM:
    """Embeds questions in full precision by one graph, documents in 8-bit products by another, into one vector space.

    Sessions and the tokenizer are made at first use. Every method may be called from any thread. A call of
    `embed_documents` keeps one core busy: a caller with N workers uses N.
    """

    def __init__(self, threads: int = 0, files: citemark_minilm.Files | None = None) -> None:
        """Read the manifest.

        Args:
            threads: Cores for one question; 0 means two, or one on a single-core machine.
            files: The model's files, if they are not those of the installed package.

        Raises:
            DamagedModel: a file is missing or of the wrong size.
        """
        self._files = files or citemark_minilm.files()
        self._manifest = read_manifest(self._files)
        self._calibration = read_calibration(self._files)
        self._query_threads = threads or min(_MOST_QUERY_THREADS, os.cpu_count() or 1)
        self._lock = Lock()
        self._closed = False
        self._breaking_off: Any = None
        self._tokenizer: WordPieces | None = None
        self._query_session: Any = None
        self._document_session: Any = None

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
        """Names the vector space."""
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
                    self._tokenizer = self._load_tokenizer()
        return self._tokenizer

    def embed_query(self, text: str) -> Vectors:
        """One question to one unit vector, shape (dimensions,), full precision."""
        return _run(self._for_queries(), self.tokenizer.batch([text], self.identity.max_tokens))[0]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Phrasings of a question to unit vectors, shape (len(texts), dimensions), full precision, in one run."""
        return _run(self._for_queries(), self.tokenizer.batch(texts, self.identity.max_tokens))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Texts to unit vectors, shape (len(texts), dimensions), in the order given.

        Raises:
            BackendUnavailable: the model was closed meanwhile.
        """
        rows = self.tokenizer.batch(texts, self.identity.max_tokens)
        vectors = np.empty((len(rows), self.identity.dimensions), np.float32)
        for places in _batches([len(row) for row in rows]):
            vectors[places] = self._run_until_closed([rows[place] for place in places])
        return vectors

    def close(self) -> None:
        """Make threads that embed documents give up: the process is about to end."""
        with self._lock:
            self._closed = True
            if self._breaking_off is not None:
                self._breaking_off.terminate = True

    def verify_files(self) -> None:
        """Hash every file of the model against the manifest.

        Raises:
            DamagedModel: the first file that differs.
        """
        verify(self._manifest)

    def _load_tokenizer(self) -> WordPieces:
        # Small enough to hash at every load; a changed vocabulary would shift vectors without a trace.
        for each in self._manifest.shipped:
            if each.path == self._files.tokenizer:
                check(each)
        return WordPieces.load(self._files.tokenizer)

    def _for_queries(self) -> Any:
        if self._query_session is None:
            with self._lock:
                if self._query_session is None:
                    self._query_session = _session(self._files.query_graph, self._query_threads)
        return self._query_session

    def _for_documents(self) -> Any:
        if self._document_session is None:
            with self._lock:
                if self._document_session is None:
                    self._document_session = _session(self._files.document_graph, 1)
                    self._breaking_off = import_module("onnxruntime").RunOptions()
        return self._document_session

    def _run_until_closed(self, rows: list[list[int]]) -> Vectors:
        session = self._for_documents()
        try:
            if not self._closed:
                return _run(session, rows, self._breaking_off)
        except import_module("onnxruntime.capi.onnxruntime_pybind11_state").Fail:
            if not self._closed:
                raise
        raise BackendUnavailable("The model was closed before these texts were embedded.")


def _session(graph: Path, threads: int) -> Any:
    # By default the library keeps a device id in the home folder and reports usage to its maker; it reads this once.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # Imported here: a third of a second that which a command without search must not pay. The library has no types.
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Lengths differ from batch to batch, so a remembered layout of memory never fits and only holds memory.
    options.enable_mem_pattern = False
    # Waiting threads would otherwise burn the cores that the database needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    try:
        return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except (state.Fail, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile) as error:
        raise DamagedModel(graph, f"cannot be loaded ({error})") from error


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of the texts in batches of similar length, which wastes the least work on padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > _TOKENS_PER_BATCH:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _run(session: Any, rows: list[list[int]], options: Any = None) -> Vectors:
    ids, mask = padded(rows)
    vectors: Vectors = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask}, options)[0]
    return vectors
