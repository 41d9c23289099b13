"""`citemark sources` says of every kind where it lies."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.cli.change_source_command import SourceChange, change_source
from citemark.cli.command_context import CommandContext
from citemark.cli.doctor_command import Finding, tools_finding
from citemark.cli.status_command import list_sources, show_status
from citemark.model.source_labels import LabelChange
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.tools import registry
from citemark.tools.index_contents import NamedSource


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.mark.requirement("commands-add-and-sync-sources")
async def test_a_folder_a_model_and_an_account_are_each_listed_with_their_place(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    account = {"server": "https://cloud.example.org", "login": "eva", "user": "eva"}
    for name, kind, config in (
        ("notes", "docs", {"root": "/home/eva/notes"}),
        ("plan", "archimate", {"path": "/home/eva/plan.archimate", "capability": "architecture"}),
        ("cloud", "nextcloud", account),
    ):
        await app.stores.sources.add(NewSource(name, kind, config))
    await list_sources(CommandContext(open_app), app)
    shown = sorted(line.partition(",")[0] for line in capsys.readouterr().out.splitlines())
    assert shown == [
        "cloud: nextcloud eva@https://cloud.example.org",
        "notes: docs /home/eva/notes",
        "plan: archimate /home/eva/plan.archimate",
    ]


@pytest.mark.requirement("unlisted-tools-are-named")
async def test_status_and_doctor_name_the_tools_that_a_full_list_leaves_out(
    app: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def shown() -> tuple[list[str], str, Finding]:
        await show_status(CommandContext(open_app, json=True), app)
        data = json.loads(capsys.readouterr().out)
        await show_status(CommandContext(open_app), app)
        return data["unlisted_tools"], capsys.readouterr().out, await tools_finding(app)

    names, text, finding = await shown()
    assert (names, finding.ok, finding.warning) == ([], True, False)
    assert "do not fit the list" not in text
    monkeypatch.setattr(registry, "MOST_TOOLS", 6)
    names, text, finding = await shown()
    assert names == ["kb_list_sources", "kb_answer"]
    assert (finding.ok, finding.warning) == (True, True)
    assert all(name in text and name in finding.message for name in names)


@pytest.mark.requirement("instructions-name-sources-and-languages", "sources-carry-a-note")
async def test_the_list_of_tool_groups_is_updated_by_adding_syncing_and_removing(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = ToolGroupsFile(app.settings)

    def told() -> tuple[NamedSource, ...] | None:
        holding = listed.read()
        return None if holding is None else holding.sources

    (tmp_path / "axle.md").write_text(
        "Grease the axle of the wheel twice a year, and do it with the works' own grease."
    )
    (tmp_path / "achse.md").write_text("Die Achse des Wagens wird zweimal im Jahr mit dem Fett des Werks geschmiert.")
    source = await app.stores.sources.add(NewSource("works", "docs", {"root": str(tmp_path)}))
    assert told() == (NamedSource("works", "docs"),)
    await app.sync({source.source_id: source})
    assert told() == (NamedSource("works", "docs", ("english", "german")),)
    for about in ("Rules of the works.", ""):
        change = SourceChange(labels=LabelChange(about=about))
        await change_source(CommandContext(open_app), app, "works", change, sync=False)
        assert told() == (NamedSource("works", "docs", ("english", "german"), about),)
        capsys.readouterr()
        await list_sources(CommandContext(open_app), app)
        assert ("\n  about it: Rules of the works." in capsys.readouterr().out) is bool(about)
    hers = await app.stores.sources.add(NewSource("hers", "docs", {"root": str(tmp_path)}), grantee="user:alice")
    assert told() == (NamedSource("works", "docs", ("english", "german")),), "others' sources are not told of"
    for each in (source, hers):
        await app.stores.sources.remove(each.source_id)
    assert told() == ()
