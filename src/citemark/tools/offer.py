"""What a server offers at present, and who is told when that changes."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from citemark.tools.families import Families

Told: TypeAlias = Callable[[], Awaitable[None]]


class Offer:
    """The families of a running server. Whoever learns what the index holds puts it here."""

    def __init__(self, families: Families | None = None) -> None:
        self._families = families or Families()
        self._listeners: list[Told] = []
        self._enders: list[Callable[[], None]] = []

    @property
    def families(self) -> Families:
        """What is offered now."""
        return self._families

    async def put(self, families: Families) -> None:
        """Offer these from now on, and tell of it if they are others than before."""
        if families != self._families:
            self._families = families
            for told in self._listeners:
                await told()

    def on_change(self, told: Told, ended: Callable[[], None]) -> None:
        """Call `told` after each change, and `ended` when no further one will come."""
        self._listeners.append(told)
        self._enders.append(ended)

    def end(self) -> None:
        """Let go of those who wait for changes: the server is about to end."""
        for ended in self._enders:
            ended()
