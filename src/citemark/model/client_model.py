"""The model of the client that made a call, and the call that it belongs to."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from citemark.model.completions import Completion, Generated
from citemark.model.errors import InvalidArgument


class StateRefused(InvalidArgument):
    """A state that was changed, expired or is not this caller's for this call; the three cannot be told apart."""

    def __init__(self) -> None:
        super().__init__("Invalid or expired requestState: call the tool again without it.")


@dataclass(frozen=True, slots=True)
class Binding:
    """The caller and the call that a state is for; `digest` is a digest of the arguments of the call."""

    principal: str
    tool: str
    digest: str

    @classmethod
    def of(cls, principal: str, tool: str, arguments: Mapping[str, Any] | None) -> "Binding":
        """The binding of a call with these arguments, regardless of their order."""
        canonical = json.dumps(dict(arguments or {}), sort_keys=True, separators=(",", ":"))
        return cls(principal, tool, hashlib.sha256(canonical.encode()).hexdigest())

    def fingerprint(self) -> str:
        """A digest of all three fields; it is unambiguous because it is computed from JSON."""
        return hashlib.sha256(json.dumps([self.principal, self.tool, self.digest]).encode()).hexdigest()


Pinned: TypeAlias = Callable[[], Awaitable[str]]
"""Returns the sealed state of a call, which is created only when it is needed."""


class ClientModel(Protocol):
    """The model of the client that made a call, however the client's protocol allows it to be asked."""

    @property
    def binding(self) -> Binding:
        """The call for which a state of it is valid."""
        ...

    @property
    def carried(self) -> str | None:
        """The sealed state of the previous round, or None in the first round."""
        ...

    async def generate(self, asked: Completion, pin: Pinned) -> Generated:
        """Generate the words of an answer; if the protocol needs another round, `pin` returns the state to carry over.

        Raises:
            NotGenerated: the client has no model, or its model produced nothing.
        """
        ...
