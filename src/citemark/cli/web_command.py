"""`citemark web`: a link to the pages for a browser, of the server that runs already or of a new one."""

import sys
import webbrowser

import httpx2

from citemark.cli.command_context import FAILED, WRONG_USE, Launcher
from citemark.folders import data_dir
from citemark.http_token import http_token
from citemark.model.errors import ConfigurationError
from citemark.settings import load_settings

_SECONDS = 5.0
_ADDRESS = "127.0.0.1"


def web_command(entry: Launcher, port: int, *, browser: bool) -> int:
    """Print a link that signs a browser in, and open it; serve until a signal unless a server runs already."""

    def show(link: str) -> None:
        sys.stdout.write(f"Open {link} (once, within a minute)\n")
        sys.stdout.flush()
        if browser:
            webbrowser.open(link)

    try:
        link = link_of_running(port) if port else None
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return WRONG_USE
    except _Refused:
        sys.stderr.write(
            f"citemark: A server of another index, or of another version, runs on port {port}; end it, or choose "
            "another port with --port.\n"
        )
        return FAILED
    if link is None:
        return entry.serve_http(_ADDRESS, port, opened=show)
    show(link)
    return 0


class _Refused(Exception):
    """What listens on the port gives no link to the owner of this index."""


def link_of_running(port: int) -> str | None:
    """A link to the pages of the server of this index that listens on a port; None if nothing listens there.

    Raises:
        ConfigurationError: the token of the index cannot be read.
        _Refused: something else listens there.
    """
    token = http_token(data_dir(load_settings().data_dir))
    headers = {"authorization": f"Bearer {token}"}
    try:
        answer = httpx2.post(f"http://{_ADDRESS}:{port}/link", headers=headers, timeout=_SECONDS, trust_env=False)
    except httpx2.ConnectError:
        return None
    except httpx2.HTTPError:
        raise _Refused from None
    if not answer.is_success or not answer.text.startswith(f"http://{_ADDRESS}:{port}/enter/"):
        raise _Refused
    return answer.text
