"""`python -m tests.acceptance.stuck HOW COMMAND...`: citemark in which whatever reads a file never comes back.

HOW is what becomes of it: it `waits` for what never happens or `spins`, both in a thread, or `blocks` the event loop;
or it comes back, but the interpreter `lingers` when it is taken apart. With `opens` the database never opens, and no
file is read.
"""

import asyncio
import sys
import time
from threading import Event
from typing import NoReturn

from citemark.app.main import main
from citemark.sources.docs import connector
from citemark.store.database import Database


def waits(*_: object) -> NoReturn:
    """Never return, and use nothing."""
    _say()
    Event().wait()
    raise AssertionError


def spins(*_: object) -> NoReturn:
    """Never return, and use a connector."""
    _say()
    while True:
        pass


async def blocks(*_: object, **__: object) -> NoReturn:
    """Never give the event loop back."""
    spins()


async def opens(*_: object) -> None:
    """Never come to an end, and hold nothing up."""
    _say()
    await asyncio.Event().wait()


def lingers(*_: object) -> None:
    """Find no file."""
    _say()


class Lingering:
    """Holds the end of the interpreter up, when no other thread can run any more."""

    def __del__(self) -> None:
        time.sleep(30)


def _say() -> None:
    sys.stderr.write("stuck\n")
    sys.stderr.flush()


if __name__ == "__main__":
    how = sys.argv.pop(1)
    if how == "blocks":
        connector.DocsProcessor.fetch = blocks  # type: ignore[assignment]
    elif how == "opens":
        Database.open = opens  # type: ignore[method-assign]
    else:
        connector.DocsProcessor._bytes = {"waits": waits, "spins": spins, "lingers": lingers}[how]  # type: ignore[assignment]
    lingering = Lingering() if how == "lingers" else None
    main()
