"""Whom a transport speaks for, and the namespace of the handles it gives out."""

import secrets
from dataclasses import dataclass

from citemark.evidence.requests import Asker
from citemark.model.ids import SessionId
from citemark.model.principal import Principal


@dataclass(frozen=True, slots=True)
class Session:
    """One stdio process, or later one principal over HTTP."""

    session_id: SessionId
    principal: Principal

    @classmethod
    def local(cls) -> "Session":
        """A fresh namespace (144 random bits) of the person at this machine."""
        return cls(SessionId("s_" + secrets.token_urlsafe(18)), Principal.local())

    @property
    def asker(self) -> Asker:
        """The same, as the use cases take it."""
        return Asker(self.principal, self.session_id)
