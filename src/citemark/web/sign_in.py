"""Who may see the pages: a link that works once becomes a cookie of one browser.

Sessions are kept in the memory of one process: after a restart, `citemark web` makes another link.
"""

import hmac
import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import URL
from starlette.requests import HTTPConnection

from citemark.identity.begun_sign_in import IssuedAccess
from citemark.identity.token_claims import TokenReader, TokenRefused
from citemark.model.scope import READ, Principal

LINK_SECONDS = 60.0
"""How long a link may wait to be opened: a browser opens it at once, and a person copies it in less."""

SESSION_SECONDS = 12 * 3600.0
"""How long a browser stays signed in without a request: a working day."""

_MOST_LINKS = 20
_MOST_SESSIONS = 1000
"""Beyond these, the oldest ones end, so that nobody can fill the memory."""

_BYTES = 32
"""256 random bits, as for tokens."""

CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"


@dataclass(slots=True)
class Session:
    """One browser that is signed in, and the token that stands for another person than the owner.

    It ends with the token, which is read again at each request, and at `until`, if the token's issuer said so.
    """

    principal: Principal
    csrf: str
    used_at: float
    token: str | None = None
    until: float = math.inf

    @property
    def is_owner(self) -> bool:
        """Whether it belongs to the person at this machine."""
        return self.principal.key == Principal.local().key

    def allows(self, given: str) -> bool:
        """Whether a change carries the session's secret, which no page of another site knows."""
        return hmac.compare_digest(given.encode(), self.csrf.encode())


@dataclass(slots=True)
class SignIns:
    """The links that wait to be opened and the browsers that are signed in.

    Attributes:
        holds_owner_token: whether a token is the owner's.
        reader: maps the tokens of other people to principals; None if only the owner is served.
        encrypted: whether browsers reach the server over HTTPS.
        seconds: the clock.
    """

    holds_owner_token: Callable[[str], bool]
    reader: TokenReader | None = None
    encrypted: bool = False
    seconds: Callable[[], float] = time.monotonic
    _links: dict[str, float] = field(default_factory=dict[str, float])
    _sessions: dict[str, Session] = field(default_factory=dict[str, Session])

    def new_link(self) -> str:
        """The secret of a link that signs one browser in as the owner."""
        code = secrets.token_urlsafe(_BYTES)
        self._links[code] = self.seconds() + LINK_SECONDS
        while len(self._links) > _MOST_LINKS:
            del self._links[next(iter(self._links))]
        return code

    def opened(self, code: str) -> str | None:
        """The cookie for the browser that opened a link; None if it was opened before, is too old or unknown."""
        until = self._links.pop(code, None)
        if until is None or self.seconds() > until:
            return None
        return self._begin(Principal.local(), None)

    async def with_token(self, token: str) -> str | None:
        """The cookie for a browser whose person typed a token; None if the token may not read here.

        Raises:
            BackendUnavailable: the token cannot be looked up now.
        """
        if self.holds_owner_token(token):
            return self._begin(Principal.local(), None)
        principal = await self._person(token)
        return None if principal is None else self._begin(principal, token)

    async def with_issued_token(self, issued: IssuedAccess) -> str | None:
        """The cookie for a browser whose person signed in elsewhere; None if their token may not read here.

        A token that came this way never makes anybody the owner.

        Raises:
            BackendUnavailable: the token cannot be looked up now.
        """
        principal = await self._person(issued.token)
        return None if principal is None else self._begin(principal, issued.token, self.seconds() + issued.seconds)

    async def session_of(self, request: HTTPConnection) -> Session | None:
        """The session of a request; None if its browser is not signed in, or its token has ended.

        Raises:
            BackendUnavailable: the token cannot be looked up now.
        """
        key = request.cookies.get(self.cookie(request.url), "")
        session = self._sessions.get(key)
        if session is None:
            return None
        now = self.seconds()
        ended = now - session.used_at > SESSION_SECONDS or now >= session.until
        if not ended and session.token is not None:
            principal = await self._person(session.token)
            ended = principal is None
            session.principal = principal or session.principal
        if ended:
            self._sessions.pop(key, None)
            return None
        session.used_at = now
        return session

    def knows(self, request: HTTPConnection) -> bool:
        """Whether a request comes from a browser that was signed in; nothing is looked up."""
        return request.cookies.get(self.cookie(request.url), "") in self._sessions

    def end(self, request: HTTPConnection) -> None:
        """Sign the browser of a request out."""
        self._sessions.pop(request.cookies.get(self.cookie(request.url), ""), None)

    def cookie(self, url: URL) -> str:
        """The name of the cookie of a session.

        Over HTTPS its prefix has browsers take it only from this host, so that no neighbouring host sets another one.
        """
        return f"__Host-{cookie_name(url)}" if self.encrypted else cookie_name(url)

    async def _person(self, token: str) -> Principal | None:
        """Whom a token stands for; None if it is not valid, or does not allow to read."""
        if self.reader is None:
            return None
        try:
            principal = await self.reader.principal_of(token)
        except TokenRefused:
            return None
        return principal if READ in principal.scopes else None

    def _begin(self, principal: Principal, token: str | None, until: float = math.inf) -> str:
        key = secrets.token_urlsafe(_BYTES)
        self._sessions[key] = Session(principal, secrets.token_urlsafe(_BYTES), self.seconds(), token, until)
        while len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[min(self._sessions, key=lambda each: self._sessions[each].used_at)]
        return key


def cookie_name(url: URL) -> str:
    """The name of the cookie, with the port: browsers send the cookies of one port to all ports of a host."""
    return f"citemark_{url.port or (443 if url.scheme == 'https' else 80)}"
