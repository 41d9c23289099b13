"""The metrics of a server over stdio as a file, for collectors of text files: it has no address to scrape."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from citemark.model.errors import ConfigurationError

if TYPE_CHECKING:  # the library of metrics takes long to import, and a server over stdio has to answer at once
    from citemark.tools.call_metrics import CallMetrics
    from citemark.tools.seen_calls import SeenCall

_BETWEEN = 5.0
"""Seconds between two writes while calls come: collectors read such files every quarter of a minute or less often."""

_log = structlog.get_logger(__name__)


class MetricsFile:
    """Keeps `citemark-PID.prom` in a folder up to date with the calls that this process answers."""

    def __init__(self, folder: Path, seconds: Callable[[], float] = time.monotonic) -> None:
        """Make the folder.

        Raises:
            ConfigurationError: it cannot be made or written to.
        """
        self._path = folder.expanduser() / f"citemark-{os.getpid()}.prom"
        self._seconds = seconds
        self._metrics: CallMetrics | None = None
        self._written = float("-inf")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(0o600)
        except OSError as error:
            raise ConfigurationError(f"metrics_dir: {folder} cannot be written to ({error.strerror}).") from None

    def seen(self, call: "SeenCall") -> None:
        """Count a call, and write the file unless that was done a moment ago."""
        if self._metrics is None:
            from citemark.tools.call_metrics import CallMetrics  # noqa: PLC0415 - not needed before the first call

            self._metrics = CallMetrics()
        self._metrics.seen(call)
        if self._seconds() - self._written >= _BETWEEN:
            self._write(self._metrics)

    def close(self) -> None:
        """Remove the file: a process that has ended has no metrics, and its number will be another's."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _write(self, metrics: "CallMetrics") -> None:
        fresh = self._path.with_suffix(".new")
        self._written = self._seconds()
        try:
            fresh.write_bytes(metrics.text())
            fresh.replace(self._path)
        except OSError as error:  # such as a full disk, which must not fail the calls that have been answered
            _log.error("metrics_not_written", reason=error.strerror, action="metrics")
