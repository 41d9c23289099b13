"""stand-in"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client(Protocol):
    """One account's connection."""

    server: str
    login: str
    user: str

    async def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        most_bytes: int = 64 * 1024 * 1024,
    ) -> Reply:
        """Ask."""
        ...
