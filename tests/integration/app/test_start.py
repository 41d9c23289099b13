"""What a server loads before it lists its tools, and what a command does without."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from citemark.app.features import families_of

_HEAVY = (
    "numpy",
    "psycopg",
    "pgvector",
    "onnxruntime",
    "citemark.embedding.vocabulary",
    "lxml",
    "openpyxl",
    "docx",
    "icalendar",
    "py3langid",
    "rich",
    "typer",
    "citemark.evidence.scoring",
    "citemark.retrieval.question",
)
"""What we load when it is needed; httpx2 and cryptography come with the MCP SDK."""

_HOST = f"""
import json, os, sys, threading

requests = json.loads(sys.argv[1])
source, feed = os.pipe()
told, sink = os.pipe()
os.dup2(source, 0)
os.dup2(sink, 1)

def ask() -> None:
    answers = os.fdopen(told)
    for request in requests:
        os.write(feed, json.dumps(request).encode() + b"\\n")
        if "id" in request:
            answer = json.loads(answers.readline())
    loaded = [name for name in {_HEAVY!r} if name in sys.modules]
    sys.stderr.write(json.dumps([len(answer["result"]["tools"]), loaded]))
    os.close(feed)

threading.Thread(target=ask).start()
from citemark.app.main import serve
from citemark.app.opening_times import OpeningTimes
serve(OpeningTimes(quiet=3600, latest=3600))
"""
"""A host in the process of its server, which tells how many tools were listed and what had been loaded by then."""


def _request(ident: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


_EVERYTHING = {
    "groups": sorted({need for family in families_of() for need in family.needs}),
    "capabilities": ["company"],
    "sources": [{"name": "documents", "kind": "docs", "languages": ["english"], "about": "what we know"}],
}
"""What a server is told of an index for which it lists every tool."""

_FEW = 20
"""More than the tools of documents alone, and fewer than those of everything."""

_CLIENT = {"name": "host", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.requirement("server-starts-quickly")
@pytest.mark.requirement("first-answers-load-nothing")
@pytest.mark.parametrize(
    "requests",
    [
        pytest.param(
            [
                _request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=_CLIENT),
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                _request(2, "tools/list"),
            ],
            id="initialize",
        ),
        pytest.param(
            [_request(1, "server/discover", _meta=_META), _request(2, "tools/list", _meta=_META)], id="discover"
        ),
    ],
)
@pytest.mark.parametrize("held", [pytest.param({}, id="nothing held"), pytest.param(_EVERYTHING, id="all groups held")])
def test_tools_are_listed_before_anything_heavy_is_loaded(
    requests: list[dict[str, Any]], held: dict[str, Any], tmp_path: Path
) -> None:
    environment = {"HOME": str(tmp_path), "CITEMARK_DATA_DIR": str(tmp_path), "PATH": ""}
    if held:
        (tmp_path / "families.json").write_text(json.dumps(held))
        environment |= {"CITEMARK_LEGACY_TOOLS": "true", "CITEMARK_TOOLS": "all", "CITEMARK_CONNECTOR_TOOLS": "true"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", _HOST, json.dumps(requests)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    listed, loaded = json.loads(done.stderr)
    assert (listed > _FEW) == bool(held)
    assert loaded == []


@pytest.mark.requirement("language-detection-loaded-when-needed")
def test_a_command_over_the_index_loads_no_schema_of_a_tool_and_no_classifier_of_languages() -> None:
    program = (
        "import sys, citemark.app.open_index; from citemark.indexing.language_detector import LanguageDetector; "
        "LanguageDetector(); print(*{'mcp_types', 'py3langid'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
