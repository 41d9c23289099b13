"""Parsed JSON and headers as values of known types: what a server or an older version wrote may be anything."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

MOST_NUMBER = 2**63 - 1
LATEST = 253_402_300_799
"""The end of the year 9999, in seconds: the latest time that can be told."""


def object_in(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def array_in(value: object) -> Sequence[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def text_in(value: object) -> str:
    """A JSON string without what no database keeps as text: NUL and halves of characters; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def line_in(value: object) -> str:
    """A JSON string as one line."""
    return " ".join(text_in(value).split())


def number_in(value: object, *, most: int = MOST_NUMBER) -> int:
    """A JSON number as a whole one from 0 to `most`; 0 for anything else."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else 0
    return number if 0 <= number <= most else 0


def id_in(value: object) -> str | None:
    """A JSON number that can be an id, in digits; None for anything else."""
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER
    return str(value) if usable else None


def time_in(header: str | None) -> datetime | None:
    """A time as HTTP writes it, in UTC; None for none."""
    try:
        return parsedate_to_datetime(header or "").astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
