"""Graphs of a model: opened at first use, let go while nobody needs them, and opened again."""

import ctypes
import gc
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from citemark.embedding.model_files import DamagedModel


class LoadedGraph:
    """One graph, whose session takes up memory only from its first use until it has been idle.

    Safe to share between threads. Whoever runs the session meanwhile keeps it until that run has ended.
    """

    def __init__(
        self,
        path: Path,
        threads: int,
        seconds: Callable[[], float] = monotonic,
        opening: Callable[[Path, int], Any] | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            path: the file of the graph.
            threads: cores for one run.
            seconds: a monotonic clock, in seconds.
            opening: opens the file for so many cores; by default as a session of onnxruntime.
        """
        self.opened = 0
        """How often the graph was opened."""
        self._path = path
        self._threads = threads
        self._seconds = seconds
        self._opening = opening or open_graph
        self._lock = Lock()
        self._session: Any = None
        self._file: tuple[int, int, int] | None = None
        self._used_at = seconds()

    def session(self) -> Any:
        """The session, opened unless it is.

        Raises:
            DamagedModel: the file is not a graph, or not the one that was opened before.
        """
        with self._lock:
            self._used_at = self._seconds()
            if self._session is None:
                self._session = self._open()
                self.opened += 1
            return self._session

    def _open(self) -> Any:
        file = _file_of(self._path)
        if self._file not in (None, file):  # an upgrade may have put another model in its place: another vector space
            raise DamagedModel(self._path, "was replaced while this process ran; start it again")
        session = self._opening(self._path, self._threads)
        self._file = file
        return session

    @property
    def is_open(self) -> bool:
        """Whether there is a session."""
        return self._session is not None

    def let_go(self, idle: float) -> bool:
        """Drop the session if nobody asked for it in the last `idle` seconds; returns whether one was dropped."""
        with self._lock:
            if self._session is None or self._seconds() - self._used_at < idle:
                return False
            self._session = None
            return True


def _file_of(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from one that was put in its place: inode, bytes, time of change. None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_graph(graph: Path, threads: int) -> Any:
    """Open a graph as a session of onnxruntime.

    Raises:
        DamagedModel: the file is not a graph.
    """
    # By default the library keeps a device id in the home folder and reports usage to its maker; it reads this once.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # Imported here: a third of a second that a command without search must not pay. The library has no types.
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Lengths differ from batch to batch, so a remembered memory layout never fits and only takes up memory.
    options.enable_mem_pattern = False
    # Waiting threads would otherwise burn the cores that the database needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Weights in four bits are widened once, at load; the library would keep them so for operators that no graph has.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    # Older versions raise a RuntimeException for a table beside the graph that is missing.
    damaged = (state.Fail, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile, state.RuntimeException)
    try:
        return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except damaged as error:
        raise DamagedModel(graph, f"cannot be loaded ({error})") from error


def return_memory() -> None:
    """Give freed memory back to the system: glibc keeps what a session had, 100 MiB of it, for later allocations."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # absent from other C libraries, which need no such call
    if trim is not None:
        trim(0)
