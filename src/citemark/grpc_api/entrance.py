"""Who calls over gRPC: the same tokens, limits and lines of the audit as over HTTP."""

from collections.abc import Callable
from dataclasses import dataclass

from citemark.grpc_api.failures import Context, turn_away
from citemark.model.scope import Principal
from citemark.services.people.admission import Admission, RefusedRequest, TurnedAway, bearer_in
from citemark.services.people.strangers import StrangerLimits
from citemark.services.requests import Caller

_UNKNOWN = (
    "This server requires a token: send the metadata `authorization: Bearer TOKEN`. Ask whoever runs this server for "
    "one. If you run it: `citemark serve --grpc` prints the owner's, and `citemark token create` makes one for "
    "somebody else."
)
_TOO_MANY = "Too many requests; wait as long as the RetryInfo says"
_MESSAGES = {401: _UNKNOWN, 429: _TOO_MANY}

_AUDITED = frozenset({401, 403, 429})


@dataclass(frozen=True, slots=True)
class Entrance:
    """Lets callers in.

    Attributes:
        admission: finds out who sends a token.
        strangers: how often requests without a known token may fail, counted together with those over HTTP.
        tell: is told of each request that is refused.
    """

    admission: Admission
    strangers: StrangerLimits | None = None
    tell: Callable[[RefusedRequest], None] = lambda _: None

    async def caller(self, context: Context, needs: frozenset[str] = frozenset()) -> Caller:
        """The caller, who has the scopes that the call needs; anybody else's call ends here."""
        address = _address_of(context.peer())
        try:
            return Caller.of(await self._principal(context, address, needs))
        except TurnedAway as refused:
            if refused.status in _AUDITED:
                key = None if refused.principal is None else refused.principal.key
                self.tell(RefusedRequest(refused.status, key, address, refused.reason))
            refused.message = _MESSAGES.get(refused.status, refused.message)
            await turn_away(context, refused)

    async def _principal(self, context: Context, address: str, needs: frozenset[str]) -> Principal:
        values = [str(value) for key, value in context.invocation_metadata() or () if key == "authorization"]
        given = bearer_in(values)
        strangers = None if self.strangers is None or self._is_known(given) else self.strangers
        if strangers is not None and (seconds := await strangers.wait_for_turn(address)):
            raise TurnedAway(429, _TOO_MANY, retry_after=seconds)
        principal = await self.admission.principal_of(given) or Principal.local()
        if strangers is not None:
            strangers.failures.succeeded(address)
        if not needs <= principal.scopes:
            raise TurnedAway(403, f"This needs the scope {' '.join(sorted(needs))}", principal=principal)
        return principal

    def _is_known(self, given: str | None) -> bool:
        if self.admission.owner.admits(given):
            return True
        return given is not None and self.strangers is not None and self.strangers.admits(given)


def _address_of(peer: str) -> str:
    """The address in what gRPC calls a peer, such as `ipv4:127.0.0.1:5000` or `ipv6:%5B::1%5D:5000`."""
    address = peer.partition(":")[2].rpartition(":")[0]
    return address.replace("%5B", "").replace("%5D", "").strip("[]")
