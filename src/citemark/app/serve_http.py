"""`citemark serve --http`: MCP over Streamable HTTP for the clients of this machine."""

import asyncio
import contextlib
import socket
import sys

import structlog

from citemark.app.listed import ListedFamilies
from citemark.app.listening import loopback_sockets, url_of
from citemark.app.serve import BackgroundIndex, ending_of
from citemark.app.web import WebServer
from citemark.http_token import http_token, token_file
from citemark.logs import configure_logs
from citemark.model.errors import ConfigurationError
from citemark.model.scope import Principal
from citemark.places import data_dir
from citemark.settings import Settings, load_settings
from citemark.tools.http import MCP_PATH, http_app
from citemark.tools.offer import Offer
from citemark.tools.server import build_server
from citemark.tools.session import Session

_ANYBODY = "Without a token: every account and every program of this machine can read the index."

_log = structlog.get_logger(__name__)


def serve_http(host: str, port: int, *, with_token: bool = True) -> int:
    """Run until a signal ends it. A second signal does not wait for calls that run."""
    unread: list[str] = []
    try:
        settings = load_settings(unread.append)
        token = http_token(data_dir(settings)) if with_token else None
        sockets = loopback_sockets(host, port)
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return 2
    configure_logs(settings.log_level)
    for line in unread:
        _log.warning("settings_not_used", reason=line, action="settings")
    asyncio.run(_serve(settings, sockets, token))
    return 0


async def _serve(settings: Settings, sockets: list[socket.socket], token: str | None) -> None:
    offer = Offer.of(ListedFamilies(settings).read())
    index = BackgroundIndex(settings, offer)
    index.start()
    session = Session.of(Principal.local())
    web = WebServer(http_app(build_server(index.desk, settings, session, offer, index.answers), index.health, token))

    def end() -> None:
        web.end()
        offer.end()  # streams of changes would hold the server up

    with contextlib.suppress(OSError):  # whoever started this may have closed its output
        print(f"Serving MCP at {url_of(sockets[0])}{MCP_PATH} (Ctrl-C ends it)")  # noqa: T201
        print(_who_is_served(settings, token), flush=True)  # noqa: T201
    ending = ending_of(settings)
    with ending.on_signals(asyncio.get_running_loop(), end):
        try:
            await web.serve(sockets=sockets)
        finally:
            ending.begin()
            await index.close()


def _who_is_served(settings: Settings, token: str | None) -> str:
    """What a client has to send."""
    if token is None:
        return _ANYBODY
    return f"Clients send the header Authorization: Bearer {token} (kept in {token_file(data_dir(settings))})"
