"""What runs the graph for documents: onnxruntime, or OpenVINO where it is installed and chosen.

Both run the same file with its 8-bit products, so a vector does not tell which of them made it: its cosine to full
precision is the same, and the model's identity and its calibration do not name what runs it.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.embedding.contract import Vectors
from citemark.embedding.graphs import LoadedGraph
from citemark.embedding.model_files import DamagedModel
from citemark.model.errors import BackendUnavailable, ConfigurationError

Ids: TypeAlias = npt.NDArray[np.int32]
"""Token ids, or their mask, of texts of equal length: (texts, tokens)."""

Runtime: TypeAlias = Literal["onnxruntime", "openvino"]

_TELEMETRY = "openvino_telemetry"

_ONE_CORE = {
    "NUM_STREAMS": 1,
    "INFERENCE_NUM_THREADS": 1,
    "ENABLE_CPU_PINNING": False,
    "INFERENCE_PRECISION_HINT": "f32",
}
"""Runs on the thread that asks, at its priority, with what is not 8 bits in 32: vectors are alike on all processors."""


class DocumentGraph(Protocol):
    """The graph for documents. Safe to share between threads, each of which keeps one core busy."""

    @property
    def opened(self) -> int:
        """How often the graph was loaded so far."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether it takes up memory now."""
        ...

    def let_go(self, idle: float) -> bool:
        """Drop it if nobody used it in the last `idle` seconds; returns whether it was dropped."""
        ...

    @property
    def most_tokens(self) -> int:
        """Tokens of a batch, padding included, that it is fastest with."""
        ...

    def run(self, ids: Ids, mask: Ids) -> Vectors:
        """Unit vectors, shape (texts, dimensions).

        Raises:
            BackendUnavailable: it was closed in the meantime.
            DamagedModel: the file is not a graph, or not the one that was opened before.
        """
        ...

    def close(self) -> None:
        """Make threads that run it give up: the process is about to end."""
        ...


MakeDocumentGraph: TypeAlias = Callable[[Path, Callable[[], float]], DocumentGraph]
"""Makes one from its file and a monotonic clock in seconds."""


def documents_by(runtime: Runtime) -> MakeDocumentGraph:
    """What a runtime makes of the graph for documents.

    Raises:
        ConfigurationError: the runtime is not installed.
    """
    if runtime == "onnxruntime":
        return OnnxDocuments
    if find_spec("openvino") is None:
        raise ConfigurationError(
            "embedding_runtime is openvino, which is not installed: install citemark[openvino], or leave "
            "embedding_runtime out."
        )
    return OpenVinoDocuments


class OnnxDocuments:
    """Runs the graph by onnxruntime; a run ends in the middle when it is closed."""

    most_tokens = 512
    """Measured: what a layer hands on then stays in a core's cache, a fifth faster than 2048 tokens."""

    def __init__(self, path: Path, seconds: Callable[[], float]) -> None:
        self._graph = LoadedGraph(path, 1, seconds)
        self._lock = Lock()
        self._closed = False
        self._run_options: Any = None

    @property
    def opened(self) -> int:
        """How often the graph was loaded so far."""
        return self._graph.opened

    @property
    def is_open(self) -> bool:
        """Whether there is a session."""
        return self._graph.is_open

    def let_go(self, idle: float) -> bool:
        """Drop the session if it was idle."""
        return self._graph.let_go(idle)

    def run(self, ids: Ids, mask: Ids) -> Vectors:
        """See `DocumentGraph`."""
        session = self._graph.session()
        options = self._options()
        try:
            if not self._closed:
                return session.run(["embedding"], {"input_ids": ids, "attention_mask": mask}, options)[0]
        except import_module("onnxruntime.capi.onnxruntime_pybind11_state").Fail:
            if not self._closed:
                raise
        raise _closed_meanwhile()

    def close(self) -> None:
        """End runs that are going on, and begin no other."""
        with self._lock:
            self._closed = True
            if self._run_options is not None:
                self._run_options.terminate = True

    def _options(self) -> Any:
        with self._lock:
            if self._run_options is None:
                self._run_options = import_module("onnxruntime").RunOptions()
            return self._run_options


class OpenVinoDocuments:
    """Runs the graph by OpenVINO; what is being run when it is closed ends first, after a tenth of a second.

    A compiled graph runs one batch at a time, so there are as many as threads that have run it at the same time.
    Padding moves its roundings: a text beside longer ones gets a vector with a cosine of .999 to the one it gets alone.
    """

    most_tokens = 1024
    """Measured in one run, over onnxruntime: 1.38 times the texts a second, 1.31 with 512 tokens, 1.22 with 4096."""

    def __init__(self, path: Path, seconds: Callable[[], float]) -> None:
        self._graph = LoadedGraph(path, 1, seconds, _openvino_model)
        self._closed = False

    @property
    def opened(self) -> int:
        """How often the graph was loaded so far."""
        return self._graph.opened

    @property
    def is_open(self) -> bool:
        """Whether the graph takes up memory."""
        return self._graph.is_open

    def let_go(self, idle: float) -> bool:
        """Drop the graph, and all that was compiled of it, if it was idle."""
        return self._graph.let_go(idle)

    def run(self, ids: Ids, mask: Ids) -> Vectors:
        """See `DocumentGraph`."""
        if self._closed:
            raise _closed_meanwhile()
        model: _CompiledModels = self._graph.session()
        return model.run(ids, mask)

    def close(self) -> None:
        """Begin no other run."""
        self._closed = True


class _CompiledModels:
    """Compiled models of one graph: one that is free, or another if all are running."""

    def __init__(self, compiled: Callable[[], Any]) -> None:
        self._compiled = compiled
        self._free = [compiled()]

    def run(self, ids: Ids, mask: Ids) -> Vectors:
        try:
            model = self._free.pop()  # one step of the interpreter, as is appending: no thread gets the same one
        except IndexError:
            model = self._compiled()
        try:
            request = model.create_infer_request()
            request.infer({"input_ids": ids, "attention_mask": mask})
            return np.array(request.get_output_tensor(0).data)
        finally:
            self._free.append(model)


def _openvino_model(path: Path, threads: int) -> _CompiledModels:
    """Open a graph; each model of it keeps `threads` cores busy.

    Raises:
        DamagedModel: the file is not a graph.
    """
    # Its import would report itself to its maker from a process of its own. Without this package it cannot.
    sys.modules.setdefault(_TELEMETRY, None)  # pyright: ignore[reportCallIssue, reportArgumentType] - None refuses an import
    library: Any = import_module("openvino")  # an extra, loaded only where it was chosen
    core = library.Core()
    properties = {**_ONE_CORE, "INFERENCE_NUM_THREADS": threads}
    try:
        graph = core.read_model(path)
        return _CompiledModels(lambda: core.compile_model(graph, "CPU", properties))
    except RuntimeError as error:
        raise DamagedModel(path, f"cannot be loaded ({error})") from error


def _closed_meanwhile() -> BackendUnavailable:
    return BackendUnavailable("The model was closed before these texts were embedded.")
