"""The clock as an argument, so that tests choose the time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Answers with the present instant in UTC."""


def system_clock() -> datetime:
    """The machine's clock, in UTC."""
    return datetime.now(UTC)
