"""The resources a client can read: passages found in this session, the page that explains the tools, and schemas."""

import re
from functools import cache
from importlib.resources import files

import mcp_types as types
from mcp.shared.exceptions import MCPError

from citemark.evidence.budget import bytes_len
from citemark.model.citation import iso
from citemark.model.errors import UnknownPassage
from citemark.model.ids import PASSAGE_ID
from citemark.model.scope import Principal
from citemark.results.full_schema import full_schema
from citemark.results.written import minified
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.text.hidden import revealed
from citemark.tools.registry import Registry, Spelling, respell

PLAYBOOK_URI = "citemark://playbook"

_SCRATCH_TEMPLATE = "citemark://scratch/{session_id}/{passage_id}"
_SCRATCH = re.compile(rf"citemark://scratch/(s_[A-Za-z0-9_-]{{24}})/({PASSAGE_ID})", re.ASCII)
_SCHEMAS = "citemark://schemas/"
_SCHEMA_TEMPLATE = f"{_SCHEMAS}{{tool}}"
_SCHEMA_TYPE = "application/schema+json"
_OF_MODELS = "architecture.semanticSearch"
_TOOL = re.compile(r"\*\*([a-z]+[._]\w+)\*\*")
"""How tool names are written in the playbook."""

_PRIORITY = 0.1
"""Passages are large: hosts should not add them to a context on their own."""


def playbook(names: tuple[str, ...], spelling: Spelling) -> types.Resource:
    """The playbook's entry in the list of resources."""
    return types.Resource(
        uri=PLAYBOOK_URI,
        name="playbook",
        title="How to use Citemark's tools",
        description="One page for a model: which tool to call when, and how to cite.",
        mime_type="text/markdown",
        size=bytes_len(playbook_text(names, spelling)),
        annotations=types.Annotations(audience=["assistant"], priority=0.5),
    )


def playbook_text(names: tuple[str, ...], spelling: Spelling) -> str:
    """The playbook with tool names as the client knows them, and a section about models if there are tools for them.

    Lines about tools that this server does not have are left out.
    """
    text = _page("playbook") + (_page("playbook_models") if _OF_MODELS in names else "")
    lines = [line for line in text.splitlines(keepends=True) if set(_TOOL.findall(line)) <= set(names)]
    return respell("".join(lines), names, spelling)


@cache
def _page(name: str) -> str:
    return files("citemark.tools").joinpath(f"{name}.md").read_text(encoding="utf-8")


def scratch_template() -> types.ResourceTemplate:
    """The URI template of passages; their size and age are given in the links to them."""
    return types.ResourceTemplate(
        uri_template=_SCRATCH_TEMPLATE,
        name="scratch",
        title="A passage found in this session",
        description="The whole text of a passage, for 30 minutes after it was found; nobody else can read it.",
        mime_type="text/plain",
        annotations=types.Annotations(audience=["assistant"], priority=_PRIORITY),
    )


def schema_template() -> types.ResourceTemplate:
    """The URI template of the full schemas of results, of which the list of tools has only the top-level fields."""
    return types.ResourceTemplate(
        uri_template=_SCHEMA_TEMPLATE,
        name="schemas",
        title="The full schema of a tool's result",
        description="JSON Schema of all fields of the structured content of a tool, or of the error in its place.",
        mime_type=_SCHEMA_TYPE,
        annotations=types.Annotations(audience=["assistant"], priority=_PRIORITY),
    )


def schema_text(registry: Registry, principal: Principal, uri: str) -> types.TextResourceContents | None:
    """The full schema of a tool's result; None if the address is not that of a schema.

    Raises:
        MCPError: "Resource not found", if the principal has no tool of that name.
    """
    if not uri.startswith(_SCHEMAS):
        return None
    tool = registry.find(uri.removeprefix(_SCHEMAS), principal)
    if tool is None:
        raise _not_found(uri)
    text = minified({"$id": uri, **full_schema(tool.gives)})
    return types.TextResourceContents(uri=uri, mime_type=_SCHEMA_TYPE, text=text)


async def scratch_text(services: Services, caller: Caller, uri: str) -> types.TextResourceContents:
    """A passage of this session.

    Raises:
        MCPError: "Resource not found". The error is the same for an address that belongs to another session, has
            expired, is unknown or is malformed.
    """
    match = _SCRATCH.fullmatch(uri)
    if match is None or match[1] != caller.session_id:
        raise _not_found(uri)
    try:
        found = await services.passages.text(caller, match[1], match[2])
    except UnknownPassage:
        raise _not_found(uri) from None
    meta: dict[str, object] = {"size": found.size_bytes}
    if found.last_modified is not None:
        meta["lastModified"] = iso(found.last_modified)
    return types.TextResourceContents(uri=uri, mime_type="text/plain", text=revealed(found.text), _meta=meta)


def _not_found(uri: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri[:256]})
