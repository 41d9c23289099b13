"""Whom a transport speaks for, and the namespace of the handles it gives out."""

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
        asker = Asker.local()
        return cls(asker.session_id, asker.principal)

    @property
    def asker(self) -> Asker:
        """The same, as the use cases take it."""
        return Asker(self.principal, self.session_id)
