"""Who called which tool and how that ended: a line of JSON for each call, without what was asked or answered."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import structlog

from citemark.model.citation import iso
from citemark.model.clock import Clock, system_clock
from citemark.model.errors import ConfigurationError
from citemark.tools.seen_calls import SeenCall

_log = structlog.get_logger(__name__)


class AuditLog:
    """Appends to a file that its owner alone can read; without one, lines go to the log at the level `info`."""

    def __init__(self, path: Path | None, clock: Clock = system_clock) -> None:
        """Open the file.

        Raises:
            ConfigurationError: it cannot be written to.
        """
        self._clock = clock
        self._write: Callable[[SeenCall], None] = _to_the_log
        self._file: int | None = None
        if path is not None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            try:
                self._file = os.open(path, flags, 0o600)
            except OSError as error:
                raise ConfigurationError(f"audit_log: {path} cannot be written to ({error.strerror}).") from None
            self._write = self._to_the_file

    def seen(self, call: SeenCall) -> None:
        """Write the line of a call."""
        self._write(call)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._write = _to_the_log

    def _to_the_file(self, call: SeenCall) -> None:
        line = {
            "at": iso(self._clock()),
            "principal": call.principal,
            "tool": call.tool,
            "outcome": call.outcome,
            "bytes": call.size,
            "seconds": round(call.seconds, 4),
        }
        assert self._file is not None  # noqa: S101 - the method is used while the file is open
        # One write of less than a block: lines of several processes do not mix.
        os.write(self._file, json.dumps(line).encode() + b"\n")


def _to_the_log(call: SeenCall) -> None:
    _log.info(
        "call",
        principal=call.principal,
        tool=call.tool,
        outcome=call.outcome,
        bytes=call.size,
        seconds=round(call.seconds, 4),
        action="audit",
    )
