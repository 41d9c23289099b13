import json
from typing import Any

import pytest
from mcp.shared.inbound import decode_header_value
from tests.support.web import MODERN

from citemark.tools.bridge.line import VERSION_KEY, header_value, line_of


def message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@pytest.mark.requirement("one-server-by-a-bridge")
def test_the_headers_repeat_what_the_newer_protocol_wants_repeated() -> None:
    meta = {VERSION_KEY: MODERN}
    call = line_of(message("tools/call", name="kb_search", _meta=meta))
    assert call.headers == {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "kb_search"}
    read = line_of(message("resources/read", uri="citemark://ä", _meta=meta))
    assert decode_header_value(read.headers["Mcp-Name"]) == "citemark://ä"
    assert line_of(message("tools/call", name="kb_search")).headers == {}


def test_a_header_holds_any_text_as_the_sdk_reads_it() -> None:
    for text in ("plain name", " edges ", "two\r\nlines", "ünï", "=?base64?eA==?=", "", "tab\t"):
        written = header_value(text)
        assert written.isascii()
        assert written.isprintable()
        assert decode_header_value(written) == text
    assert header_value("plain name") == "plain name"
    assert decode_header_value(header_value("half \ud800")) == "half ?"


def test_the_id_of_a_request_is_a_text_or_a_whole_number() -> None:
    for ident in (0, 7, "x", ""):
        assert line_of(json.dumps({"id": ident, "method": "ping"}).encode()).ident == ident
    for other in (None, True, 1.5, [1]):
        assert line_of(json.dumps({"id": other, "method": "ping"}).encode()).ident is None
    note = {"method": "notifications/cancelled", "params": {"requestId": 4}}
    assert line_of(json.dumps(note).encode()).cancelled == 4


def test_a_line_that_is_no_message_has_no_parts() -> None:
    deep = b"[" * 100_000
    for data in (b"nonsense", b"[]", b"\xff", b"3", deep, b'{"method": 3, "params": [1]}', b'{"params": {"_meta": 1}}'):
        line = line_of(data)
        assert (line.data, line.method, line.ident, line.headers) == (data, None, None, {})
