"""The part of `citemark serve --http` that answers people besides the owner."""

from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from citemark.app.authentication import Authentication, code_flow, issued_tokens, resource_of
from citemark.app.features import connect_page_of, families_of
from citemark.app.host_app_pages import APP_PAGES
from citemark.model.errors import ConfigurationError
from citemark.services.bundle import Services
from citemark.services.people.access_tokens import AccessTokens
from citemark.services.people.call_limits import CallLimits, LimitSettings
from citemark.services.people.strangers import StrangerLimits
from citemark.settings import Settings
from citemark.tools.http_access import caller_of
from citemark.tools.http_app import PeopleServer
from citemark.tools.http_guards import AllowedHosts
from citemark.tools.registry import Registry
from citemark.tools.seen_calls import CallObserver
from citemark.tools.server import build_server
from citemark.tools.tool_catalog import ToolCatalog, every_group, tools_of


class OpenedIndex(Protocol):
    """An index that opens while the server already runs; each method waits until it is open."""

    async def services(self) -> Services:
        """Provides the services that answer questions."""
        ...

    async def tokens(self) -> AccessTokens:
        """Provides the service that issues and reads access tokens."""
        ...


def people_server(
    settings: Settings,
    index: OpenedIndex,
    limits: CallLimits,
    observers: Sequence[CallObserver] = (),
    address: str | None = None,
) -> PeopleServer:
    """The server for people whom tokens identify, at `address` unless the settings say how clients know it.

    Raises:
        ConfigurationError: settings about the authorization server are missing or malformed.
    """
    resource_url = settings.http_resource or address
    reader = reader_of(settings, index)
    families = families_of()
    groups = every_group(families)
    registry = Registry(tools_of(families, groups, settings))
    return PeopleServer(
        server=build_server(
            index.services,
            settings.model_copy(update={"http_resource": resource_url}),
            caller_of,
            ToolCatalog(families, groups),
            limits,
            observers,
            APP_PAGES,
        ),
        reader=reader,
        needs=registry.needs,
        resource=resource_of(settings, registry.scopes),
        limits=limits,
        strangers=StrangerLimits(reader.admits),
        page=connect_page_of(settings, index.services, resource_url),
    )


def reader_of(settings: Settings, index: OpenedIndex) -> Authentication:
    """What finds out who sends a token.

    Raises:
        ConfigurationError: settings about the authorization server are missing or malformed.
    """
    return Authentication(index.tokens, issued_tokens(settings))


def limits_of(settings: Settings) -> CallLimits:
    """How much of the server each person gets."""
    return CallLimits(
        LimitSettings(settings.http_running, settings.http_running_each, settings.http_waiting, settings.http_rate)
    )


def hosts_of(settings: Settings, *, loopback: bool) -> AllowedHosts:
    """The names under which the server may be addressed, and the web pages that may use it."""
    public = urlsplit(settings.http_resource or "").hostname
    hosts = {name.lower() for name in settings.http_hosts} | ({public} if public else set[str]())
    origins = frozenset(origin.lower().rstrip("/") for origin in settings.http_origins)
    return AllowedHosts(frozenset(hosts), origins, addresses=not loopback)


def check_people(settings: Settings, *, with_token: bool) -> None:
    """Refuse settings under which the caller cannot be determined.

    Raises:
        ConfigurationError: they are incomplete, or contradict `--no-token`.
    """
    if settings.oauth_issuer is not None and not with_token:
        raise ConfigurationError("--no-token serves everybody as the owner, and oauth_issuer says who may: choose one.")
    resource_of(settings, frozenset())
    issued_tokens(settings)
    code_flow(settings, "")
