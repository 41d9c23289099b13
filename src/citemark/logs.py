"""Structured logs on stderr. Values that could hold document text or secrets never reach the renderer."""

import logging
import re
import sys
import threading
from collections.abc import Generator, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import structlog

if TYPE_CHECKING:
    from stamina.instrumentation import RetryDetails

_OPEN_KEYS = frozenset(
    {
        "event",
        "level",
        "timestamp",
        "action",
        "source",
        "source_id",
        "document",
        "parked",
        "reason",
        "what",
        "way",
        "origin",
        "model",
        "tool",
        "tools",
        "code",
        "request_id",
        "attempt",
        "revisions",
        "seconds",
        "bytes",
        "count",
        "error_type",
        "frames",
        "logger",
        "state",
        "transport",
        "principal",
        "outcome",
        "issuer",
        "refused",
        "refused_besides",
        "from",
    }
)
_MOST_FRAMES = 30
"""The most frames that are logged of one exception: the innermost ones, which show where it failed."""

_MOST_CAUSES = 5
"""The most causes of an exception that are logged; deeper ones only repeat."""

_OBJECT_START = re.compile(r"[\n<]")
"""Where a library's preformatted message begins to print objects: asyncio prints tasks with their exceptions."""


def configure_logs(level: str) -> None:
    """Log to stderr from `level` up, as key=value lines; crashes of threads are logged as well."""
    number = logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LibraryFormatter())
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler])
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _with_failure,
            redact,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event", "action"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    threading.excepthook = _thread_crashed


@contextmanager
def unlogged(*events: str) -> Generator[None]:
    """Leave out some events during the block, because their outcome is shown to a person after it."""

    def drop(_logger: Any, _method: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if fields.get("event") in events:
            raise structlog.DropEvent
        return fields

    before = structlog.get_config()["processors"]
    structlog.configure(processors=[drop, *before])
    try:
        yield
    finally:
        structlog.configure(processors=before)


def log_retries() -> None:
    """Log every retry at level info: what failed, how, and how long it waits, but never what was requested."""
    from stamina.instrumentation import set_on_retry_hooks  # noqa: PLC0415 - only processes with an index try again

    def log_retry(details: "RetryDetails") -> None:
        error_details = cast("dict[str, Any]", getattr(details.caused_by, "details", {}))
        structlog.get_logger(__name__).info(
            "retry",
            action="retry",
            error_type=type(details.caused_by).__qualname__,
            origin=error_details.get("origin", ""),
            reason=error_details.get("reason", ""),
            attempt=details.retry_num,
            seconds=round(details.wait_for, 2),
        )

    set_on_retry_hooks([log_retry])


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Keep the values of keys that are known to be harmless; of all others, log only that they were present."""
    return {key: value if key in _OPEN_KEYS else "[redacted]" for key, value in event.items()}


def failure_fields(error: BaseException) -> dict[str, Any]:
    """The loggable part of an exception: its type and where it was raised, but not its message, which may quote a text.

    Returns:
        `error_type`, and `frames`: "package/file.py:line function", the innermost last; "caused by TYPE" precedes
        the frames of each cause.
    """
    frames: list[str] = []
    for cause in _chain(error):
        if cause is not error:
            frames.append(f"caused by {type(cause).__qualname__}")
        frames += list(_frames(cause.__traceback__))[-_MOST_FRAMES:]
    return {"error_type": type(error).__qualname__, "frames": frames}


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception followed by its causes; of a group, only the first exception is followed."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) <= _MOST_CAUSES:
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            current = cast("BaseExceptionGroup[BaseException]", current).exceptions[0]
        else:
            current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        package = str(traceback.tb_frame.f_globals.get("__package__") or "")
        file = "/".join([*filter(None, package.split(".")), PurePath(code.co_filename).name])
        yield f"{file}:{traceback.tb_lineno} {code.co_qualname}"
        traceback = traceback.tb_next


def _with_failure(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace `exc_info` by the type and the frames of the exception."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        event.update(failure_fields(error))
    return event


def _thread_crashed(crash: "threading.ExceptHookArgs") -> None:
    if crash.exc_value is not None and not issubclass(crash.exc_type, SystemExit):
        structlog.get_logger(__name__).error("thread_crashed", action="thread", **failure_fields(crash.exc_value))


class _LibraryFormatter(logging.Formatter):
    """Formats the records of libraries: fills in only numbers, not names, texts or messages of exceptions."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        line = f"{record.levelname} {record.name} {_OBJECT_START.split(_filled(record), maxsplit=1)[0].rstrip()}"
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            failure = failure_fields(error)
            line += f" error_type={failure['error_type']!r} frames={failure['frames']!r}"
        return line


class _Withheld:
    """Replaces a value in a library's message."""

    def __repr__(self) -> str:
        return "[redacted]"


def _filled(record: logging.LogRecord) -> str:
    template = str(record.msg)
    if not isinstance(record.args, tuple):
        return template
    try:
        return template % tuple(value if isinstance(value, int | float) else _Withheld() for value in record.args)
    except (TypeError, ValueError):
        return template
