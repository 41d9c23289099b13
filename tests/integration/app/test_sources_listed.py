"""`citemark sources` says of every kind where it lies."""

from collections.abc import AsyncGenerator

import pytest

from citemark.app.compose import App
from citemark.app.opening import open_app
from citemark.cli.run import CommandContext
from citemark.cli.status import list_sources
from citemark.model.sources import NewSource
from citemark.settings import Settings


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.mark.requirement("i2-10-add")
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
