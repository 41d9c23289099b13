"""Who may call: what every transport asks about a token before it reads the call that came with it."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.identity.token_claims import TokenReader, TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal
from citemark.services.advice import for_reader
from citemark.services.people.call_limits import CallLimits

RETRY_SECONDS = 5
"""An issuer's keys are not requested again within this time, so there is no point in retrying sooner."""

TOO_MANY = "Too many requests; wait as long as Retry-After says"

Status = Literal[401, 403, 429, 503]
"""Why a caller is turned away, in the numbers of HTTP, which the audit log has for every transport."""


class TurnedAway(Exception):
    """A caller is not admitted.

    Attributes:
        status: the kind of refusal.
        message: for the caller.
        principal: who it is, if that is known.
        reason: what is wrong with the token; for the log alone.
        retry_after: seconds after which another try may succeed, or 0.
    """

    def __init__(
        self,
        status: Status,
        message: str,
        *,
        principal: Principal | None = None,
        reason: str | None = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.message = message
        self.principal = principal
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A request that was refused with 401, 403 or 429: its principal, if known, and the address it came from.

    `reason` says what is wrong with its token.
    """

    status: int
    principal: str | None
    address: str | None
    reason: str | None = None


def bearer_in(values: Sequence[str]) -> str | None:
    """The bearer token in the values of a request's `authorization`, or None if it is not exactly one with one."""
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


class OwnerToken:
    """The token of the owner, or None if everybody is served as the owner."""

    def __init__(self, token: str | None) -> None:
        self._expected = None if token is None else token.encode()

    def admits(self, given: str | None) -> bool:
        """Whether a caller is the owner. The time it takes does not show how much of a wrong token is right."""
        return self._expected is None or (given is not None and hmac.compare_digest(given.encode(), self._expected))


@dataclass(frozen=True, slots=True)
class Admission:
    """Finds out who a caller is. Without a `reader`, there is nobody besides the owner."""

    owner: OwnerToken
    reader: TokenReader | None = None
    limits: CallLimits | None = None

    async def principal_of(self, given: str | None) -> Principal | None:
        """The principal who sends a token, or None for the owner; the request of anybody else counts.

        Raises:
            TurnedAway: the token stands for nobody, that cannot be determined now, or the principal has to wait.
        """
        if self.owner.admits(given):
            return None
        if self.reader is None or given is None:
            raise TurnedAway(401, "no token that is valid here")
        try:
            principal = await self.reader.principal_of(given)
        except TokenRefused as refused:
            raise TurnedAway(401, "no token that is valid here", reason=str(refused)) from None
        except BackendUnavailable as error:
            raise TurnedAway(
                503, f"{error.code}: {for_reader(error.message, None)}", retry_after=RETRY_SECONDS
            ) from None
        seconds = self.limits.wait_for_turn(principal) if self.limits else 0
        if seconds:
            raise TurnedAway(429, TOO_MANY, principal=principal, retry_after=seconds)
        return principal
