"""Real CalDAV and CardDAV servers on loopback, in a thread: Radicale and xandikos over an empty folder."""

import os
import socketserver
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import httpx2
from tests.support.patience import HANG_SECONDS

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

USER = "alice"
_MKCOL = (
    '<d:mkcol xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:r="urn:ietf:params:xml:ns:carddav"><d:set>'
    "<d:prop><d:resourcetype><d:collection/><{kind}/></d:resourcetype><d:displayname>{title}</d:displayname></d:prop>"
    "</d:set></d:mkcol>"
)


@dataclass
class DavServer:
    """A running server: where collections of calendars and contacts are made, and whether it can be reached."""

    url: str
    calendars: str
    contacts: str
    http: httpx2.Client
    away: bool = False

    def create(self, kind: str, href: str, title: str) -> None:
        """Make a collection, `kind` "c:calendar" or "r:addressbook"."""
        body = _MKCOL.format(kind=kind, title=title)
        answer = self.http.request("MKCOL", href, content=body, headers={"content-type": "application/xml"})
        assert answer.status_code == 201, answer.text

    def put(self, href: str, text: str, content_type: str) -> None:
        """Write a resource."""
        answer = self.http.put(href, content=text.encode(), headers={"content-type": content_type})
        assert answer.status_code in {200, 201, 204}, answer.text

    def delete(self, href: str) -> None:
        """Delete a resource."""
        answer = self.http.delete(href)
        assert answer.status_code in {200, 204}, answer.text


@contextmanager
def radicale(folder: Path) -> Generator[DavServer, None, None]:
    """Radicale, which knows anybody."""
    from radicale import config  # noqa: PLC0415 - its import starts logging
    from radicale.app import Application  # noqa: PLC0415

    configuration = config.load()
    configuration.update(
        {
            "auth": {"type": "none"},
            "storage": {"filesystem_folder": str(folder)},
            "logging": {"level": "critical"},
        },
        "tests",
        privileged=True,
    )
    with _served(Application(configuration)) as (url, state, http):
        server = DavServer(url, f"/{USER}/", f"/{USER}/", http)
        state.append(server)
        yield server


@contextmanager
def xandikos(folder: Path) -> Generator[DavServer, None, None]:
    """Xandikos, whose collections are git repositories."""
    from xandikos.web import SingleUserFilesystemBackend, XandikosApp  # noqa: PLC0415 - loads much
    from xandikos.wsgi_helpers import WellknownRedirector  # noqa: PLC0415

    backend: Any = SingleUserFilesystemBackend(path=str(folder))
    backend.create_principal(f"/{USER}/", create_defaults=False)
    app: Any = XandikosApp(backend, current_user_principal=f"/{USER}/")
    with _served(WellknownRedirector(app.handle_wsgi_request, "/")) as (url, state, http):
        server = DavServer(url, f"/{USER}/calendars/", f"/{USER}/contacts/", http)
        for home in (server.calendars, server.contacts):
            os.makedirs(f"{folder}{home}", exist_ok=True)  # noqa: PTH103 - a path put together as the server does
        state.append(server)
        yield server


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class calls it
        """Say nothing."""


@contextmanager
def _served(app: WsgiApp) -> Generator[tuple[str, list[DavServer], httpx2.Client], None, None]:
    state: list[DavServer] = []

    def reachable(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if state and state[0].away:
            start_response("503 Service Unavailable", [("Content-Length", "0"), ("Retry-After", "60")])
            return []
        # A connection has no end where the body ends, and xandikos reads to the end.
        environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        return app(environ, start_response)

    server = make_server("127.0.0.1", 0, reachable, _Server, _Quiet)
    thread = Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        with httpx2.Client(base_url=url, auth=(USER, "any"), timeout=HANG_SECONDS, verify=False) as http:
            yield url, state, http
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
