"""Faults to inject into the server: by route, for a share of the requests, reproducible from a seed."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock


@dataclass(frozen=True, slots=True)
class Status:
    """Send this in place of the real response."""

    code: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Delay:
    """Send the real response, so many seconds late."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Truncate:
    """Announce the whole body and send this share of it."""

    keep: float = 0.5


@dataclass(frozen=True, slots=True)
class Cut:
    """Send this share of the body as if it were all; no length reveals it."""

    keep: float = 0.5


@dataclass(frozen=True, slots=True)
class Html:
    """Send a proxy's web page with status 200."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Drop the connection."""


@dataclass(frozen=True, slots=True)
class Drip:
    """Send the real response byte by byte, so many seconds apart."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Instead:
    """Send what is made of `METHOD /decoded/path?query` in place of the real response: status, headers and body."""

    make: Callable[[str], tuple[int, dict[str, str], bytes]]


@dataclass(frozen=True, slots=True)
class Busy:
    """Send this in place of the real response while more than `most` of these requests are being processed."""

    most: int
    code: int = 423


Effect = Busy | Status | Delay | Truncate | Cut | Html | Reset | Drip | Instead


@dataclass(slots=True)
class Fault:
    """An effect on the requests whose `METHOD /decoded/path?query` the pattern finds."""

    effect: Effect
    on: re.Pattern[str]
    share: float
    times: int | None
    used: int = 0

    def wants(self, line: str, draw: float) -> bool:
        spent = self.times is not None and self.used >= self.times
        return not spent and draw < self.share and self.on.search(line) is not None


class Faults:
    """The active faults; the first that matches a request is applied."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._lock = Lock()
        self._faults: list[Fault] = []

    def add(self, effect: Effect, on: str = "", share: float = 1.0, times: int | None = None) -> Fault:
        """Break the requests that match `on`: all, a share of them, or the first so many."""
        fault = Fault(effect, re.compile(on), share, times)
        with self._lock:
            self._faults.append(fault)
        return fault

    def chaos(self, share: float = 0.2, seed: int = 0, on: str = "", delay: float = 1.0) -> None:
        """Break a share of the requests in every way in turn, the same ways for the same seed."""
        self._random = random.Random(seed)
        effects: tuple[Effect, ...] = (
            Status(500, b"Internal Server Error"),
            Status(429, b'{"message":"Reached maximum delay"}', {"content-type": "application/json"}),
            Delay(delay),
            Truncate(),
            Cut(),
            Html(),
            Reset(),
        )
        each = 1 - (1 - share) ** (1 / len(effects))
        for effect in effects:
            self.add(effect, on, each)

    def redirect(self, to: str, on: str = "") -> Fault:
        """Send the caller to another place."""
        return self.add(Status(302, b"", {"location": to}), on)

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._faults.clear()

    def of(self, line: str) -> Effect | None:
        """What happens to a request."""
        with self._lock:
            for fault in self._faults:
                if fault.wants(line, self._random.random()):
                    fault.used += 1
                    return fault.effect
        return None
