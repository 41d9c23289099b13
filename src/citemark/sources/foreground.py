"""Whether a person is waiting for a request to a source.

Connectors let such requests pass before background work. The flag is a context variable rather than an argument: it
concerns the HTTP client and the rate limiter at the bottom, and the two processors that then bypass their prefetch
cache, but none of the dozen layers in between, and tasks started inside the block inherit it.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_FOREGROUND: ContextVar[bool] = ContextVar("foreground", default=False)


@contextmanager
def foreground() -> Generator[None, None, None]:
    """Mark everything asked of sources inside the block, also by tasks started there, as awaited by a person."""
    token = _FOREGROUND.set(True)
    try:
        yield
    finally:
        _FOREGROUND.reset(token)


def foreground_waiting() -> bool:
    """Tell whether a person is waiting for the current task."""
    return _FOREGROUND.get()
