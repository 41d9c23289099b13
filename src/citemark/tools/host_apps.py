"""Apps in hosts: what a tool found as a fragment of the pages (the MCP extension `io.modelcontextprotocol/ui`).

A host that knows the extension reads the page of an app once, and hands each result of its tool to it. The page holds
no documents; the fragment that it shows comes with each result. Other clients are sent neither.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types

from citemark.model.errors import CitemarkError
from citemark.tools.registry import HostApp, ToolCall

_EXTENSION = "io.modelcontextprotocol/ui"
_MEDIA_TYPE = "text/html;profile=mcp-app"

FRAGMENT = "citemark/fragment"
"""Where the `_meta` of a result has its fragment: hosts hand that to the app, and not to the model."""


@dataclass(frozen=True, slots=True)
class AppPages:
    """What renders apps as HTML: the page of an app by its title, and what one shows by the name of its template."""

    page: Callable[[str], str]
    fragment: Callable[[str, Mapping[str, Any]], str]


def shows_apps(client: types.ClientCapabilities | None) -> bool:
    """Whether a client said that it shows apps as HTML, the one kind that there is."""
    settings = ((client.extensions if client else None) or {}).get(_EXTENSION)
    kinds: object = None if settings is None else settings.get("mimeTypes")
    return isinstance(kinds, list) and _MEDIA_TYPE in kinds


def linked(wire: types.Tool, app: HostApp | None) -> types.Tool:
    """A tool as the list shows it to a client that shows apps: with the address of its app, if it has one."""
    return wire if app is None else wire.model_copy(update={"meta": {"ui": {"resourceUri": app.uri}}})


def page_of_app(pages: AppPages, apps: Iterable[HostApp], uri: str) -> types.TextResourceContents | None:
    """The page of an app; None if none of them has this address."""
    app = next((each for each in apps if each.uri == uri), None)
    if app is None:
        return None
    # Without addresses of its own, a host lets the page load nothing and connect to nothing.
    meta: dict[str, object] = {"ui": {"csp": {}, "prefersBorder": True}}
    return types.TextResourceContents(uri=uri, mime_type=_MEDIA_TYPE, text=pages.page(app.title), _meta=meta)


async def fragment_of(pages: AppPages, app: HostApp, call: ToolCall, out: object) -> str | None:
    """What an app shows of a result, as HTML; None if the result has nothing to show or its document is gone now."""
    try:
        shown = await app.shown(call, out)
    except CitemarkError:  # the result stands, and the app shows its text
        return None
    return None if shown is None else await anyio.to_thread.run_sync(pages.fragment, app.name, shown)
