"""A real model through the installed command: added while a server runs, asked over MCP."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, index
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

from citemark.evidence.budget import count_tokens

Run = Callable[..., "subprocess.CompletedProcess[str]"]

OPERATIONS = (
    "semanticSearch",
    "getContext",
    "getElement",
    "listRelationships",
    "searchElements",
    "listElements",
    "getView",
)
TOP = 5


@pytest.fixture(scope="module")
def folder() -> Generator[Path, None, None]:
    """A data folder to which the first test adds a model."""
    place = reachable_folder()
    yield place / "data"
    shutil.rmtree(place, ignore_errors=True)


def environment_of(folder: Path) -> dict[str, str]:
    """Servers leave the indexing to `add`, so that all of it is done when that ends."""
    return {**index(folder).environment, "CITEMARK_INDEX_IN_SERVER": "false"}


@pytest.fixture(scope="module")
def citemark(commands: Commands, folder: Path) -> Run:
    return partial(commands.run, env=environment_of(folder), timeout=HANG_SECONDS)


@asynccontextmanager
async def client_of(folder: Path, **hooks: Any) -> AsyncGenerator[Client]:
    server = StdioServerParameters(command=CITEMARK, args=["serve"], env=environment_of(folder), cwd=str(ROOT))
    async with Client(stdio_client(server), **hooks) as client:
        yield client


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(f"architecture_{name}", arguments)
    assert not result.is_error, result
    return result.structured_content


async def names_of(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.fixture(scope="module")
def model(citemark: Run, folder: Path, shared_data: Path) -> Path:
    """The folder with Archisurance in it; the first test adds it under a running server."""
    if not (folder / "families.json").exists():
        done = citemark("add", "archimate", str(shared_data / "archimate" / "Archisurance.archimate"), "--quiet")
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.requirement("tools-families-work", "tools-no-database-wait", "architecture-tools-are-listed")
async def test_a_model_that_is_added_while_a_server_runs_brings_its_tools_and_a_notice(
    citemark: Run, folder: Path, shared_data: Path
) -> None:
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            told.set()

    file = str(shared_data / "archimate" / "Archisurance.archimate")
    async with client_of(folder, mode="legacy", message_handler=hear) as client:
        assert not [name for name in await names_of(client) if name.startswith("architecture_")]
        done = await asyncio.to_thread(citemark, "add", "archimate", file, "--quiet")
        assert done.returncode == 0, done.stderr
        await asyncio.wait_for(told.wait(), HANG_SECONDS)
        assert [name for name in await names_of(client) if name.startswith("architecture_")] == [
            f"architecture_{name}" for name in OPERATIONS
        ]


@pytest.mark.requirement(
    "tools-no-database-wait", "architecture-tools-are-listed", "element-search-and-context-are-offered"
)
async def test_a_server_knows_a_models_tools_at_once_and_answers_by_each(model: Path) -> None:
    async with client_of(model) as client:
        assert set(await names_of(client)) >= {f"architecture_{name}" for name in OPERATIONS}
        hit = (await call(client, "semanticSearch", query="CRM System"))["results"][0]
        assert (hit["element_name"], hit["citation"]["document_id"]) == ("CRM System", "1393")
        packed = await call(client, "getContext", query="How does a customer hand in a claim?", max_tokens=800)
        assert 0 < count_tokens(packed["context"]) <= 800
        assert all(source["citation"]["source"] == "Archisurance" for source in packed["sources"])
        element = await call(client, "getElement", element="CRM System")
        assert {link["target"]["element_name"] for link in element["relationships"]} >= {"Web portal", "CIS"}
        links = await call(client, "listRelationships", element="CRM System", direction="outgoing", type="Serving")
        assert [link["target"]["element_name"] for link in links["relationships"]] == ["Web portal"]
        found = await call(client, "searchElements", query="claim info")
        assert found["results"][0]["element_name"] == "Claim InfoServ"
        nodes = await call(client, "listElements", filters={"layer": "technology", "element_type": "Node"})
        assert "Mainframe" in {part["element_name"] for part in nodes["elements"]}
        view = await call(client, "getView", view="Layered View")
        assert "Handle Claim" in {part["element_name"] for part in view["elements"]}


@pytest.mark.requirement("golden-questions-on-archisurance")
async def test_golden_questions_are_answered_in_the_first_five(model: Path, golden_questions: Path) -> None:
    """`match: all`: every element that is expected is found or named by the chunks; `any`: one is enough."""
    questions = yaml.safe_load((golden_questions / "archisurance-dev.yaml").read_text(encoding="utf-8"))
    held: list[tuple[str, bool]] = []
    async with client_of(model) as client:
        for question in questions:
            if not question["expect"]:
                continue
            hits = (await call(client, "semanticSearch", query=question["question"], top_k=TOP))["results"]
            said = " ".join(" ".join(hit["context"] for hit in hits).split())
            ids = {hit["element_id"] for hit in hits}
            right = [
                element["element_id"] in ids or " ".join(element["name"].split()) in said
                for element in question["expect"]
            ]
            held.append((question["kind"], all(right) if question["match"] == "all" else any(right)))
    relationships = [right for kind, right in held if kind == "relationship"]
    assert sum(right for _, right in held) >= 0.9 * len(held)
    assert sum(relationships) >= 0.8 * len(relationships)


@pytest.mark.requirement("view-command-draws-a-view", "archimate-commands-work")
@pytest.mark.usefixtures("model")
def test_a_view_is_drawn_to_standard_output_or_a_file(citemark: Run, tmp_path: Path) -> None:
    target = tmp_path / "layered.svg"
    printed = citemark("view", "Layered View", "--svg")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith("<svg ")
    assert citemark("view", "Layered View", "--svg", str(target)).returncode == 0
    assert target.read_text(encoding="utf-8") == printed.stdout
    bare = citemark("view", "Layered", "View")
    assert (bare.returncode, bare.stdout) == (2, "")
    assert "quotation marks" in " ".join(bare.stderr.replace("│", " ").split())
