"""Login Flow v2: a link for the person's browser, and an app password once they agree there; and its end.

Source: Nextcloud developer manual, "Login Flow v2" and "Deleting an app password".
"""

import asyncio
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from urllib.parse import quote_plus, urlsplit

from citemark.model.errors import ConfigurationError, FatalSourceError, RetriableSourceError
from citemark.sources.nextcloud.credential import Credential
from citemark.sources.nextcloud.http import HttpResponse
from citemark.sources.nextcloud.http_transport import HttpTransport
from citemark.sources.nextcloud.responses import check_response
from citemark.sources.nextcloud.values import object_in

PATIENCE = 20 * 60.0
"""Seconds for which a server waits for somebody to agree."""

_START = "/index.php/login/v2"
_REVOKED = "/ocs/v2.php/core/apppassword"
_EVERY = 1.0
_MOST_BYTES = 1 << 20
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class LoginFlow:
    """A login in progress: the link to open, and where to ask how it went."""

    link: str
    endpoint: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoginGrant:
    """What the person agreed to."""

    login: str
    password: str = field(repr=False)


async def begin_login(transport: HttpTransport) -> LoginFlow:
    """Start a login; the app password will be named after the transport's agent.

    Raises:
        ConfigurationError: the server offers no such login, or wants to be asked at another address.
        RetriableSourceError: it does not answer as it should.
    """
    reply = await transport.send("POST", _START, headers={"Accept": "application/json"}, most_bytes=_MOST_BYTES)
    if reply.status in {HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED}:
        raise ConfigurationError(
            f"{transport.server} offers no login by a link; give --user and --app-password with one that you made "
            "there."
        )
    told = object_in(check_response(reply, "POST").json())
    poll = object_in(told.get("poll"))
    link, endpoint, token = (str(value or "") for value in (told.get("login"), poll.get("endpoint"), poll.get("token")))
    if urlsplit(link).scheme not in {"http", "https"} or not endpoint or not token:
        raise RetriableSourceError(f"{transport.server} answered something else when asked for a login.")
    return LoginFlow(link, _here(transport.server, endpoint), token)


async def wait_for_grant(
    transport: HttpTransport, flow: LoginFlow, *, patience: float = PATIENCE, every: float = _EVERY
) -> LoginGrant:
    """Wait until the person has agreed in the browser.

    Raises:
        FatalSourceError: nobody did in time.
    """
    until = monotonic() + patience
    while monotonic() < until:
        try:
            reply = await _poll(transport, flow)
        except RetriableSourceError as error:
            await asyncio.sleep(max(every, error.retry_after or 0.0))
            continue
        given = object_in(reply.json() if reply.status == HTTPStatus.OK else None)
        if given.get("loginName") and given.get("appPassword"):
            return LoginGrant(str(given["loginName"]), str(given["appPassword"]))
        await asyncio.sleep(every)
    raise FatalSourceError(f"Nobody agreed to the login at {transport.server} in time; run the command again.")


async def revoke_app_password(transport: HttpTransport, credential: Credential) -> None:
    """Have the server forget an app password, in a request that is made with it.

    Raises:
        FatalSourceError: the server did not accept it any more, or it is the account's own password.
        SourceError: the server cannot be reached, or answers something else.
    """
    headers = {"OCS-APIRequest": "true", "Accept": "application/json", "Authorization": credential.header}
    reply = await transport.send("DELETE", _REVOKED, headers=headers, most_bytes=_MOST_BYTES)
    if reply.status == HTTPStatus.UNAUTHORIZED:
        raise FatalSourceError("The server did not accept it any more.")
    if reply.status == HTTPStatus.FORBIDDEN:
        raise FatalSourceError("It is no app password but the account's own.")
    check_response(reply, "DELETE")


async def _poll(transport: HttpTransport, flow: LoginFlow) -> HttpResponse:
    content = f"token={quote_plus(flow.token)}".encode()
    reply = await transport.send("POST", flow.endpoint, headers=_FORM, content=content, most_bytes=_MOST_BYTES)
    return check_response(reply, "POST")


def _here(server: str, endpoint: str) -> str:
    """The endpoint at the address that was given: a server behind a proxy may not know its scheme or port.

    Raises:
        ConfigurationError: the endpoint is on another host, which would hand over the password.
    """
    named, asked = urlsplit(endpoint), urlsplit(server)
    if named.hostname != asked.hostname:
        raise ConfigurationError(
            f"The Nextcloud at {server} calls itself {named.scheme}://{named.netloc}; give that address if it is right."
        )
    return f"{asked.scheme}://{asked.netloc}{named.path}"
