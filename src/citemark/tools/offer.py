"""What a server offers at present, and who is told when that changes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from citemark.tools.families import Families
from citemark.tools.instructions import NamedSource

Told: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Holding:
    """What an index holds, as far as a server tells of it before anybody asks.

    `sources` are those that the person at this machine may read, by name; None while nobody has looked.
    """

    families: Families = field(default_factory=Families)
    sources: tuple[NamedSource, ...] | None = None


class Offer:
    """What a running server offers. Whoever learns what the index holds puts it here."""

    def __init__(self, families: Families | None = None, sources: tuple[NamedSource, ...] | None = None) -> None:
        self._families = families or Families()
        self._sources = sources
        self._renamed: list[Callable[[], None]] = []
        self._listeners: list[Told] = []
        self._enders: list[Callable[[], None]] = []

    @classmethod
    def of(cls, holding: Holding | None) -> "Offer":
        """The offer of a server that starts, by what was known of its index last."""
        return cls() if holding is None else cls(holding.families, holding.sources)

    @property
    def holding(self) -> Holding:
        """What is known of the index now."""
        return Holding(self._families, self._sources)

    @property
    def families(self) -> Families:
        """What is offered now."""
        return self._families

    @property
    def sources(self) -> tuple[NamedSource, ...] | None:
        """The sources of the person at this machine; None while they are not known."""
        return self._sources

    async def put(self, holding: Holding) -> None:
        """Offer this from now on, and tell of it if it is something else than before."""
        if holding.sources != self._sources:
            self._sources = holding.sources
            for renamed in self._renamed:
                renamed()
        families = holding.families
        if families != self._families:
            self._families = families
            for told in self._listeners:
                await told()

    def on_sources(self, renamed: Callable[[], None]) -> None:
        """Call `renamed` whenever the sources or their languages have changed."""
        self._renamed.append(renamed)

    def on_change(self, told: Told, ended: Callable[[], None]) -> None:
        """Call `told` after each change of the families, and `ended` when no further one will come."""
        self._listeners.append(told)
        self._enders.append(ended)

    def end(self) -> None:
        """Let go of those who wait for changes: the server is about to end."""
        for ended in self._enders:
            ended()
