"""The optional cross-encoder of the package citemark-crossencoder, which reads a question and a passage together."""

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np

from citemark.embedding.graphs import LoadedGraph
from citemark.embedding.model_files import DamagedModel, ShippedFile, check
from citemark.embedding.word_pieces import WordPieces
from citemark.model.errors import ConfigurationError

_MOST_TOKENS = 320
"""For question and passage together: a passage has at most 230, and 90 are enough of a longer question."""

_THREADS = 2
"""As for embedding questions: ten passages are read one after another, each on two cores."""


class CrossEncoder:
    """Rates how well passages answer a question. The model is loaded at first use; safe to share between threads."""

    def __init__(self, folder: Path, seconds: Callable[[], float] = monotonic) -> None:
        """Take the folder of the model's files, which are checked before they are first loaded.

        By `seconds`, a monotonic clock, the graph is idle.
        """
        self._folder = folder
        self._graph = LoadedGraph(folder / "model.onnx", _THREADS, seconds)
        self._lock = Lock()
        self._tokenizer: WordPieces | None = None

    @classmethod
    def installed(cls) -> "CrossEncoder":
        """The cross-encoder of the installed package.

        Raises:
            ConfigurationError: the package is not installed.
        """
        try:
            package: Any = import_module("citemark_crossencoder")
        except ModuleNotFoundError:
            raise ConfigurationError(
                "cross_encoder is set, and its model is not installed: install packages/citemark-crossencoder, or "
                "leave cross_encoder out."
            ) from None
        return cls(package.files().manifest.parent)

    def logits(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the question, from about -11 to 11.

        Each passage is read alone, so that no result depends on the others.

        Raises:
            DamagedModel: a file is missing or was changed.
        """
        tokenizer, session = self._checked_tokenizer(), self._graph.session()
        logits: list[float] = []
        for passage in passages:
            ids, kinds = tokenizer.pair(question, passage, _MOST_TOKENS)
            inputs = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": kinds}
            row = session.run(["logits"], {name: np.array([row], np.int64) for name, row in inputs.items()})
            logits.append(float(row[0][0][0]))
        return logits

    def let_go(self, idle: float) -> bool:
        """Drop the graph until it is used again, if nobody has used it for `idle` seconds; returns whether it was."""
        return self._graph.let_go(idle)

    def _checked_tokenizer(self) -> WordPieces:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = self._load()
            return self._tokenizer

    def _load(self) -> WordPieces:
        """The tokenizer, after every file of the model was checked."""
        manifest = self._folder / "manifest.json"
        try:
            files: dict[str, dict[str, Any]] = json.loads(manifest.read_bytes())["files"]
            shipped = [
                ShippedFile(self._folder / name, int(entry["bytes"]), str(entry["sha256"]))
                for name, entry in files.items()
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedModel(manifest, f"cannot be read ({error!r})") from error
        for file in shipped:
            check(file)
        tokenizer = self._folder / "tokenizer.json"
        return WordPieces.load(next(file for file in shipped if file.path == tokenizer))
