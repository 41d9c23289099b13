"""A stream of server-sent events that says when what a page shows has changed; the page then asks for it again."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
                seen = json.dumps(await look(), default=str)
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
            await asyncio.wait_for(self._ended.wait(), seconds)
        except TimeoutError:
            return False
        return True
