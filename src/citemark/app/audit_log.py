"""The audit log: one line of JSON for each tool call and each refused request, without questions and answers.

The line of a call says who called which tool, and how the call ended.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from citemark.model.citation import iso
from citemark.model.clock import Clock, system_clock
from citemark.model.errors import ConfigurationError

if TYPE_CHECKING:  # what serves HTTP takes long to import, and a server over stdio has to answer at once
    from citemark.services.people.admission import RefusedRequest
    from citemark.tools.seen_calls import SeenCall

_REFUSALS_EACH_SECOND = 10
"""Lines for refused requests: a client that floods a server fills its disk with at most a kilobyte a second."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Refusals:
    """The number of refused requests in one second: those with a line of their own, and those without."""

    second: int = -1
    written: int = 0
    unwritten: int = 0


class AuditLog:
    """Appends to a file that only its owner can read; without a file, lines go to the log at level `info`."""

    def __init__(
        self, path: Path | None, clock: Clock = system_clock, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """Open the file.

        Raises:
            ConfigurationError: it cannot be written to.
        """
        self._clock = clock
        self._seconds = seconds
        self._write: Callable[[Mapping[str, Any]], None] = _to_the_log
        self._refusals = _Refusals()
        self._file: int | None = None
        self._failing = False
        if path is not None:
            path = path.expanduser()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            try:
                self._file = os.open(path, flags, 0o600)
            except OSError as error:
                raise ConfigurationError(f"audit_log: {path} cannot be written to ({error.strerror}).") from None
            self._write = self._to_the_file

    def seen(self, call: "SeenCall") -> None:
        """Write the line of a call."""
        self._write(
            {
                "principal": call.principal,
                "tool": call.tool,
                "outcome": call.outcome,
                "bytes": call.size,
                "seconds": round(call.seconds, 4),
            }
        )

    def refused(self, request: "RefusedRequest") -> None:
        """Write the line of a request that led to no call; beyond the limit of a second, count it for a later line."""
        second = int(self._seconds())
        if second != self._refusals.second:
            self._count_unwritten()
            self._refusals = _Refusals(second)
        if self._refusals.written == _REFUSALS_EACH_SECOND:
            self._refusals.unwritten += 1
            return
        self._refusals.written += 1
        reason = {} if request.reason is None else {"reason": request.reason}
        self._write({"principal": request.principal, "refused": request.status, "from": request.address, **reason})

    def close(self) -> None:
        """Close the file."""
        self._count_unwritten()
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._write = _to_the_log

    def _count_unwritten(self) -> None:
        if self._refusals.unwritten:
            self._write({"refused_besides": self._refusals.unwritten})
            self._refusals.unwritten = 0

    def _to_the_file(self, fields: Mapping[str, Any]) -> None:
        line = {"at": iso(self._clock()), **fields}
        assert self._file is not None  # noqa: S101 - the method is used while the file is open
        try:
            # A single write of less than a block, so that lines of several processes do not mix.
            os.write(self._file, json.dumps(line).encode() + b"\n")
        except OSError as error:  # such as a full disk, which must not fail the calls that have been answered
            if not self._failing:
                _log.error("audit_log_not_written", reason=error.strerror, action="audit")
            self._failing = True
        else:
            self._failing = False


def _to_the_log(fields: Mapping[str, Any]) -> None:
    _log.info("call", **fields, action="audit")
