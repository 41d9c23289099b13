"""The clock as a parameter, so that tests can choose the time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Returns the current time in UTC."""


def system_clock() -> datetime:
    """The current time of the machine's clock, in UTC."""
    return datetime.now(UTC)
