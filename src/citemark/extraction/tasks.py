"""What a parsing process is asked to do, with which limits, and what it answers for each item."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

Reading = Callable[..., Iterable[Any]]
"""`function(data, **arguments)`: parts that JSON can hold; raises SkippableSourceError for what cannot be read."""


@dataclass(frozen=True, slots=True)
class Task:
    """A function of ours that reads a stranger's bytes, by the module where a parsing process finds it.

    Attributes:
        module: its whole dotted name.
        function: a `Reading` in it.
        what: what it reads, for messages, such as "html files".
        cpu_seconds: of processor time for one item; None leaves it to the limit of the process.
        memory_mib: how much one item may add to what the process occupies; None likewise.
    """

    module: str
    function: str
    what: str
    cpu_seconds: float | None = None
    memory_mib: int | None = None

    def load(self) -> Reading:
        """The function."""
        return cast("Reading", getattr(import_module(self.module), self.function))


@dataclass(frozen=True, slots=True)
class Item:
    """The bytes of one thing to read, and what the function is told besides."""

    data: bytes
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
