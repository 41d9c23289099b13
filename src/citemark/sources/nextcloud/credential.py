"""What an account logs in with, and whether it may still be used."""

import base64
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Credential:
    """A login name with its app password; a renewed one is of another generation."""

    login: str
    password: str = field(repr=False)
    generation: int = 0

    @property
    def header(self) -> str:
        """The value of `Authorization`. Notes and Deck take nothing but Basic."""
        return f"Basic {base64.b64encode(f'{self.login}:{self.password}'.encode()).decode()}"


class Credentials(Protocol):
    """Keeps the credential of one account."""

    async def current(self) -> Credential:
        """The one to use now.

        Raises:
            FatalSourceError: there is none, or the server refused it and nobody has renewed it since.
        """
        ...

    async def refuse(self, credential: Credential) -> None:
        """The server did not take it: nobody uses it again, in whatever process and however often restarted."""
        ...
