"""Turns of requests for what a server locks while it reads it, such as a folder of notes."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from citemark.features.nextcloud.source.http_responses import Locked

_SECONDS = 60.0
"""How long requests go one after another since the latest 423: longer than a question takes, shorter than a sync."""


@dataclass(slots=True)
class _Turn:
    """The requests for one thing: `users` wait or are under way, `sent` are under way; one at a time up to `until`."""

    users: int = 0
    sent: int = 0
    until: float = 0.0
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)


class Turns:
    """Lets requests for one thing go in parallel until the server answers one of them 423, then one after another."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def taking(self, what: str | None) -> AsyncGenerator[Callable[[], None], None]:
        """Send a request for something during the block; None is nothing that a server locks.

        The block calls what it is given just before it sends; that raises Locked if requests take turns by now.
        """
        if what is None:
            yield lambda: None
            return
        turn = self._turns.setdefault(what, _Turn())
        turn.users += 1
        clock = asyncio.get_running_loop().time

        def check() -> None:
            if turn.until > clock():
                raise Locked(f"{what} is locked for another request.")

        try:
            if turn.until <= clock():
                async with _sending(turn):
                    yield check
                return
            async with turn.alone:
                async with turn.changed:
                    await turn.changed.wait_for(lambda: not turn.sent)  # those that were sent in parallel before
                async with _sending(turn):
                    yield lambda: None
        except Locked:
            turn.until = clock() + _SECONDS
            raise
        finally:
            turn.users -= 1
            if not turn.users and turn.until <= clock():
                self._turns.pop(what, None)


@asynccontextmanager
async def _sending(turn: _Turn) -> AsyncGenerator[None, None]:
    turn.sent += 1
    try:
        yield
    finally:
        turn.sent -= 1
        async with turn.changed:
            turn.changed.notify_all()
