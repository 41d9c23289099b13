"""Keeps strangers from slowing down people: from an address with too many failures, only known tokens are answered.

A refusal is held back for a second, because a program that floods a server over some connections sends its next request
as soon as it has an answer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from citemark.services.people.failed_requests import FailedRequests

_MOST_HELD = 512
"""The most refusals that are held back at a time, about half of the connections that the server takes."""

_HELD_SECONDS = 1.0


@dataclass(slots=True)
class StrangerLimits:
    """How often strangers may fail, over all transports; `admits` tells which tokens are always answered.

    `pause` waits for some seconds.
    """

    admits: Callable[[str], bool]
    failures: FailedRequests = field(default_factory=FailedRequests)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _held: int = 0

    async def wait_for_turn(self, address: str) -> float:
        """Seconds until an address may send another request; told late, if any. If it is 0, the request is counted."""
        seconds = self.failures.wait_for_turn(address)
        if seconds and self._held < _MOST_HELD:
            self._held += 1
            try:
                await self.pause(_HELD_SECONDS)
            finally:
                self._held -= 1
        return seconds
