"""Finds a server and checks who somebody is there, before a source is made of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from citemark.model.errors import ConfigurationError, InvalidArgument, RetriableSourceError, SourceError
from citemark.sources.nextcloud.credential import Credential
from citemark.sources.nextcloud.http import HttpResponse
from citemark.sources.nextcloud.http_transport import CrossOriginRedirect, HttpTransport, server_address
from citemark.sources.nextcloud.responses import check_response
from citemark.sources.nextcloud.values import object_in

_STATUS = "/status.php"
_OCS = {"OCS-APIRequest": "true", "Accept": "application/json"}
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class VerifiedAccount:
    """An account that the server has let in. The login name and the user id may differ."""

    server: str
    login: str
    user: str
    password: str = field(repr=False)


async def find_server(typed: str, transport_to: Callable[[str], HttpTransport]) -> str:
    """The base address of the Nextcloud that somebody typed the address of; nothing is sent but a question who it is.

    Raises:
        ConfigurationError: it is no address, there is no Nextcloud, or it redirects to another host.
        RetriableSourceError: the server cannot be reached, is not trusted, or is in maintenance.
    """
    address = server_address(typed)
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
    told = _object(reply)
    if reply.status != HTTPStatus.OK or "installed" not in told or "version" not in told:
        raise ConfigurationError(
            f"There is no Nextcloud at {address} ({_STATUS} answers {reply.status}). Give the address at which you "
            "open it in a browser."
        )
    if not told["installed"] or told.get("maintenance"):
        raise RetriableSourceError(f"The Nextcloud at {address} is in maintenance or not set up yet; try again later.")
    return reply.url.partition(_STATUS)[0]


async def check_account(transport: HttpTransport, login: str, password: str) -> VerifiedAccount:
    """Who a login name and a password let in: one try.

    The password of the account itself is never kept: the server gives an app password for it.

    Raises:
        InvalidArgument: the server does not accept them.
        RetriableSourceError: it does not answer as it should.
    """
    reply = await _ask(transport, Credential(login, password), "/ocs/v2.php/core/getapppassword")
    if reply.status == HTTPStatus.OK:
        password = str(_data(reply).get("apppassword") or password)
    reply = await _ask(transport, Credential(login, password), "/ocs/v2.php/cloud/user")
    user = _data(reply).get("id")
    if reply.status != HTTPStatus.OK or not isinstance(user, str) or not user:
        raise RetriableSourceError(f"{transport.server} answered {reply.status} when asked who {login} is.")
    return VerifiedAccount(transport.server, login, user, password)


async def _status(address: str, transport_to: Callable[[str], HttpTransport]) -> HttpResponse | CrossOriginRedirect:
    transport = transport_to(address)
    try:
        return await transport.send("GET", _STATUS, headers={"Accept": "application/json"}, most_bytes=_MOST_BYTES)
    except CrossOriginRedirect as error:
        return error
    finally:
        await transport.close()


async def _ask(transport: HttpTransport, credential: Credential, path: str) -> HttpResponse:
    headers = {**_OCS, "Authorization": credential.header}
    reply = await transport.send("GET", path, headers=headers, params={"format": "json"}, most_bytes=_MOST_BYTES)
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
        return object_in(reply.json())
    except SourceError:
        return {}
