"""What agents asked of a server is kept for its owner, and goes with its time and with its sources."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp import Client
from tests.support.groups import catalog
from tests.support.issuer import Issuer
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.app.features import observers_of
from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.features.agents.command import forget_calls, show_calls
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.model.errors import BackendUnavailable
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.seen_calls import SeenCall
from citemark.tools.server import build_server

QUESTION = "How often is the axle greased?"
ASKED = {"query": QUESTION, "also": ["greasing the axle"], "scope": {"doc_tags": ["pumps"]}}


@asynccontextmanager
async def opened(dsn: str, tmp_path: Path, **given: Any) -> AsyncGenerator[App]:
    settings = Settings(database_url=dsn, data_dir=tmp_path / "data", **given)  # pyright: ignore[reportArgumentType]
    async with open_app(settings) as app:
        yield app


@pytest.fixture
async def app(dsn: str, tmp_path: Path) -> AsyncGenerator[App]:
    async with opened(dsn, tmp_path, agent_calls=True) as app:
        await add(app, tmp_path, "manual", "# The pump\n\nGrease the axle of the pump twice a year.\n")
        yield app


async def add(app: App, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "pump.md").write_text(text, "utf-8")
    source = await app.sources.add(
        NewSource(name, "docs", {"root": str(tmp_path / name)}, labels=SourceLabels(tags=("pumps",)))
    )
    await app.sync({source.source_id: source})


async def asked_of(app: App, *calls: tuple[str, dict[str, Any]]) -> None:
    """An agent calls tools of a server over the index; when this returns, what it asked is written."""

    async def provide() -> Services:
        return app.services

    observers = observers_of(app.settings, provide)
    server = build_server(provide, app.settings, Caller.local(), catalog(), observers=observers)
    async with Client(server) as client:
        for name, arguments in calls:
            await client.call_tool(name, arguments)
    await app.services.get(KEPT_CALLS).finish()


async def twin(app: App, query: str = "") -> dict[str, Any]:
    async with browsing(pages_over(app), OWNER) as client:
        return (await client.get(f"/agents.json{query}")).json()


@pytest.mark.requirement("page-agents-asked")
async def test_the_owner_sees_what_an_agent_asked_and_opens_it_as_the_same_search(app: App) -> None:
    await asked_of(
        app,
        ("kb_search", ASKED),
        ("kb_list_sources", {}),
        ("kb_retrieve_evidence", {"question": QUESTION, "top_k": 99}),
    )
    async with browsing(pages_over(app), OWNER) as client:
        failed, found = (await client.get("/agents.json")).json()["calls"]
        assert (found["question"], found["phrasings"]) == (QUESTION, ["greasing the axle"])
        assert (found["tool"], found["outcome"], found["withheld"]) == ("kb.search", "ok", 0)
        assert found["hits"] >= 1
        assert found["bytes"] > 100
        assert found["seconds"] > 0
        assert {place["document_id"].partition("#")[0] for place in found["cited"]} == {"pump.md"}
        assert (failed["outcome"], failed["hits"], failed["cited"]) == ("INVALID_ARGUMENT", 0, [])
        assert any("top_k" in note for note in failed["notes"])
        for address in (found["now"], found["then"]):
            again = (await client.get(address.replace("/search?", "/search.json?"))).json()
            assert (again["q"], again["also"], again["tag"]) == (QUESTION, "greasing the axle", "pumps")
            assert [hit["citation"]["document_id"] for hit in again["hits"]][:1] == [found["cited"][0]["document_id"]]
        assert parse_qs(urlsplit(str(found["then"])).query)["as_of"] == [again["as_of"]]
        html = (await client.get("/agents")).text
        assert "greasing the axle" in html
        assert (await client.get(found["cited"][0]["open"])).status_code == 200


@pytest.mark.requirement("page-agents-asked")
async def test_nothing_is_kept_until_it_is_switched_on_and_the_page_says_how(dsn: str, tmp_path: Path) -> None:
    async with opened(dsn, tmp_path) as app:
        assert observers_of(app.settings, lambda: None) == ()  # type: ignore[arg-type, return-value]
        await asked_of(app, ("kb_search", ASKED))
        listed = await twin(app)
        assert (listed["on"], listed["calls"]) == (False, [])
        assert "set agent_calls to true" in listed["empty"]


@pytest.mark.requirement("page-agents-asked")
async def test_a_call_goes_with_each_source_that_it_cites_and_no_other(app: App, tmp_path: Path) -> None:
    await add(app, tmp_path, "garden", "# Roses\n\nRoses are watered in the evening.\n")
    await asked_of(
        app,
        ("kb_search", {"query": QUESTION}),
        ("kb_search", {"query": "When are roses watered?"}),
        ("kb_search", {"query": "Xylophone zzqq?"}),
    )
    assert [call["question"] for call in (await twin(app))["calls"]] == [
        "Xylophone zzqq?",
        "When are roses watered?",
        QUESTION,
    ]
    await app.sources.remove(await app.sources.named("garden"))
    assert [call["question"] for call in (await twin(app))["calls"]] == ["Xylophone zzqq?", QUESTION]


@pytest.mark.requirement("page-agents-asked")
async def test_an_answer_that_names_no_source_goes_with_the_first_and_one_of_a_removed_source_is_not_kept(
    app: App,
) -> None:
    service = app.services.get(KEPT_CALLS)
    await asked_of(app, ("kb_search", {"query": QUESTION}))
    (cited,) = await service.latest(10)
    service.note(replace(cited.call, question="of whom?", cited=()))
    await service.finish()
    assert len(await service.latest(10)) == 2
    await app.sources.remove(await app.sources.named("manual"))
    assert await service.latest(10) == []
    service.note(cited.call)  # its answer was on its way while the source was removed
    service.note(replace(cited.call, cited=()))
    await service.finish()
    assert await service.latest(10) == []


@pytest.mark.requirement("page-agents-asked")
async def test_a_call_is_kept_for_as_many_days_as_the_settings_say(app: App) -> None:
    await asked_of(app, ("kb_search", {"query": QUESTION}))
    asked = app.clock()
    app.clock = lambda: asked + timedelta(days=6, hours=23)
    await app.sync({})
    assert len((await twin(app))["calls"]) == 1
    app.clock = lambda: asked + timedelta(days=7, hours=1)
    assert (await twin(app))["calls"] == []
    await app.sync({})
    assert await app.services.get(KEPT_CALLS).forget_all() == 0


@pytest.mark.requirement("page-agents-asked")
async def test_the_command_lists_and_forgets_the_same_calls(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    as_json, as_text = CommandContext(open_app, json=True, quiet=True), CommandContext(open_app, quiet=True)
    assert await show_calls(as_text, app, 20) == 3
    assert "No agent asked anything in the last 7 days." in capsys.readouterr().out
    await asked_of(app, ("kb_search", {**ASKED, "query": "Xylophone zzqq?"}), ("kb_search", ASKED), ("kb_search", {}))
    assert await show_calls(as_json, app, 1) == 0
    assert json.loads(capsys.readouterr().out)["calls"] == (await twin(app))["calls"][:1]
    assert await show_calls(as_text, app, 20) == 0
    told = capsys.readouterr().out
    for words in (QUESTION, "also: greasing the axle", "doc_tags: pumps", "1 hit, ", "manual: pump.md"):
        assert words in told
    assert await forget_calls(as_text, app) == 0
    assert "Deleted what was kept of 2 calls." in capsys.readouterr().out
    assert (await twin(app))["calls"] == []


@pytest.mark.requirement("page-agents-asked")
async def test_earlier_calls_are_on_further_pages_and_only_the_owner_sees_or_deletes_any(app: App) -> None:
    service = app.services.get(KEPT_CALLS)
    await asked_of(app, ("kb_search", {"query": QUESTION}))
    (one,) = await service.latest(1)
    for number in range(50):
        service.note(replace(one.call, question=f"{QUESTION} {number:02}"))
        await service.finish()
    first = await twin(app)
    assert first["calls"][0]["question"] == f"{QUESTION} 49"
    assert len(first["calls"]) == 50
    second = await twin(app, first["more"].removeprefix("/agents"))
    assert ([call["question"] for call in second["calls"]], second["more"]) == ([QUESTION], "")
    issuer = Issuer()
    async with browsing(pages_over(app, issuer.reader()), issuer.token("alice", "semantic:read")) as client:
        assert (await client.get("/agents.json")).json() == {"owner": False}
        html = (await client.get("/search")).text
        assert "/agents" not in html
    async with browsing(pages_over(app), OWNER) as client:
        html = (await client.get("/agents")).text
        secret = html.partition('name="csrf" value="')[2].partition('"')[0]
        assert (await client.post("/forget_calls", data={"csrf": secret})).headers["location"] == "/agents"
    assert await service.latest(1) == []


async def test_calls_while_no_index_opens_and_while_the_database_is_gone_are_lost_alone(app: App) -> None:
    async def unavailable() -> Services:
        raise BackendUnavailable("It does not open.")

    seen = SeenCall("me", "kb.search", "ok", 1, 0.1, arguments={"query": QUESTION})
    for observe in observers_of(app.settings, unavailable):
        observe(seen)
    await asked_of(app, ("kb_search", {"query": QUESTION}))
    service = app.services.get(KEPT_CALLS)
    (one,) = await service.latest(10)
    for _ in range(99):  # more than wait to be written at a time
        service.note(one.call)
    await service.finish()
    assert len(await service.latest(1000)) == 65
