"""No command loses more than a tenth of a source, or any named state, without asking."""

import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.developer_folder import write
from typer.main import get_command

from citemark.app.compose import App
from citemark.app.features import FEATURES
from citemark.app.features import commands_of as contributed
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.baseline_command import create_baseline, delete_baseline
from citemark.cli.change_source_command import SourceChange, change_source, remove_source
from citemark.cli.command_context import FAILED, WRONG_USE, CommandContext
from citemark.cli.command_line import commands_of
from citemark.cli.consent import Mode
from citemark.cli.history_command import keep_history, purge_history
from citemark.cli.sync_command import sync_sources
from citemark.model.errors import InvalidArgument
from citemark.model.source_labels import LabelChange
from citemark.services.history_keys import HISTORY
from citemark.settings import Settings

AS_JSON = CommandContext(open_app, json=True, quiet=True)
AS_TEXT = CommandContext(open_app, quiet=True)
DOCUMENTS = 20


@pytest.fixture
async def app(dsn: str, tmp_path: Path) -> AsyncGenerator[App, None]:
    """An index of twenty documents, each with a superseded revision that a baseline may hold."""
    root = tmp_path / "docs"
    for number in range(DOCUMENTS):
        write(root, f"{'drafts' if number < 3 else 'texts'}/{number}.md", f"The first text, number {number}.\n")
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        wanted: dict[str, Any] = {"language": "english", "overlapping": False}
        assert await add_docs_source(AS_JSON, opened, DocsRequest(path=root, **wanted), sync=True) == 0
        for number in range(DOCUMENTS):
            path = f"{'drafts' if number < 3 else 'texts'}/{number}.md"
            write(root, path, f"The second text, number {number}.\n")
        assert await sync_sources(AS_JSON, opened, ()) == 0
        yield opened


@dataclass(frozen=True)
class State:
    """All that a command may lose."""

    documents: int
    revisions: int
    baselines: int


async def state(app: App) -> State:
    history = await app.services.get(HISTORY).show()
    statuses = await app.status.sources()
    return State(
        sum(each.documents for each in statuses),
        sum(each.kept.revisions for each in history),
        sum(len(each.kept.baselines) for each in history),
    )


Command = Callable[[CommandContext, App, Mode], Awaitable[int]]


def changing(change: SourceChange, *, sync: bool = True) -> Command:
    return lambda run, app, mode: change_source(run, app, "docs", change, sync=sync, mode=mode)


async def deleting_a_baseline(run: CommandContext, app: App, mode: Mode) -> int:
    return await delete_baseline(run, app, "release", mode)


LOSING: Mapping[str, Command] = {
    "source set --include": changing(SourceChange(include=("*.py",))),
    "source set --include --no-sync": changing(SourceChange(include=("*.py",)), sync=False),
    "source set --exclude": changing(SourceChange(exclude=("drafts/",))),
    "source set --exclude everything": changing(SourceChange(exclude=("*",))),
    "remove": lambda run, app, mode: remove_source(run, app, "docs", mode),
    "history keep none": lambda run, app, mode: keep_history(run, app, "docs", "none", mode),
    "history keep baselines": lambda run, app, mode: keep_history(run, app, "docs", "baselines", mode),
    "history purge --before": lambda run, app, mode: purge_history(
        run, app, ("docs",), datetime.now(UTC).isoformat(), mode
    ),
}


@pytest.mark.requirement("losing-commands-ask")
@pytest.mark.parametrize("name", LOSING)
async def test_a_command_that_loses_much_asks_first_and_changes_nothing_if_nobody_can_agree(
    app: App, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, before = LOSING[name], await state(app)
    with pytest.raises(InvalidArgument, match="Nothing was changed: --yes does it") as refused:
        await command(AS_JSON, app, Mode())
    assert AS_JSON.fail(refused.value) == WRONG_USE
    with pytest.raises(InvalidArgument, match="--dry-run only shows it"):
        await command(AS_TEXT, app, Mode())
    assert await state(app) == before
    capsys.readouterr()
    assert await command(AS_JSON, app, Mode(dry_run=True)) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["dry_run"] is True
    assert await state(app) == before

    answers = iter(["", "n", "yes"])

    def answer(_: str) -> str:
        return next(answers)

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    for _ in range(2):
        assert await command(AS_TEXT, app, Mode()) == FAILED
        assert await state(app) == before
    assert "This " in capsys.readouterr().err
    assert await command(AS_TEXT, app, Mode()) == 0
    if "--no-sync" in name:
        await sync_sources(AS_JSON, app, ())
    elif name == "history keep baselines":
        await app.services.get(HISTORY).purge_overdue()
    assert await state(app) != before


@pytest.mark.requirement("losing-commands-ask")
async def test_deleting_a_baseline_that_holds_history_asks(app: App, tmp_path: Path) -> None:
    await create_baseline(AS_JSON, app, "release", (), None)
    assert await delete_baseline(AS_JSON, app, "release", Mode()) == 0, "nothing was superseded since"
    await create_baseline(AS_JSON, app, "release", (), None)
    write(tmp_path / "docs", "texts/9.md", "The third text.\n")
    await sync_sources(AS_JSON, app, ())
    with pytest.raises(InvalidArgument, match="may forget the 1 superseded revisions"):
        await deleting_a_baseline(AS_JSON, app, Mode())
    assert (await state(app)).baselines == 1
    assert await deleting_a_baseline(AS_JSON, app, Mode(dry_run=True)) == 0
    assert (await state(app)).baselines == 1
    assert await deleting_a_baseline(AS_JSON, app, Mode(yes=True)) == 0
    assert (await state(app)).baselines == 0


async def test_a_removal_names_what_goes_baselines_included(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    await create_baseline(AS_JSON, app, "release", (), None)
    capsys.readouterr()
    assert await remove_source(AS_TEXT, app, "docs", Mode(dry_run=True)) == 0
    shown = capsys.readouterr().out
    assert "This removes docs: 20 documents with their history, and its part of 1 baseline." in shown
    assert "20 superseded revisions" in shown
    assert "its part of the baseline release" in shown


@pytest.mark.parametrize(
    "change",
    [
        SourceChange(exclude=("drafts/0.md", "drafts/1.md")),
        SourceChange(also=("*.py",)),
        SourceChange(labels=LabelChange(("a",)), name="other"),
        SourceChange(ignore=False),
        SourceChange(include=("*.md",)),
    ],
)
async def test_a_change_that_drops_a_tenth_or_less_is_made_without_a_question(app: App, change: SourceChange) -> None:
    assert await change_source(AS_JSON, app, "docs", change, sync=True) == 0


async def test_a_change_of_a_source_that_cannot_be_listed_now_asks(app: App, tmp_path: Path) -> None:
    (tmp_path / "docs").rename(tmp_path / "away")
    with pytest.raises(InvalidArgument, match="cannot be listed in full now"):
        await change_source(AS_JSON, app, "docs", SourceChange(exclude=("*.tmp",)), sync=True)


async def test_a_longer_history_or_an_empty_source_needs_no_consent(app: App, tmp_path: Path) -> None:
    assert await keep_history(AS_JSON, app, "docs", "forever") == 0
    assert await keep_history(AS_JSON, app, "docs", "30") == 0
    (tmp_path / "empty").mkdir()
    wanted: dict[str, Any] = {"language": "english", "overlapping": False}
    assert await add_docs_source(AS_JSON, app, DocsRequest(path=tmp_path / "empty", **wanted), sync=True) == 0
    assert await remove_source(AS_JSON, app, "empty") == 0


_HARMLESS = frozenset(
    {
        *("version", "source grant", "source revoke", "source grants"),
        *("token create", "token list", "token revoke", "baseline create", "baseline list", "baseline show"),
        *("baseline diff", "history show", "login", "sources", "work", "status", "problems", "search", "evidence"),
        *(
            "element",
            "view",
            "impact",
            "ask",
            "serve",
            "bridge",
            "install",
            "trust",
            "open",
            "eval",
            "doctor",
            "rotate-key",
        ),
        *(
            "help",
            "asked",
            "source pause",
            "source resume",
            "demo",
            "stop",
            "web",
            "backup",
            "migrate",
            "init",
            "restore",
            "service install",
            "service remove",
        ),
    }
)
"""Commands that take nothing out of an index which belongs to a source."""

_SHOWN_FIRST = frozenset(
    {"sync", *(f"add {kind.name}" for feature in FEATURES for kind in feature.kinds() if not kind.password)}
)
"""Commands that follow a source, whose files a person changed, and have --dry-run alone."""


@pytest.mark.requirement("losing-commands-ask")
def test_every_command_is_known_to_lose_nothing_or_can_be_tried_and_agreed_to() -> None:
    for path, parameters in _commands(get_command(commands_of(contributed()))):
        if path in _HARMLESS or path.startswith("graph "):
            continue
        assert "--dry-run" in parameters, path
        assert path in _SHOWN_FIRST or "--yes" in parameters, path


def _commands(group: Any, path: str = "") -> list[tuple[str, set[str]]]:
    found: list[tuple[str, set[str]]] = []
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        if hasattr(command, "commands"):
            found += _commands(command, whole)
        else:
            found.append((whole, {option for each in command.params for option in each.opts}))
    return found
