"""One account's connection to its server, as the apps use it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from citemark.model.errors import RetriableSourceError


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that an app has to judge; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            RetriableSourceError: it is none, as when an answer broke off.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise RetriableSourceError(f"The answer of {self.url} is no JSON; it is asked again later.") from None

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


class Client(Protocol):
    """Asks one server as one account. `server` is its address without a slash at its end."""

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
        """One answer of at most `most_bytes`; `path` begins with a slash.

        Raises:
            FatalSourceError: the credentials are not accepted (any more).
            RetriableSourceError: the server does not answer, or not as it should, for now.
            SkippableSourceError: the answer is larger than `most_bytes`.
        """
        ...
