"""`citemark serve --http`: MCP over Streamable HTTP, on loopback sockets by default."""

import asyncio
import contextlib
import errno
import socket
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import structlog

from citemark.app.audit_log import AuditLog
from citemark.app.command_route import command_route
from citemark.app.features import answered_of, families_of, observers_of
from citemark.app.host_app_pages import APP_PAGES
from citemark.app.local_socket import local_socket
from citemark.app.people_server import check_people, hosts_of, limits_of, people_server
from citemark.app.serve_grpc import GrpcDoor, address_line, grpc_server, require_grpc
from citemark.app.serve_stdio import BackgroundIndex, ending_of
from citemark.app.serve_web import web_pages
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.app.web_server import WebServer
from citemark.folders import data_dir
from citemark.http_token import http_token, token_file
from citemark.logs import configure_logs
from citemark.model.errors import ConfigurationError
from citemark.model.scope import Principal
from citemark.services.requests import Caller
from citemark.settings import Settings, load_settings
from citemark.tools.call_metrics import CallMetrics
from citemark.tools.http_access import SeenRefusals
from citemark.tools.http_app import MCP_PATH, WebPages, http_app
from citemark.tools.server import build_server
from citemark.tools.tool_catalog import ToolCatalog

_LOCALHOST = ("127.0.0.1", "::1")
"""The addresses of `localhost`; a resolver would let a name server decide who can reach us."""

_NO_SUCH_ADDRESS = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_BACKLOG = 512
"""Connections that the system queues while the server is busy: twice as many as may wait in the server."""


def listening_sockets(host: str, port: int, *, authenticated: bool) -> list[socket.socket]:
    """Listening sockets on an address of this machine, two for `localhost`. Port 0 takes a free one.

    An address that is not loopback is refused unless every client is `authenticated`.

    Raises:
        ConfigurationError: listening on the address is not allowed, or the port is not available.
    """
    listening: list[socket.socket] = []
    try:
        for address in _addresses(host, authenticated=authenticated):
            try:
                opened = _listen(address, port)
            except OSError as error:
                if listening and error.errno in _NO_SUCH_ADDRESS:
                    continue  # `localhost` on a machine without IPv6
                raise
            listening.append(opened)
            port = port or opened.getsockname()[1]
    except OSError as error:
        for opened in listening:
            opened.close()
        raise _unavailable(host, port, error) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """The base address of a listening socket."""
    address, port = listening.getsockname()[:2]
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def _addresses(host: str, *, authenticated: bool) -> tuple[str, ...]:
    if host.lower() == "localhost":
        return _LOCALHOST
    try:
        loopback = ip_address(host).is_loopback
    except ValueError:
        raise ConfigurationError(
            f"--host takes an address of this machine, such as 127.0.0.1 or 0.0.0.0, or localhost, not {host!r}."
        ) from None
    if not loopback and not authenticated:
        raise ConfigurationError(
            f"{host} is reached by other machines, and without a token each of them could read the index. Leave "
            "--no-token out, or add --without-authentication."
        )
    return (host,)


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ip_address(listening.getsockname()[0]).is_loopback


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # asyncio turns Nagle's algorithm off only if the protocol is named; with it, each answer waits some 40 ms.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def _unavailable(host: str, port: int, error: OSError) -> ConfigurationError:
    if error.errno == errno.EADDRINUSE:
        return ConfigurationError(f"Port {port} is in use; stop what uses it, or choose another with --port (0: any).")
    return ConfigurationError(f"Cannot listen on {host} port {port}: {error.strerror}; choose another with --port.")


_ANYBODY = "Without a token: every account and every program of this machine can read the index."
_ANY_MACHINE = "Without a token: every machine that reaches this address can read the index."
_IN_THE_CLEAR = "Other machines reach it without encryption: put a proxy with TLS before it."

_log = structlog.get_logger(__name__)


def serve_http(
    host: str,
    port: int,
    *,
    with_token: bool = True,
    anybody: bool = False,
    grpc: GrpcDoor | None = None,
    opened: Callable[[str], None] | None = None,
) -> int:
    """Serve until a signal ends it. A second signal does not wait for running calls.

    Args:
        host: an address of this machine.
        port: 0 for any.
        with_token: serve only clients with a token.
        anybody: without a token, serve every machine that can reach the address, too.
        grpc: where to serve gRPC beside it, if anywhere.
        opened: called with the link to the pages for a browser once the server listens.
    """
    unread: list[str] = []
    try:
        settings = load_settings(unread.append)
        check_people(settings, with_token=with_token)
        token = http_token(data_dir(settings.data_dir)) if with_token else None
        if grpc is not None:
            require_grpc()
            grpc.check(authenticated=with_token or anybody)
        audit = AuditLog(settings.audit_log)
        sockets = listening_sockets(host, port, authenticated=with_token or anybody)
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return 2
    configure_logs(settings.log_level)
    for line in unread:
        _log.warning("settings_not_used", reason=line, action="settings")
    try:
        with local_socket(data_dir(settings.data_dir)) as local:
            asyncio.run(_serve(settings, sockets, local, token, audit, grpc, opened))
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return 2
    finally:
        audit.close()
    return 0


async def _serve(
    settings: Settings,
    sockets: list[socket.socket],
    local: socket.socket | None,
    token: str | None,
    audit: AuditLog,
    grpc: GrpcDoor | None,
    opened: Callable[[str], None] | None,
) -> None:
    catalog = ToolCatalog.of(families_of(), ToolGroupsFile(settings).read())
    index = BackgroundIndex(settings, catalog)
    caller = Caller.of(Principal.local())
    limits = limits_of(settings)
    metrics = CallMetrics(lambda: limits.waiting)
    observers = (metrics.seen, audit.seen, *observers_of(settings, index.services))
    server = build_server(index.services, settings, caller, catalog, limits, observers, APP_PAGES)
    loopback = all(is_loopback(listening) for listening in sockets)
    address = f"{url_of(sockets[0])}{MCP_PATH}" if loopback else None
    people = None if token is None else people_server(settings, index, limits, observers, address)
    pages = web_pages(settings, index, limits, token, None if people is None else people.reader, url_of(sockets[0]))
    app = http_app(
        server,
        index.health,
        token,
        people,
        hosts_of(settings, loopback=loopback),
        metrics,
        sessions=settings.http_sessions,
        pages=WebPages(pages.routes(), pages.sign_ins.knows),
        commands=command_route(index, token, answered_of),
    )
    web = WebServer(SeenRefusals(app, audit.refused))
    strangers = None if people is None else people.strangers
    beside, grpc_port = (
        (None, 0)
        if grpc is None
        else grpc_server(grpc, settings, index, token, limits, observers, audit.refused, strangers)
    )
    index.start()

    def end() -> None:
        web.end()
        if beside is not None:
            beside.end()
        catalog.end()  # open streams of changes would delay the shutdown, as those of the pages would
        pages.streams.end()

    ending = ending_of(settings)
    # Installed before the address is printed: its reader may send a signal immediately, and dying of it would leave
    # PostgreSQL running.
    with ending.on_signals(asyncio.get_running_loop(), end):
        try:
            with contextlib.suppress(OSError):  # the parent process may have closed our output
                print(f"Serving MCP at {url_of(sockets[0])}{MCP_PATH} (Ctrl-C ends it)")  # noqa: T201
                print(_who_is_served(settings, token, loopback=loopback), flush=True)  # noqa: T201
                if not loopback:
                    print(_IN_THE_CLEAR, flush=True)  # noqa: T201
                if grpc is not None:
                    print(address_line(grpc, grpc_port), flush=True)  # noqa: T201
            if opened is not None:
                opened(pages.link())
            served = sockets if local is None else [*sockets, local]
            await asyncio.gather(web.serve(sockets=served), *(() if beside is None else (beside.serve(),)))
        finally:
            ending.begin()
            await pages.close()
            await index.close()


def _who_is_served(settings: Settings, token: str | None, *, loopback: bool) -> str:
    """The header that a client has to send."""
    if token is None:
        return _ANYBODY if loopback else _ANY_MACHINE
    return header_line(token, token_file(data_dir(settings.data_dir)), shown=sys.stdout.isatty())


def header_line(token: str, place: Path, *, shown: bool) -> str:
    """The header that a client has to send; without the token in a journal or a container's log, which others read."""
    if shown:
        return f"Clients send the header Authorization: Bearer {token} (kept in {place})"
    return f"Clients send the header Authorization: Bearer TOKEN, with the token in {place}"
