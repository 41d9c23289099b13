"""Work that never ends by itself, and needs some steps to end when it is cancelled."""

import asyncio


class Endless:
    """Counts how often it is cancelled."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancellations = 0

    async def run(self) -> None:
        """Wait for ever; once cancelled, end in twenty steps."""
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancellations += 1
            for _step in range(20):
                try:
                    await asyncio.sleep(0.001)
                except asyncio.CancelledError:
                    self.cancellations += 1
