"""How many requests may fail from one address before those without a known token have to wait."""

import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache

_BURST = 60
"""Failures that an address may have at once: a host that probes and logs in anew has a handful."""

_EACH_SECOND = 1.0
"""Failures that it may have from then on: a program with a token that has expired goes on being told so."""

_ADDRESSES = 10_000
"""The most addresses that are remembered; one that returns after that many others starts anew."""

_NETWORK_BITS = 64
"""The part of an IPv6 address that stands for one connection: whoever has one has all addresses below it."""


@dataclass(slots=True)
class _Left:
    """The failures that an address may still have, as of a moment."""

    failures: float
    at: float


@dataclass(slots=True)
class FailedRequests:
    """Counts requests that failed, by the address that they came from.

    A request counts from its beginning, or all that arrive together would be let in before one of them has failed.
    """

    seconds: Callable[[], float] = time.monotonic
    _left: LRUCache[str, _Left] = field(default_factory=lambda: LRUCache[str, _Left](_ADDRESSES))

    def wait_for_turn(self, address: str) -> float:
        """Seconds until an address may send another request; if it is 0, the request is counted as failed."""
        network, now = _network(address), self.seconds()
        left = self._now_left(network, now)
        if left < 1:
            return (1 - left) / _EACH_SECOND
        self._left[network] = _Left(left - 1, now)
        return 0.0

    def succeeded(self, address: str) -> None:
        """Take back that a request was counted."""
        network, now = _network(address), self.seconds()
        self._left[network] = _Left(min(_BURST, self._now_left(network, now) + 1), now)

    def _now_left(self, network: str, now: float) -> float:
        known = self._left.get(network)
        return _BURST if known is None else min(_BURST, known.failures + (now - known.at) * _EACH_SECOND)


def _network(address: str) -> str:
    """What an address is counted under: itself, or its network for IPv6."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, _NETWORK_BITS), strict=False))
