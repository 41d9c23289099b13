"""An event loop whose clock jumps to what is due next: hours pass in no time, and the same way each time."""

import asyncio
import selectors


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting for nothing, sets its clock on by as long as it would have waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0 if timeout is not None else None)
        if not found and timeout is not None:
            self.now += timeout
        return found


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def virtual_loop() -> asyncio.AbstractEventLoop:
    """A loop whose clock begins at 0; only for what waits for time alone, not for sockets or threads."""
    return _VirtualLoop()
