"""A stream of server-sent events that says when what a page shows has changed; the page then asks for it again."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from citemark.cancelling import end, ended_within

_LOOK_SECONDS = 1.0
"""Between two looks: as often as a person notices."""

_QUIET_LOOKS = 15
"""Looks without a change after which a comment is sent, so that nothing between closes an idle connection."""

_LOOKS = 300
"""Looks of one stream; the browser then opens another, which is a request of its own with its own checks."""

_MOST_STREAMS = 100
"""Streams of all browsers together; a page without one asks every few seconds instead."""

CHANGED = "data: changed\n\n"
_QUIET = ":\n\n"


class Words:
    """What a model has written so far, for one browser that reads along, and then the page that is made of it."""

    def __init__(self, quiet_seconds: float = _QUIET_LOOKS * _LOOK_SECONDS) -> None:
        self._latest = ""
        self._more = asyncio.Event()
        self._quiet_seconds = quiet_seconds

    def put(self, text: str) -> None:
        """Replace the text; a browser that reads slowly gets the latest one, and not each before it."""
        self._latest = text
        self._more.set()

    async def events(self, made: Coroutine[Any, Any, str | None]) -> AsyncGenerator[str, None]:
        """Events with the text so far, and at the end one with what was made, or one that says that nothing was.

        What is being made is given up if nobody reads along any more.
        """
        making = asyncio.create_task(made)
        try:
            while not making.done():
                more = asyncio.create_task(self._more.wait())
                await asyncio.wait({making, more}, timeout=self._quiet_seconds, return_when=asyncio.FIRST_COMPLETED)
                more.cancel()
                if self._more.is_set():
                    self._more.clear()
                    yield _event("words", self._latest)
                elif not making.done():
                    yield _QUIET
            page = making.result()
            yield _event("failed", "") if page is None else _event("answer", page)
        finally:
            await end(making)


def _event(name: str, text: str) -> str:
    return f"event: {name}\ndata: {json.dumps(text)}\n\n"


@dataclass(slots=True)
class Streams:
    """The streams that are open; `end` closes all of them, because they would delay the end of a server.

    `open` counts them.
    """

    look_seconds: float = _LOOK_SECONDS
    looks: int = _LOOKS
    open: int = 0
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def full(self) -> bool:
        """Whether no further stream is opened."""
        return self.open >= _MOST_STREAMS or self._ended.is_set()

    def end(self) -> None:
        """Close all streams."""
        self._ended.set()

    async def changes(self, look: Callable[[], Awaitable[Mapping[str, Any]]]) -> AsyncGenerator[str, None]:
        """Events: one at once, and one whenever what a look returns is not what the last one returned."""
        self.open += 1
        try:
            before, quiet = "", 0
            for _ in range(self.looks):
                looking = asyncio.ensure_future(look())
                await ended_within(looking)
                seen = json.dumps(looking.result(), default=str)
                if seen != before:
                    before, quiet = seen, 0
                    yield CHANGED
                elif quiet == _QUIET_LOOKS:
                    quiet = 0
                    yield _QUIET
                quiet += 1
                if await self._ended_within(self.look_seconds):
                    return
        finally:
            self.open -= 1

    async def _ended_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            return False
        return True
