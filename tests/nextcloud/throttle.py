"""Brute-force protection: per address, not per account."""

from tests.nextcloud.clock import Clock

_DAY = 12 * 3600
_BLOCKING = 30 * 60
_MOST_MS = 25_000
_MOST_ATTEMPTS = 10


class Throttle:
    """Failed logins by address; `pace` scales the delays that are slept (0: only counted and told)."""

    def __init__(self, clock: Clock) -> None:
        self.pace = 0.0
        self._clock = clock
        self._failed: dict[str, list[float]] = {}

    def fail(self, address: str) -> None:
        self._failed.setdefault(address, []).append(self._clock.now())

    def reset(self) -> None:
        """What `occ security:bruteforce:reset` does."""
        self._failed.clear()

    def attempts(self, address: str, within: float = _DAY) -> int:
        """Failed logins of an address within so many seconds."""
        return sum(when > self._clock.now() - within for when in self._failed.get(address, []))

    def delay_ms(self, address: str) -> int:
        """How long the next login of this address waits."""
        attempts = self.attempts(address)
        return min(_MOST_MS, 100 * 2 ** min(attempts, 10)) if attempts else 0

    def blocked(self, address: str) -> bool:
        """Whether logins from there are refused immediately."""
        return self.attempts(address, _BLOCKING) > _MOST_ATTEMPTS and self.delay_ms(address) == _MOST_MS

    def pause(self, address: str) -> float:
        """Seconds to sleep before a login is answered."""
        return self.delay_ms(address) / 1000 * self.pace
