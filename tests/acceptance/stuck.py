"""`python -m tests.acceptance.stuck HOW COMMAND...`: citemark in which whatever reads a plain text never comes back.

HOW is what becomes of it: it `waits` for what never happens or `spins`, both in a thread, or `blocks` the event loop.
"""

import sys
from threading import Event
from typing import NoReturn

from citemark.app.main import main
from citemark.extraction import dispatch
from citemark.sources.docs import connector


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


async def blocks(*_: object) -> NoReturn:
    """Never give the event loop back."""
    spins()


def _say() -> None:
    sys.stderr.write("stuck\n")
    sys.stderr.flush()


if __name__ == "__main__":
    how = sys.argv.pop(1)
    if how == "blocks":
        connector.read_file = blocks  # type: ignore[assignment]
    else:
        dispatch._plain = {"waits": waits, "spins": spins}[how]  # type: ignore[assignment]
    main()
