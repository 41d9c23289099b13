"""The principal that a transport serves, and the namespace of the handles that it issues."""

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import blake2b

from citemark.model.ids import SessionId
from citemark.model.scope import Principal
from citemark.services.requests import Caller


@dataclass(frozen=True, slots=True)
class Session:
    """One stdio process, or one principal over HTTP."""

    session_id: SessionId
    principal: Principal

    @classmethod
    def local(cls) -> "Session":
        """A fresh namespace (144 random bits) of the person at this machine."""
        caller = Caller.local()
        return cls(caller.session_id, caller.principal)

    @classmethod
    def of(cls, principal: Principal) -> "Session":
        """The one namespace of a principal, the same in every process that serves it.

        A name that needs no secret: a handle is 128 random bits and is bound to its principal besides.
        """
        digest = blake2b(principal.key.encode(), digest_size=18, person=b"citemark-session").digest()
        return cls(SessionId("s_" + urlsafe_b64encode(digest).decode()), principal)

    @property
    def caller(self) -> Caller:
        """The same, as the use cases take it."""
        return Caller(self.principal, self.session_id)
