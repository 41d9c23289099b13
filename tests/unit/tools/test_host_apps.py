"""What a client that shows apps is sent besides, and that no other client is sent any of it."""

from typing import Any

import pytest
from mcp import MCPError
from mcp.client.extension import advertise
from mcp_types import TextResourceContents
from tests.unit.tools.clients import Mode, connected
from tests.unit.tools.double import DoubleServices

from citemark.evidence.budget import RESULT_BYTES, json_bytes
from citemark.tools.host_apps import FRAGMENT

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
SHOWS = (advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]}),)
OTHERS = (
    (),
    (advertise("io.modelcontextprotocol/ui", {}),),
    (advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/uri-list"]}),),
    (advertise("com.example/ui", {"mimeTypes": ["text/html;profile=mcp-app"]}),),
)
QUOTES = "ui://citemark/quotes"


@pytest.mark.requirement("page-in-hosts")
@BOTH
async def test_a_client_that_shows_apps_gets_their_addresses_pages_and_fragments(mode: Mode) -> None:
    async with connected(mode=mode, extensions=SHOWS) as client:
        apps = {tool.name: (tool.meta or {}).get("ui") for tool in (await client.list_tools()).tools}
        assert apps["kb_retrieve_evidence"] == {"resourceUri": QUOTES}
        assert apps["kb_read_excerpt"] == {"resourceUri": "ui://citemark/document"}
        assert apps["kb_search"] is None
        [page] = (await client.read_resource(QUOTES)).contents
        assert isinstance(page, TextResourceContents)
        assert page.mime_type == "text/html;profile=mcp-app"
        assert page.meta == {"ui": {"csp": {}, "prefersBorder": True}}
        found = await client.call_tool("kb_retrieve_evidence", {"question": "Which port?"})
        assert "port 8080" in (found.meta or {})[FRAGMENT]


@pytest.mark.requirement("page-in-hosts")
@pytest.mark.parametrize("extensions", OTHERS)
@BOTH
async def test_any_other_client_is_sent_nothing_of_apps(mode: Mode, extensions: Any) -> None:
    async with connected(mode=mode, extensions=extensions) as client:
        assert not any((tool.meta or {}).get("ui") for tool in (await client.list_tools()).tools)
        found = await client.call_tool("kb_retrieve_evidence", {"question": "Which port?"})
        assert FRAGMENT not in (found.meta or {})
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource(QUOTES)


async def test_an_address_of_no_app_is_not_found() -> None:
    async with connected(extensions=SHOWS) as client:
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource("ui://citemark/none")


async def test_a_fragment_that_does_not_fit_beside_its_result_is_left_out() -> None:
    marks = '"' * 460  # each takes five bytes in HTML
    services = DoubleServices(texts=[f"The port of number {number} is {marks}." for number in range(12)])
    async with connected(services, extensions=SHOWS) as client:
        asked = {"question": "Which port?", "top_k": 12, "max_bytes": 8000}
        found = await client.call_tool("kb_retrieve_evidence", asked)
        assert len(found.structured_content["quotes"]) == 12
        assert json_bytes(found.model_dump(mode="json", by_alias=True, exclude_none=True)) <= RESULT_BYTES
        assert FRAGMENT not in (found.meta or {})


async def test_words_of_documents_are_text_in_a_fragment() -> None:
    services = DoubleServices(texts=["The port <script>alert(1)</script> is \u202e8080."], title="<b>Ports</b>")
    async with connected(services, extensions=SHOWS) as client:
        fragment = ((await client.call_tool("kb_retrieve_evidence", {"question": "Which port?"})).meta or {})[FRAGMENT]
        assert "&lt;script&gt;alert(1)&lt;/script&gt; is &lt;U+202E&gt;8080" in fragment
