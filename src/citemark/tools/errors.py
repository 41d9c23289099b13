"""Failures to the envelope that every tool answers with."""

import secrets
from typing import Any

from citemark.evidence.budget import json_bytes
from citemark.evidence.tokens import prefix_chars
from citemark.model.errors import CitemarkError
from citemark.tools.schema import ErrorBody

_MAX_MESSAGE_BYTES = 2000
_MAX_DETAILS_BYTES = 4000


def body_of(error: CitemarkError) -> ErrorBody:
    """A foreseen failure; what would not fit a context window is left out."""
    message = error.message[: prefix_chars(error.message, _MAX_MESSAGE_BYTES)]
    return ErrorBody(code=error.code, message=message, details=_small(error.details))


def body_of_crash(error: Exception, tool: str) -> ErrorBody:
    """An unforeseen failure: logged under an id that the answer names, and nothing else said."""
    request_id = secrets.token_hex(8)
    _log_crash(error, tool, request_id)
    return ErrorBody(
        code="INTERNAL_ERROR",
        message=f"The call failed for a reason inside the server; its log has it under {request_id}.",
        details={"request_id": request_id},
    )


def _log_crash(error: Exception, tool: str, request_id: str) -> None:
    """Log what it was and where, never the exception's own words, which may quote a document."""
    import structlog  # noqa: PLC0415 - costs a third of a second that a start without failures need not pay

    from citemark.logs import failure_fields  # noqa: PLC0415 - it loads structlog too

    structlog.get_logger(__name__).error(
        "a tool call failed", action="tool_crashed", tool=tool, request_id=request_id, **failure_fields(error)
    )


def _small(details: dict[str, Any]) -> dict[str, Any]:
    try:
        return details if json_bytes(details) <= _MAX_DETAILS_BYTES else {}
    except (TypeError, ValueError):
        return {}
