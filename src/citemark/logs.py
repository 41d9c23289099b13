"""Structured logs on stderr. Values that could hold document text or secrets never reach the renderer."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_OPEN_KEYS = frozenset(
    {
        "event",
        "level",
        "timestamp",
        "action",
        "source",
        "document",
        "parked",
        "reason",
        "model",
        "tool",
        "code",
        "request_id",
        "seconds",
        "bytes",
        "count",
        "error_type",
        "logger",
        "state",
        "transport",
        "exception",
    }
)


def configure_logs(level: str) -> None:
    """Send this process's logs to stderr from `level` up, as key=value lines."""
    number = logging.getLevelNamesMapping()[level.upper()]
    others = max(number, logging.WARNING)
    logging.basicConfig(stream=sys.stderr, level=others, format="%(levelname)s %(name)s %(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event", "action"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Let through only keys that are known to be harmless; of the others only that they were there."""
    return {key: value if key in _OPEN_KEYS else "[redacted]" for key, value in event.items()}
