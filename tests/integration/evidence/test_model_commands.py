"""`citemark element` and `citemark view`: what a model states, on the command line."""

import json
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from tests.integration.retrieval.world import World
from tests.support.models import model_source, text_of

from citemark.app.open_index import open_app
from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.features.archimate.commands.model_commands import (
    ElementRequested,
    ViewRequested,
    element_command,
    view_command,
)
from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.ids import SessionId
from citemark.model.scope import READ, Principal
from citemark.services.app_context import AppContext
from citemark.services.history_keys import BASELINES
from citemark.services.requests import Caller

TEXT = CommandContext(open_app)
JSON = CommandContext(open_app, json=True)


def at(world: World) -> AppContext:
    """All that these commands use of an index is its desk."""
    return cast("AppContext", world)


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.requirement("archimate-commands-work")
async def test_an_element_is_printed_with_its_relationships_and_views(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await model_source(world, embedded=False)
    assert await element_command(TEXT, at(world), ElementRequested("crm system", None)) == 0
    text = capsys.readouterr().out
    for said in (
        "CRM System is a ApplicationComponent",
        "--Serving--> Web portal",
        '"customer data"',
        "<--Serving-- Mainframe",
    ):
        assert said in text
    assert "Portal view" in text
    assert "insurance: e2" in text
    assert await element_command(JSON, at(world), ElementRequested("e2", None)) == 0
    data = printed(capsys)
    assert (data["element"]["element_name"], data["text"]) == ("CRM System", text_of("e2"))
    assert {link["relationship_id"] for link in data["relationships"]} == {"r1", "r3", "r4"}
    assert data["element"]["citation"]["document_id"] == "e2"
    with pytest.raises(InvalidArgument, match=r"near it are 'Web portal' \(e1\)"):
        await element_command(TEXT, at(world), ElementRequested("portal", None))
    with pytest.raises(InvalidArgument, match="no element"):
        await element_command(TEXT, at(world), ElementRequested("e2", "another model"))


@pytest.mark.requirement("view-command-draws-a-view")
async def test_a_view_is_listed_described_and_drawn(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await view_command(TEXT, at(world), ViewRequested(None, None, None)) == NOTHING_FOUND
    assert "There is no architecture model. `citemark add archimate FILE`" in capsys.readouterr().out
    source = await model_source(world, embedded=False)
    assert await view_command(JSON, at(world), ViewRequested(None, None, None)) == 0
    assert [view["view_name"] for view in printed(capsys)["views"]] == ["Portal view"]
    assert await view_command(TEXT, at(world), ViewRequested("portal VIEW", None, None)) == 0
    text = capsys.readouterr().out
    assert "Mainframe (Node)" in text
    assert "Mainframe (Node) --Serving--> CRM System" in text
    target = tmp_path / "view.svg"
    assert await view_command(TEXT, at(world), ViewRequested("v1", target, "insurance")) == 0
    assert str(target) in capsys.readouterr().out
    drawn = " ".join(ET.fromstring(target.read_text(encoding="utf-8")).itertext())  # noqa: S314 - our own
    for name in ("Portal view", "Front office", "Web portal", "CRM System", "Mainframe", "Application Component"):
        assert name in drawn
    await view_command(TEXT, at(world), ViewRequested("v1", Path("-"), None))
    assert capsys.readouterr().out == target.read_text(encoding="utf-8")
    with pytest.raises(InvalidArgument, match="cannot be written"):
        await view_command(TEXT, at(world), ViewRequested("v1", tmp_path / "no" / "folder.svg", None))
    with pytest.raises(InvalidArgument, match="Name the view"):
        await view_command(TEXT, at(world), ViewRequested(None, target, None))
    world.memory[source.source_id].verdicts = {"v1": Verdict.UNKNOWN}
    with pytest.raises(BackendUnavailable, match="confirm"):
        await view_command(TEXT, at(world), ViewRequested("v1", target, None))


@pytest.mark.requirement("archimate-commands-work", "baseline-commands")
async def test_views_of_one_model_are_listed_and_notes_say_what_is_left_out(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await model_source(world, "insurance", embedded=False)
    await world.services.get(BASELINES).create("before the merger")
    await model_source(world, "bank", embedded=False)

    async def listed(source: str | None, baseline: str | None = None) -> dict[str, Any]:
        assert await view_command(JSON, at(world), ViewRequested(None, None, source, baseline=baseline)) == 0
        return printed(capsys)

    assert {view["citation"]["source"] for view in (await listed(None))["views"]} == {"bank", "insurance"}
    assert [view["citation"]["source"] for view in (await listed("insurance"))["views"]] == ["insurance"]
    with pytest.raises(InvalidArgument, match="no model is called 'shop'"):
        await view_command(TEXT, at(world), ViewRequested(None, None, "shop"))
    past = await listed(None, "before the merger")
    assert [view["citation"]["source"] for view in past["views"]] == ["insurance"]
    (note,) = past["notes"]
    assert "bank" in note
    await element_command(TEXT, at(world), ElementRequested("e2", None, baseline="before the merger"))
    assert f"Note: {note}." in capsys.readouterr().out


@pytest.mark.requirement("local-callers-get-file-links")
async def test_paths_on_this_machine_are_shown_only_to_its_owner(world: World) -> None:
    await model_source(world, embedded=False)
    assert (await world.services.catalog.local_files(Caller.local())).sources.keys() == {"insurance"}
    for somebody in (Principal("local", "ada", frozenset({READ})), Principal("other", "owner", frozenset({READ}))):
        assert not (await world.services.catalog.local_files(Caller(somebody, SessionId("s")))).sources


@pytest.mark.requirement("baseline-commands", "as-of-covers-text-and-relationships")
async def test_an_element_and_a_view_are_shown_as_they_were(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    source = await model_source(world)
    await world.services.get(BASELINES).create("target")
    await world.index.rows("UPDATE revision SET valid_to = clock_timestamp() WHERE source_id = %s", source.source_id)
    with pytest.raises(InvalidArgument, match="e2"):
        await element_command(JSON, at(world), ElementRequested("e2", None))
    assert await element_command(JSON, at(world), ElementRequested("e2", None, baseline="target")) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["element"]["citation"]["baseline_id"] == "target"
    assert await view_command(JSON, at(world), ViewRequested(None, None, None, baseline="target")) == 0
    assert json.loads(capsys.readouterr().out)["views"]
