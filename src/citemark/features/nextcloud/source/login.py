"""Joining a Nextcloud: find the server, check an account, log in by a link (Login Flow v2), give up an app password.

Source: Nextcloud developer manual, "Login Flow v2" and "Deleting an app password".
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any
from urllib.parse import quote_plus, urlsplit

from citemark.features.nextcloud.source.client import Credential
from citemark.features.nextcloud.source.http_responses import check_response, json_in, object_in, text_in
from citemark.features.nextcloud.source.http_transport import (
    CertificateError,
    CrossOriginRedirect,
    HttpTransport,
    server_address,
)
from citemark.model.errors import (
    ConfigurationError,
    FatalSourceError,
    InvalidArgument,
    RetriableSourceError,
    SourceError,
)
from citemark.remote.connections import HttpRequest, HttpResponse

MOST_SECONDS = 20 * 60.0
"""Seconds that a server waits for the person to agree."""

_START = "/index.php/login/v2"
_REVOKE = "/ocs/v2.php/core/apppassword"
POLL_SECONDS = 1.0
"""Seconds between two polls: short, because a person is waiting at the terminal."""

_MOST_BYTES = 1 << 20
"""A hundred times what any of these responses has."""

_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


_STATUS = "/status.php"
_OCS = {"OCS-APIRequest": "true", "Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class VerifiedAccount:
    """An account that the server accepted. The login name and the user id may differ.

    `issued`: the server issued the password for this login, so that nothing else uses it.
    """

    server: str
    login: str
    user: str
    password: str = field(repr=False)
    issued: bool = False


async def find_server(typed: str, transport_to: Callable[[str], HttpTransport]) -> str:
    """Find the base address of a Nextcloud from the address that a person typed. Only its status page is requested.

    Args:
        typed: an address, perhaps of a page of the Nextcloud; without a scheme, https is tried, and on this machine
            http as well.
        transport_to: opens a transport to a base address.

    Raises:
        ConfigurationError: it is not an address, there is no Nextcloud, or it redirects to another host.
        RetriableSourceError: the server cannot be reached, is not trusted, or is in maintenance.
    """
    address = server_address(typed)
    try:
        reply = await _status(address, transport_to)
    except RetriableSourceError as error:
        if "://" in typed or not _is_loopback(address):
            raise _explained(error, address) from None
        address = address.replace("https:", "http:", 1)
        reply = await _status(address, transport_to)
    if isinstance(reply, CrossOriginRedirect):
        there, asked = urlsplit(reply.target), urlsplit(address)
        if there.hostname != asked.hostname or (asked.scheme, there.scheme) != ("http", "https"):
            raise ConfigurationError(
                f"{address} redirects to {there.scheme}://{there.netloc}. If that is your Nextcloud, give its address."
            )
        address = reply.target.partition(_STATUS)[0].rstrip("/")
        reply = await _status(address, transport_to)
    if isinstance(reply, CrossOriginRedirect):
        raise ConfigurationError(reply.message)
    status = _object(reply)
    if reply.status != HTTPStatus.OK or "installed" not in status or "version" not in status:
        raise ConfigurationError(_not_nextcloud(address, reply))
    if not status["installed"] or status.get("maintenance"):
        raise RetriableSourceError(f"The Nextcloud at {address} is in maintenance or not set up yet; try again later.")
    return reply.url.partition(_STATUS)[0]


def _is_loopback(address: str) -> bool:
    return urlsplit(address).hostname in {"localhost", "127.0.0.1", "::1"}


def _explained(error: RetriableSourceError, address: str) -> RetriableSourceError:
    """The error, with what to do if the server does not speak https."""
    if isinstance(error, CertificateError) or not address.startswith("https:"):
        return error
    plain = address.replace("https:", "http:", 1)
    return RetriableSourceError(
        f"{error.message} Check the name and your network. If the server has no https, give {plain}: then anyone on "
        "the network path can read the password and all documents.",
        error.retry_after,
        reason=error.details.get("reason"),
    )


def _not_nextcloud(address: str, reply: HttpResponse) -> str:
    """That there is no Nextcloud, and what may answer in its place."""
    told = f"There is no Nextcloud at {address} ({_STATUS} answers {reply.status}"
    usual = "Give the address at which you open it in a browser."
    if b"HTTPS port" in reply.body or b"speaking plain HTTP" in reply.body:
        return f"{told}): this port takes https only; give {address.replace('http:', 'https:', 1)}."
    if reply.headers.get("content-type", "").lower().startswith("text/html"):
        login = f"Perhaps your network asks for a login first: open {address} in a browser."
        return f"{told} with a web page). {login} {usual}"
    return f"{told}). {usual}"


async def check_account(transport: HttpTransport, login: str, password: str) -> VerifiedAccount:
    """Check a login name and password, with a single try, and find out the user id.

    The account's own password is never kept: the server issues an app password in exchange.

    Raises:
        InvalidArgument: the server does not accept them.
        RetriableSourceError: it does not answer as it should.
    """
    reply = await _ask(transport, Credential(login, password), "/ocs/v2.php/core/getapppassword")
    issued = text_in(_data(reply).get("apppassword")) if reply.status == HTTPStatus.OK else ""
    password = issued or password
    reply = await _ask(transport, Credential(login, password), "/ocs/v2.php/cloud/user")
    user = text_in(_data(reply).get("id"))
    if reply.status != HTTPStatus.OK or not user:
        raise RetriableSourceError(f"{transport.server} answered {reply.status} when asked who {login} is.")
    return VerifiedAccount(transport.server, login, user, password, issued=bool(issued))


async def _status(address: str, transport_to: Callable[[str], HttpTransport]) -> HttpResponse | CrossOriginRedirect:
    transport = transport_to(address)
    try:
        return await transport.send(
            HttpRequest("GET", _STATUS, headers={"Accept": "application/json"}, most_bytes=_MOST_BYTES)
        )
    except CrossOriginRedirect as error:
        return error
    finally:
        await transport.close()


async def _ask(transport: HttpTransport, credential: Credential, path: str) -> HttpResponse:
    headers = {**_OCS, "Authorization": credential.header}
    reply = await transport.send(
        HttpRequest("GET", path, headers=headers, params={"format": "json"}, most_bytes=_MOST_BYTES)
    )
    if reply.status == HTTPStatus.UNAUTHORIZED:
        raise InvalidArgument(
            f"{transport.server} does not accept this name and password of {credential.login!r}; they were tried "
            "once. Make an app password in the settings of your Nextcloud under Security, Devices & sessions, and use "
            "the user name that is shown with it."
        )
    return check_response(reply, "GET")


def _data(reply: HttpResponse) -> Any:
    return object_in(object_in(_object(reply).get("ocs")).get("data"))


def _object(reply: HttpResponse) -> Any:
    try:
        return object_in(json_in(reply))
    except SourceError:
        return {}


@dataclass(frozen=True, slots=True)
class LoginFlow:
    """A login in progress: the link to open in a browser, and where to poll for the result."""

    link: str
    endpoint: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoginGrant:
    """The login name and app password that the person agreed to."""

    login: str
    password: str = field(repr=False)


async def begin_login(transport: HttpTransport) -> LoginFlow:
    """Start a login; the server names the app password after the transport's agent.

    Raises:
        ConfigurationError: the server does not offer this login, or refers to another address.
        RetriableSourceError: it does not answer as it should.
    """
    reply = await transport.send(
        HttpRequest("POST", _START, headers={"Accept": "application/json"}, most_bytes=_MOST_BYTES)
    )
    if reply.status in {HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED}:
        raise ConfigurationError(
            f"{transport.server} offers no login by a link; give --user and --app-password with one that you made "
            "there."
        )
    login_data = object_in(json_in(check_response(reply, "POST")))
    poll = object_in(login_data.get("poll"))
    link = text_in(login_data.get("login"))
    endpoint, token = text_in(poll.get("endpoint")), text_in(poll.get("token"))
    if not _is_web_address(link) or not _is_web_address(endpoint) or not token:
        raise RetriableSourceError(f"{transport.server} answered something else when asked for a login.")
    return LoginFlow(link, _at_given_address(transport.server, endpoint), token)


async def poll_once(transport: HttpTransport, flow: LoginFlow) -> LoginGrant | None:
    """The login that the person agreed to; None until they have. A server returns it only once.

    Raises:
        SourceError: the server cannot be reached, or answers unexpectedly.
    """
    content = f"token={quote_plus(flow.token)}".encode()
    reply = await transport.send(
        HttpRequest("POST", flow.endpoint, headers=_FORM, content=content, most_bytes=_MOST_BYTES)
    )
    reply = check_response(reply, "POST")
    if reply.status != HTTPStatus.OK:
        return None
    grant = object_in(json_in(reply))
    login, password = text_in(grant.get("loginName")), text_in(grant.get("appPassword"))
    if not login or not password:
        raise FatalSourceError(f"{transport.server} agreed to the login without a name and a password; try again.")
    return LoginGrant(login, password)


async def wait_for_grant(
    transport: HttpTransport, flow: LoginFlow, *, wait_seconds: float = MOST_SECONDS, every: float = POLL_SECONDS
) -> LoginGrant:
    """Poll until the person has agreed in the browser.

    Args:
        transport: to the server.
        flow: as begun.
        wait_seconds: seconds to wait.
        every: seconds between polls.

    Raises:
        FatalSourceError: the person did not agree in time, or the server agreed without a name and a password.
    """
    until = monotonic() + wait_seconds
    while monotonic() < until:
        try:
            grant = await poll_once(transport, flow)
        except RetriableSourceError as error:
            await asyncio.sleep(max(every, error.retry_after or 0.0))
            continue
        if grant is not None:
            return grant
        await asyncio.sleep(every)
    raise FatalSourceError(f"Nobody agreed to the login at {transport.server} in time; run the command again.")


async def revoke_app_password(transport: HttpTransport, credential: Credential) -> None:
    """Have the server delete an app password, in a request authenticated with it.

    Raises:
        FatalSourceError: the server does not accept it any more, or it is the account's own password.
        SourceError: the server cannot be reached, or answers unexpectedly.
    """
    headers = {"OCS-APIRequest": "true", "Accept": "application/json", "Authorization": credential.header}
    reply = await transport.send(HttpRequest("DELETE", _REVOKE, headers=headers, most_bytes=_MOST_BYTES))
    if reply.status == HTTPStatus.UNAUTHORIZED:
        raise FatalSourceError("The server did not accept it any more.")
    if reply.status == HTTPStatus.FORBIDDEN:
        raise FatalSourceError("It is not an app password but the account's own.")
    check_response(reply, "DELETE")


def _is_web_address(address: str) -> bool:
    try:
        return urlsplit(address).scheme in {"http", "https"}
    except ValueError:  # brackets that do not enclose an IPv6 address
        return False


def _at_given_address(server: str, endpoint: str) -> str:
    """Return the poll endpoint at the address that was given; behind a proxy a server may not know its scheme or port.

    Raises:
        ConfigurationError: the endpoint is on another host, which would receive the password.
    """
    named, given = urlsplit(endpoint), urlsplit(server)
    if named.hostname != given.hostname:
        raise ConfigurationError(
            f"The Nextcloud at {server} calls itself {named.scheme}://{named.netloc}; give that address if it is right."
        )
    return f"{given.scheme}://{given.netloc}{named.path}"
