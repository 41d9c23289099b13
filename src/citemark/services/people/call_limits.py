"""How much of a server one person gets: calls at a time, places in the queue, and requests per minute."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cachetools import LRUCache

from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal

_PEOPLE = 10_000
"""People whose rate is remembered; a person who returns after that many others starts with a full allowance."""

_BURST_SECONDS = 6.0
"""The requests of so many seconds may come in one burst: a client lists, calls and reads in one go."""


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The limits of a server.

    At most `running` calls run at a time, `each` of them for one person, and at most `waiting` calls wait for a place;
    `rate` is the number of requests per minute and person. Calls that may wait for a model have the same room again,
    because they take time but hardly any processor.
    """

    running: int = 8
    each: int = 4
    waiting: int = 256
    rate: int = 600


@dataclass(slots=True)
class _Share:
    """The current use by one person."""

    places: asyncio.Semaphore
    inside: int = 0


@dataclass(slots=True)
class _Allowance:
    """The requests that a person may send in one burst, as of a moment."""

    left: float
    at: float


@dataclass(slots=True)
class CallLimits:
    """Lets calls run while there is room, lets some wait, and refuses the rest.

    The owner is limited only by the room of the server: nobody shares the owner's machine against the owner's will.
    """

    settings: LimitSettings = field(default_factory=LimitSettings)
    seconds: Callable[[], float] = time.monotonic
    _places: asyncio.Semaphore = field(init=False)
    _places_with_models: asyncio.Semaphore = field(init=False)
    _shares: dict[str, _Share] = field(default_factory=dict[str, _Share])
    _allowances: LRUCache[str, _Allowance] = field(default_factory=lambda: LRUCache[str, _Allowance](_PEOPLE))
    _waiting: int = 0

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.settings.running)
        self._places_with_models = asyncio.Semaphore(self.settings.running)

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return self._waiting

    @asynccontextmanager
    async def place(self, principal: Principal, *, with_model: bool = False) -> AsyncGenerator[None]:
        """Wait for a place to run in, and hold it; calls that may wait for a model have places of their own.

        Raises:
            BackendUnavailable: too many calls wait already, of this person or of all.
        """
        key = f"{principal.key} with model" if with_model else principal.key
        places = self._places_with_models if with_model else self._places
        share = self._shares.setdefault(key, _Share(asyncio.Semaphore(self._most_of(principal))))
        if self._full(share, principal, places):
            raise BackendUnavailable("Too many calls wait for this server; try again in a moment.", retry_after=1)
        share.inside += 1
        self._waiting += 1
        waits = True
        try:
            async with share.places, places:
                self._waiting -= 1
                waits = False
                yield
        finally:
            self._waiting -= waits
            share.inside -= 1
            if not share.inside:
                self._shares.pop(key, None)

    def wait_for_turn(self, principal: Principal) -> float:
        """Seconds until a person may send another request; if it is 0, the request is counted."""
        if principal.key == Principal.local().key:
            return 0.0
        pace, now = self.settings.rate / 60, self.seconds()
        most = max(1.0, pace * _BURST_SECONDS)
        known = self._allowances.get(principal.key) or _Allowance(most, now)
        left = min(most, known.left + (now - known.at) * pace)
        self._allowances[principal.key] = _Allowance(left - 1 if left >= 1 else left, now)
        return 0.0 if left >= 1 else (1 - left) / pace

    def _most_of(self, principal: Principal) -> int:
        return self.settings.running if principal.key == Principal.local().key else self.settings.each

    def _full(self, share: _Share, principal: Principal, places: asyncio.Semaphore) -> bool:
        """Whether there is neither a place to run in nor a place to wait in."""
        most = self._most_of(principal)
        if share.inside < most and not places.locked():
            return False
        # One person may fill an eighth of the waiting room, so that there is some left for others.
        theirs = max(1, self.settings.waiting // 8) if most == self.settings.each else self.settings.waiting
        return self._waiting >= self.settings.waiting or share.inside - most >= theirs
