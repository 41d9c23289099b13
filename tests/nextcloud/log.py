"""What was asked of the server."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived, who it came from, what it was answered; `took` until the answer was ready."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    user: str
    status: int
    started: float
    took: float

    @property
    def line(self) -> str:
        """`METHOD /decoded/path?query`."""
        return f"{self.method} {self.path}" + (f"?{self.query}" if self.query else "")


class Log:
    """The requests since it was last cleared, in the order of their answers."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def __len__(self) -> int:
        return len(self.seen)

    def clear(self) -> None:
        self.seen = []

    def matching(self, pattern: str) -> list[Seen]:
        """The requests whose line the pattern finds."""
        found = re.compile(pattern)
        return [one for one in list(self.seen) if found.search(one.line)]

    def most_at_once(self) -> int:
        """The largest number of requests that were in work at the same time."""
        moments = [(one.started, 1) for one in self.seen] + [(one.started + one.took, -1) for one in self.seen]
        running = most = 0
        for _, step in sorted(moments):
            running += step
            most = max(most, running)
        return most
