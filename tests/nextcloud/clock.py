"""The server's clock, which a test may jump."""

import time
from datetime import UTC, datetime
from email.utils import format_datetime


class Clock:
    """Seconds since 1970 as the server sees them."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._last = 0.0

    def now(self) -> float:
        """The server's time, without any order between two calls."""
        return time.time() + self._ahead

    def seconds(self) -> int:
        """The server's time in whole seconds, as most of its tables keep it."""
        return int(self.now())

    def jump(self, seconds: float) -> None:
        """Set the server's clock forward, or back with a negative number."""
        self._ahead += seconds

    def unique(self) -> str:
        """Thirteen hexadecimal digits of the time, never twice the same, as PHP's uniqid."""
        self._last = max(self.now(), self._last + 1e-6)
        whole = int(self._last)
        return f"{whole:08x}{int((self._last - whole) * 1e6):05x}"


def http_date(seconds: float) -> str:
    """`Sat, 21 Nov 2026 00:26:04 GMT`."""
    return format_datetime(datetime.fromtimestamp(int(seconds), UTC), usegmt=True)
