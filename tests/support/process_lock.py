"""One process at a time."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def process_lock(path: Path) -> Generator[None]:
    """Hold the lock file `path`; wait for whichever process holds it."""
    with path.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
