"""Baselines, history and citations of the past on the command line."""

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.patience import HANG_SECONDS

from citemark.app import compose
from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.asking_options import LimitOptions
from citemark.cli.baseline_command import (
    create_baseline,
    delete_baseline,
    diff_baselines,
    list_baselines,
    show_baseline,
)
from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.consent import Mode
from citemark.cli.history_command import keep_history, purge_history, show_history
from citemark.cli.open_command import open_command
from citemark.cli.search_command import TypedSearch, search_command
from citemark.cli.sync_command import sync_sources
from citemark.model.architecture import ARCHIMATE
from citemark.model.errors import FatalSourceError, InvalidArgument
from citemark.services.history_keys import HISTORY
from citemark.services.source_history import setting_of
from citemark.settings import Settings
from citemark.store.repository_pages import RepositoryPages

AS_JSON = CommandContext(open_app, json=True, quiet=True)
AS_TEXT = CommandContext(open_app, quiet=True)
AGREED = Mode(yes=True)


@pytest.fixture
async def app(dsn: str, tmp_path: Path) -> AsyncGenerator[App, None]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "axle.md").write_text("# The axle\n\nGrease the axle twice a year.\n", "utf-8")
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        assert await add_docs_source(AS_JSON, opened, request(tmp_path), sync=True) == 0
        yield opened


def request(tmp_path: Path, **wanted: Any) -> DocsRequest:
    given: dict[str, Any] = {"overlapping": True, "language": "english"}
    return DocsRequest(path=tmp_path / "docs", **(given | wanted))


async def edit(app: App, tmp_path: Path, text: str) -> None:
    (tmp_path / "docs" / "axle.md").write_text(text, "utf-8")
    assert await sync_sources(AS_JSON, app, ()) == 0


class Shown:
    """What a command printed, one run after the other."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    async def data(self, command: Awaitable[int], code: int = 0) -> dict[str, Any]:
        self._capsys.readouterr()
        assert await command == code
        # Where nobody has set up logging, what works meanwhile logs to the same place.
        (line,) = [line for line in self._capsys.readouterr().out.splitlines() if line.startswith("{")]
        return json.loads(line)

    async def text(self, command: Awaitable[int], code: int = 0) -> str:
        self._capsys.readouterr()
        assert await command == code
        return self._capsys.readouterr().out


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    return Shown(capsys)


def asking(as_of: str | None = None, baseline: str | None = None) -> TypedSearch:
    asked = TypedSearch("how often is the axle greased", 5, 2, 0.0)
    return replace(asked, limits=LimitOptions(as_of=as_of, baseline=baseline))


@pytest.mark.requirement("baseline-commands", "as-of-covers-text-and-relationships")
async def test_a_baseline_is_created_listed_shown_queried_compared_and_deleted(
    app: App, shown: Shown, tmp_path: Path
) -> None:
    made = await shown.data(create_baseline(AS_JSON, app, "release 1", ("docs",), None))
    assert made["created"]["baseline_id"] == "release 1"
    assert made["created"]["sources"] == [{"name": "docs", "commit": None, "documents": 1, "superseded": 0}]
    assert (await shown.data(diff_baselines(AS_JSON, app, ("release 1", "HEAD"), None, None), NOTHING_FOUND))[
        "changes"
    ] == []
    await edit(app, tmp_path, "# The axle\n\nNever grease the axle.\n")
    assert "release 1: state of" in await shown.text(list_baselines(AS_TEXT, app))
    text = await shown.text(show_baseline(AS_TEXT, app, "release 1"))
    assert "docs: 1 documents, 1 of their revisions superseded since" in text
    then = await shown.data(search_command(AS_JSON, app, asking(baseline="release 1"), why=False))
    assert "twice a year" in json.dumps(then)
    assert "twice a year" not in json.dumps(await shown.data(search_command(AS_JSON, app, asking(), why=False)))
    found = await shown.data(diff_baselines(AS_JSON, app, ("release 1", "HEAD"), "docs", "axle"))
    (change,) = found["changes"]
    assert change["before"]["baseline_id"] == "release 1"
    text = await shown.text(diff_baselines(AS_TEXT, app, ("release 1", "HEAD"), None, None))
    assert "0 added, 0 removed, 1 changed, 0 renamed" in text
    assert "- Grease the axle twice a year." in text
    assert "+ Never grease the axle." in text
    await shown.text(delete_baseline(AS_TEXT, app, "release 1", AGREED))
    assert "There are no baselines" in await shown.text(list_baselines(AS_TEXT, app))


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_two_states_at_once_and_malformed_moments_are_refused(app: App) -> None:
    for state, said in (
        ({"as_of": "2026-01-01", "baseline": "release"}, "not both"),
        ({"as_of": "yesterday"}, "not a date and time in ISO 8601"),
        ({"as_of": "0001-01-01T00:00:00+14:00"}, "between the years 1 and 9999"),
        ({"baseline": "release"}, "There is no baseline 'release'"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            await search_command(AS_JSON, app, asking(**state), why=False)


@pytest.mark.requirement(
    "history-retention-is-a-setting",
    "purge-leaves-no-moment-with-holes",
    "unreadable-moments-refused-clearly",
    "purge-spares-baselines",
)
async def test_history_is_shown_set_and_purged_except_for_what_a_baseline_holds(
    app: App, shown: Shown, tmp_path: Path
) -> None:
    await create_baseline(AS_JSON, app, "release", (), None)
    for text in ("one", "two", "three"):
        await edit(app, tmp_path, f"# The axle\n\nGrease it {text} times.\n")
    (source,) = (await shown.data(show_history(AS_JSON, app)))["sources"]
    assert (source["keeps"], source["days"], source["superseded_revisions"], source["baselines"]) == (
        True,
        90,
        3,
        ["release"],
    )
    assert "docs: keeps baselines and 90 days; 3 superseded revisions" in await shown.text(show_history(AS_TEXT, app))
    (kept,) = (await shown.data(purge_history(AS_JSON, app, (), None)))["sources"]
    assert kept["revisions"] == 0
    now = datetime.now(UTC).isoformat()
    (dry,) = (await shown.data(purge_history(AS_JSON, app, ("docs",), now, Mode(dry_run=True))))["sources"]
    assert (dry["revisions"], dry["held_by_baselines"]) == (2, 1)
    text = await shown.text(purge_history(AS_TEXT, app, (), now, AGREED))
    assert "docs: forgot 2 revisions" in text
    assert "1 more kept for baselines" in text
    with pytest.raises(InvalidArgument, match="is in baselines"):
        await keep_history(AS_JSON, app, "docs", "none", AGREED)
    with pytest.raises(InvalidArgument, match="is in baselines"):  # one that was made while the person was asked
        await app.services.get(HISTORY).keep(await app.sources.named("docs"), setting_of("none"))
    await delete_baseline(AS_JSON, app, "release", AGREED)
    assert "docs keeps none." in await shown.text(keep_history(AS_TEXT, app, "docs", "none", AGREED))
    (source,) = (await shown.data(show_history(AS_JSON, app)))["sources"]
    assert source["superseded_revisions"] == 0
    for setting, days in (("forever", None), ("baselines", 0), ("30", 30)):
        assert (await shown.data(keep_history(AS_JSON, app, "docs", setting, AGREED)))["days"] == days
    for wrong in ("0", "-1", "soon", "99999", ""):
        with pytest.raises(InvalidArgument, match="History is kept for"):
            await keep_history(AS_JSON, app, "docs", wrong)


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_a_baseline_that_was_cut_short_is_named_where_it_keeps_history_and_can_be_deleted(
    app: App, shown: Shown
) -> None:
    (source,) = await app.sources.all()
    # What is left of `citemark baseline create git:v1` if it is killed.
    await app.stores.of(RepositoryPages, app.stores.baselines).begin("local", "git:v1", [source.source_id])
    assert "There are no baselines" in await shown.text(list_baselines(AS_TEXT, app))
    with pytest.raises(InvalidArgument, match=r"docs is in baselines \(git:v1 \(unfinished\)\)") as refused:
        await keep_history(AS_JSON, app, "docs", "none", AGREED)
    assert refused.value.details == {"baselines": ["git:v1"]}
    await shown.text(delete_baseline(AS_TEXT, app, "git:v1", AGREED))
    assert "docs keeps none." in await shown.text(keep_history(AS_TEXT, app, "docs", "none", AGREED))


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_history_beyond_the_retention_is_removed_at_the_end_of_a_sync(
    app: App, shown: Shown, tmp_path: Path
) -> None:
    assert await add_docs_source(AS_JSON, app, request(tmp_path, name="brief", history="baselines"), sync=True) == 0
    await edit(app, tmp_path, "# The axle\n\nOther words.\n")
    first, second = (await shown.data(show_history(AS_JSON, app)))["sources"]
    assert (first["source"], first["superseded_revisions"], first["days"]) == ("brief", 0, 0)
    assert (second["source"], second["superseded_revisions"]) == ("docs", 1)


async def test_settings_are_followed_in_the_time_of_the_database_whatever_the_clock_of_the_command_says(
    app: App, shown: Shown, tmp_path: Path
) -> None:
    ahead = App(app.settings, app.stores, app.embedder, lambda: app.clock() + timedelta(days=40))
    behind = App(app.settings, app.stores, app.embedder, lambda: app.clock() - timedelta(hours=1))
    await edit(app, tmp_path, "# The axle\n\nOther words.\n")
    await keep_history(AS_JSON, app, "docs", "30", AGREED)
    (kept,) = (await shown.data(purge_history(AS_JSON, ahead, (), None)))["sources"]
    assert kept["revisions"] == 0
    await keep_history(AS_JSON, behind, "docs", "none", AGREED)
    assert (await shown.data(show_history(AS_JSON, app)))["sources"][0]["superseded_revisions"] == 0


@pytest.mark.requirement("history-retention-is-a-setting", "purge-leaves-no-moment-with-holes")
async def test_the_indexing_process_repeatedly_purges_history_beyond_the_retention(
    app: App, shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compose, "_HOUSEKEEPING", 0.01)
    monkeypatch.setattr(compose, "_PURGE", 0.01)
    keeping = asyncio.create_task(app.keep(watch=False))
    try:
        for words in ("Other words.", "Third words."):
            await keep_history(AS_JSON, app, "docs", "90", AGREED)
            await edit(app, tmp_path, f"# The axle\n\n{words}\n")
            assert (await shown.data(show_history(AS_JSON, app)))["sources"][0]["superseded_revisions"] == 1
            await keep_history(AS_JSON, app, "docs", "baselines", AGREED)
            async with asyncio.timeout(HANG_SECONDS):
                # What is awaited happens in the database.
                while (await shown.data(show_history(AS_JSON, app)))["sources"][0]["superseded_revisions"]:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


@pytest.mark.requirement("citation-opens-at-its-revision")
async def test_a_citation_is_opened_at_its_revision(app: App, shown: Shown, tmp_path: Path) -> None:
    found = await shown.data(search_command(AS_JSON, app, asking(), why=False))
    citation = found["hits"][0]["citation"] if "hits" in found else found["results"][0]["citation"]
    await edit(app, tmp_path, "# Other things\n\nNo word of it.\n")
    opened = await shown.data(open_command(AS_JSON, app, (json.dumps(citation),)))
    assert "Grease the axle twice a year." in opened["text"]
    assert opened["superseded"]
    assert opened["citation"]["revision_id"] == citation["revision_id"]
    words = ("docs", "axle.md", citation["revision_id"])
    text = await shown.text(open_command(AS_TEXT, app, words))
    assert "# The axle" in text
    assert "Another revision has taken its place" in text
    (tmp_path / "docs" / "axle.md").unlink()
    assert "Grease" in await shown.text(open_command(AS_TEXT, app, words))
    for wrong, said in (
        (("docs", "axle.md", "999999"), "is not kept"),
        (("docs", "axle.md", "one"), "is not kept"),
        (("docs", "bolt.md", citation["revision_id"]), "is not kept"),
        (("doc", "axle.md", "1"), "There is no source 'doc'"),
        (("no json",), "Give the JSON of a citation"),
        (("[1]",), "Give the JSON of a citation"),
        (('{"source": "docs"}',), "Give the JSON of a citation"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            await open_command(AS_JSON, app, wrong)


@pytest.mark.requirement("baseline-commands")
async def test_a_tag_is_made_a_baseline_by_the_same_command(app: App, shown: Shown, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=eva", "-c", "user.email=eva@example.org", *words],
            cwd=tmp_path / "docs",
            check=True,
            capture_output=True,
        )

    (tmp_path / "docs" / "bolt.md").write_text("# The bolt\n\nSee [the axle](axle.md). Tighten it.\n", "utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    git("tag", "v1")
    await edit(app, tmp_path, "# The axle\n\nNever grease the axle.\n")
    assert "Created git:v1 of docs: 2 documents read" in await shown.text(
        create_baseline(AS_TEXT, app, "git:v1", (), None)
    )
    found = await shown.data(diff_baselines(AS_JSON, app, ("git:v1", "HEAD"), None, None))
    assert (found["counts"]["changed"], found["before"]["baseline_id"]) == (1, "git:v1")
    assert (found["counts"]["added"], found["counts"]["removed"]) == (0, 0)
    with pytest.raises(InvalidArgument, match="already a baseline 'git:v1'"):
        await create_baseline(AS_JSON, app, "git:v1", ("docs",), None)


@pytest.mark.requirement("history-retention-is-a-setting", "unreadable-moments-refused-clearly")
async def test_a_purge_without_a_moment_removes_nothing_from_a_source_that_keeps_everything(
    app: App, shown: Shown, tmp_path: Path
) -> None:
    await edit(app, tmp_path, "# The axle\n\nNever grease it.\n")
    await keep_history(AS_JSON, app, "docs", "forever", AGREED)
    (kept,) = await app.services.get(HISTORY).purge(await app.sources.all())
    assert (kept.before, kept.purged.revisions) == (None, 0)
    assert (await shown.data(show_history(AS_JSON, app)))["sources"][0]["superseded_revisions"] == 1


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_a_baseline_that_does_not_exist_or_precedes_all_documents_is_refused(app: App) -> None:
    with pytest.raises(InvalidArgument, match="There is no baseline 'release'; there are none"):
        await show_baseline(AS_JSON, app, "release")
    with pytest.raises(InvalidArgument, match="Nothing had been recorded yet as of 2001-01-01"):
        await create_baseline(AS_JSON, app, "release", (), "2001-01-01T00:00:00Z")


async def test_files_that_a_scan_left_out_are_counted_by_their_type(app: App, tmp_path: Path) -> None:
    (tmp_path / "docs" / "tool.exe").write_bytes(b"MZ")
    await sync_sources(AS_JSON, app, ())
    (source,) = await app.sources.all()
    assert await app.sources.skipped(source.source_id) == {".exe": 1}


async def test_a_file_that_is_not_a_model_is_refused_before_it_becomes_a_source(app: App, tmp_path: Path) -> None:
    (tmp_path / "model.archimate").write_text("<html></html>", "utf-8")
    with pytest.raises(FatalSourceError):
        await app.sources.examine(ARCHIMATE, {"path": str(tmp_path / "model.archimate")})
