"""How loops wait while there is nothing to do: ever longer, and woken when there is."""

import asyncio


class Bell:
    """Wakes every loop that waits; one that takes `struck` before it looks for work misses no ring after that."""

    def __init__(self) -> None:
        self.struck = asyncio.Event()

    def ring(self) -> None:
        """Wake all that wait for what was `struck` until now."""
        self.struck.set()
        self.struck = asyncio.Event()


class Pauses:
    """The pauses of one loop, each twice as long as the one before, from `shortest` to `longest` seconds."""

    def __init__(self, shortest: float, longest: float) -> None:
        self._shortest = shortest
        self._longest = longest
        self._next = shortest

    async def wait(self, struck: asyncio.Event) -> None:
        """Pause until `struck`, which makes the next pause the shortest, or until the pause is over."""
        woken = await within(struck, self._next)
        self._next = self._shortest if woken else min(2 * self._next, self._longest)

    def end(self) -> None:
        """Note that there was work: the next pause is the shortest."""
        self._next = self._shortest


async def within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, but no longer than `seconds`; returns whether it came."""
    try:
        # Not asyncio.wait_for: before Python 3.12, a cancellation that comes together with the event is lost.
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
