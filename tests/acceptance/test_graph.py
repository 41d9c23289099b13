"""The graph over real files: a folder of documents and the Archisurance model, by command line and by a real client."""

import json
import shutil
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.test_architecture import client_of, environment_of
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

GUIDE = """# Guide

See the [claims page](claims.md) and https://example.org/help.

## Setup

Set `CLAIM_QUEUE` first.
"""
CLAIMS = "# Claims\n\nThe Claim Registration Service takes claims.\n"


@pytest.fixture(scope="module")
def folder(commands: Commands, shared_data: Path) -> Generator[Path, None, None]:
    place = reachable_folder()
    docs = place / "docs"
    docs.mkdir()
    (docs / "guide.md").write_text(GUIDE, encoding="utf-8")
    (docs / "claims.md").write_text(CLAIMS, encoding="utf-8")
    run = partial(commands.run, env=environment_of(place / "data"), timeout=HANG_SECONDS)
    model = str(shared_data / "archimate" / "Archisurance.archimate")
    for command in (("add", "archimate", model, "--quiet"), ("add", "docs", str(docs), "--quiet")):
        done = run(*command)
        assert done.returncode == 0, done.stderr
    yield place / "data"
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.requirement("graph-command-asks-the-same")
def test_the_command_line_shows_neighbours_paths_and_counts_of_real_files(commands: Commands, folder: Path) -> None:
    run = partial(commands.run, env=environment_of(folder), timeout=HANG_SECONDS)

    def asked(*words: str) -> dict[str, Any]:
        done = run("graph", *words, "--json")
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    counts = asked("describe")
    assert counts["nodes"]["page"] == 2
    assert counts["nodes"]["element"] > 100
    assert counts["edges"]["links_to"] >= 1
    assert counts["edges"]["Serving"] > 10
    around = asked("expand", "docs:page:guide.md", "--hops", "3")
    found = {(edge["from_id"], edge["type"], edge["to_id"]) for edge in around["edges"]}
    assert ("docs:section:guide.md#guide/setup", "uses_code", ":code:CLAIM_QUEUE") in found
    assert any(edge[1:] == ("links_to", "docs:page:claims.md") for edge in found)
    assert any(edge[1:] == ("references", ":url:https://example.org/help") for edge in found)
    said = run("graph", "expand", "docs:page:guide.md").stdout
    assert "--contains-->" in said
    assert "[docs: guide.md" in said
    inside = asked("children", "docs:page:guide.md", "--hops", "3")
    assert "docs:section:guide.md#guide/setup" in {node["node_id"] for node in inside["nodes"]}
    spoken = asked("entities", "docs:page:guide.md", "--kind", "code")
    assert [node["node_id"] for node in spoken["nodes"] if node["kind"] == "code"] == [":code:CLAIM_QUEUE"]
    alone = run("graph", "expand", "docs:page:guide.md", "--type", "Serving")
    assert alone.returncode == 3
    assert "Nothing is related to these nodes in this way. Ask in both directions and without" in alone.stdout
    apart = run("graph", "paths", "docs:page:guide.md", "docs:page:claims.md", "--type", "Serving", "--json")
    assert apart.returncode == 3
    assert json.loads(apart.stdout)["empty_reason"] == "nothing_answers"
    refused = run("graph", "expand", "docs:page:guid.md")
    assert refused.returncode == 2
    assert "docs:page:guide.md" in refused.stderr


@pytest.mark.requirement("graph-command-asks-the-same")
async def test_a_client_walks_from_a_hit_to_what_the_model_says_of_it(folder: Path) -> None:
    async with client_of(folder) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert len([name for name in names if name.startswith("graph_")]) == 8
        element = await client.call_tool("architecture_getElement", {"element": "Claim Registration Service"})
        native_id = element.structured_content["element"]["element_id"]
        node_id = f"Archisurance:element:{native_id}"
        around = await client.call_tool("graph_expand", {"node_ids": [node_id], "rel_types": ["Realization"]})
        stated = {link["type"] for link in element.structured_content["relationships"]}
        assert ("Realization" in stated) == bool(around.structured_content["edges"])
        whole = await client.call_tool("graph_parents", {"node_ids": ["docs:section:guide.md#guide/setup"]})
        assert "docs:section:guide.md#guide" in {node["node_id"] for node in whole.structured_content["nodes"]}
