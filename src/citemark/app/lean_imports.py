"""Loading libraries in less time, for a server whose first answer somebody waits for."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def absent(package: str) -> Generator[None]:
    """During the block, importing `package` fails as if it were not installed; if it is loaded, nothing changes.

    For use before there are threads, since it holds for all of them.
    """
    if package in sys.modules:
        yield
        return
    # Python's own way to say so: a name that maps to None cannot be imported.
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


@contextmanager
def uncollected() -> Generator[None]:
    """Collect no garbage during the block, and never look again at what it leaves.

    Modules and classes stay for as long as the process does. While they are loaded, the collector looks at all of them
    time and again, which takes an eighth of the time of loading.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
