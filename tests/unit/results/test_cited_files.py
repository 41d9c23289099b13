"""Paths and links of files go to the person at this machine, beside citations, and to nobody else."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.web import MODERN, request_of, web_server
from tests.unit.tools.clients import connected, text_of
from tests.unit.tools.double import DoubleServices

from citemark.evidence.budget import RESULT_BYTES
from citemark.model.ids import SourceId
from citemark.model.scope import READ, Principal
from citemark.model.sources import Source
from citemark.services.requests import Caller

SEARCH: dict[str, Any] = {"query": "port"}
GUEST = Caller.of(Principal("local", "guest", frozenset({READ})))


def handbook(root: Path, texts: Sequence[str] | None = None) -> DoubleServices:
    """A services whose first passage stands in a file of this machine."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "guide-0.md").touch()
    services = DoubleServices() if texts is None else DoubleServices(texts)
    services.sources = (Source(SourceId(1), "local", "handbook", "docs", {"root": str(root)}),)
    return services


@pytest.mark.requirement("local-callers-get-file-links")
async def test_the_owner_gets_path_and_link_with_a_citation_in_both_channels(tmp_path: Path) -> None:
    root = tmp_path / "my docs"
    path = root / "guide-0.md"
    file = {"path": str(path), "link": path.as_uri()}
    async with connected(handbook(root)) as client:
        found = await client.call_tool("kb_search", SEARCH)
        first, second, *_ = found.structured_content["results"]
        read = await client.call_tool("kb_read_excerpt", {"passage_id": first["passage_id"]})
        quoted = await client.call_tool("kb_verify_quote", {"citation": first["citation"], "quote": "port 8080"})
    assert first["file"] == file
    assert "file" not in second, "the file of the second one is not here"
    assert str(root) not in json.dumps([first["citation"], second])
    assert (read.structured_content["file"], quoted.structured_content["file"]) == (file, file)
    for result in (found, read, quoted):
        assert text_of(result).count(f"handbook: guide-0.md: {path} ({path.as_uri()})") == 1
    assert found.structured_content["usage"]["bytes_returned"] > len(text_of(found).encode())


@pytest.mark.requirement("local-callers-get-file-links")
async def test_the_text_names_the_folder_once_where_several_files_of_it_are_cited(tmp_path: Path) -> None:
    root = tmp_path / "my docs"
    services = handbook(root, ["port 1", "port 2"])
    (root / "guide-1.md").touch()
    async with connected(services) as client:
        found = await client.call_tool("kb_search", SEARCH)
    files = [hit["file"]["path"] for hit in found.structured_content["results"]]
    assert files == [str(root / "guide-0.md"), str(root / "guide-1.md")]
    assert f"On this machine: handbook: below {root}/\n" in f"{text_of(found)}\n"
    assert text_of(found).count("guide-1.md") == 1, "beside its citation alone"


@pytest.mark.requirement("local-callers-get-file-links")
async def test_file_paths_are_shown_to_no_one_else(tmp_path: Path) -> None:
    async with connected(handbook(tmp_path / "here-4711"), caller=GUEST) as client:
        found = await client.call_tool("kb_search", SEARCH)
    assert found.structured_content["results"]
    assert "here-4711" not in json.dumps(found.structured_content) + text_of(found)


@pytest.mark.requirement("local-callers-get-file-links")
@pytest.mark.parametrize("subject", ["owner", "guest"])
async def test_paths_are_shown_only_to_the_owner_over_http_too(tmp_path: Path, subject: str) -> None:
    principal = Principal("local", subject, frozenset({READ}))
    body, headers = request_of("tools/call", MODERN, name="kb_search", arguments=SEARCH)
    async with web_server(handbook(tmp_path / "here-4711"), principal=principal) as base, httpx2.AsyncClient() as http:
        answer = await http.post(f"{base}/mcp", content=body, headers=headers)
    assert answer.status_code == 200
    assert ("here-4711" in answer.text) == (subject == "owner")


@pytest.mark.requirement("local-callers-get-file-links")
async def test_without_structured_results_the_text_holds_path_and_link(tmp_path: Path) -> None:
    async with connected(handbook(tmp_path), structured_output_enabled=False) as client:
        found = json.loads(text_of(await client.call_tool("kb_search", SEARCH)))
    assert found["results"][0]["file"]["path"] == str(tmp_path / "guide-0.md")


@pytest.mark.requirement("tools-result-48k")
async def test_results_are_not_cut_for_the_places_of_their_files(tmp_path: Path) -> None:
    texts = ["word " * 60] * 20
    services = handbook(tmp_path.joinpath(*["x" * 200] * 15), texts)
    for number in range(20):
        (Path(str(services.sources[0].config["root"])) / f"guide-{number}.md").touch()
    async with connected(services) as client:
        found = await client.call_tool("kb_search", {**SEARCH, "top_k": 20, "page_size": 20})
    assert len(found.structured_content["results"]) == 20
    assert "file" not in found.structured_content["results"][0]
    assert found.structured_content["usage"]["bytes_returned"] <= RESULT_BYTES
