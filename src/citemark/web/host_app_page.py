"""The page of an app in a host: one file with its style and script inside, which a policy of its own names by hash.

A host shows it in a frame without an address, so it cannot load anything; the fragments that it shows are rendered by
the templates of the pages.
"""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from citemark import __version__
from citemark.web.rendering import Renderer, asset

_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'"


@cache
def host_app_page(title: str) -> str:
    """The page of an app, which waits for results."""
    style, script = _own("page.css"), _own("host_app.js")
    policy = f"{_NOTHING}; script-src {_named(script)}; style-src {_named(style)}"
    values = {"title": title, "version": __version__, "policy": policy, "style": style, "script": script}
    return _renderer().text("apps/frame.html", values)


def host_app_fragment(name: str, shown: Mapping[str, Any]) -> str:
    """What the app of a name shows of a result."""
    return _renderer().text(f"apps/{name}.html", shown)


@cache
def _renderer() -> Renderer:
    return Renderer()


def _own(name: str) -> Markup:
    """A file of ours as it stands; a test holds that none has what would end its element."""
    return Markup((asset(name) or b"").decode())  # noqa: S704 - our own file


def _named(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
