"""Whether a person waits for what a source is asked: connectors let that pass before work in the background."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_AWAITED: ContextVar[bool] = ContextVar("awaited", default=False)


@contextmanager
def foreground() -> Generator[None, None, None]:
    """Whatever is asked of sources inside the block, tasks begun there included, is awaited by a person."""
    token = _AWAITED.set(True)
    try:
        yield
    finally:
        _AWAITED.reset(token)


def foreground_waiting() -> bool:
    """Whether a person waits for what runs here."""
    return _AWAITED.get()
