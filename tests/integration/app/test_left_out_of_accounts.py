"""What an account holds and Citemark does not index is counted wherever its state is shown."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.faults import Status
from tests.nextcloud.server import Nextcloud

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.cli.status_command import list_left_out, list_problems, show_status
from citemark.cli.sync_command import sync_sources

COUNTED = ("2 .png", "1 .bin", "1 too large", "1 encrypted from end to end", "that cannot be listed")
"""What every place says: by suffix, by size, encrypted, and of an external storage that does not answer."""

Command = Callable[[CommandContext, Cloud], Awaitable[object]]


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud]:
    """An account with a file that is read, and files of every kind that is left out."""
    files = nextcloud.world.files
    for path in ("plan.md", "a.png", "b.png", "c.bin", "vault/4f2a", "Storage/old.md"):
        files.put("alice", f"/{path}", "words")
    files.put("alice", "/large.md", "words " * 200_000)
    files.tree.locate("alice", "/vault").node.encrypted = True
    nextcloud.faults.add(Status(503), on="PROPFIND .*/Storage", times=100)
    async with cloud_over(dsn, nextcloud, tmp_path, max_file_mib=1) as made:
        await made.join("alice")
        yield made


async def sync(run: CommandContext, cloud: Cloud) -> object:
    return await sync_sources(run, cloud.app, ["alice"])


async def status(run: CommandContext, cloud: Cloud) -> object:
    return await show_status(run, cloud.app)


async def problems(run: CommandContext, cloud: Cloud) -> object:
    return await list_left_out(run, cloud.app, ["alice"])


@pytest.mark.requirement(
    "left-out-counted-in-sync",
    "left-out-counted-in-status",
    "left-out-counted-in-problems",
    "left-out-counted-by-status-tool",
)
async def test_files_left_out_are_counted_by_reason_in_sync_status_problems_and_the_status_tool(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: dict[str, Command] = {"sync": sync, "status": status, "problems": problems}
    for name, command in commands.items():
        capsys.readouterr()
        await command(CommandContext(open_app, quiet=True), cloud)
        text = capsys.readouterr().out
        assert [said for said in COUNTED if said not in text] == [], (name, text)
        await command(CommandContext(open_app, json=True, quiet=True), cloud)
        assert counts(capsys.readouterr().out) == {"type": 3, "too_large": 1, "encrypted": 1, "unreadable": 0}, name
    async with cloud.client("alice") as client:
        told: dict[str, Any] = (await client.call_tool("nc_get_vector_sync_status", {})).structured_content or {}
    assert [said for said in COUNTED if said not in told["message"]] == [], told["message"]
    await list_problems(CommandContext(open_app, quiet=True), cloud.app, ["alice"], 100)
    assert "Storage" in capsys.readouterr().out, "a storage that does not answer is a problem with a name"


def counts(printed: str) -> dict[str, int]:
    """The files left out of the only source in JSON of any command, by reason."""
    told: Any = json.loads(printed.strip().splitlines()[-1])["sources"]
    (source,) = told.values() if hasattr(told, "values") else told
    found: dict[str, int] = {}
    for group in (source.get("left_out") or source)["groups"]:
        found[group["reason"]] = found.get(group["reason"], 0) + group["files"]
    return found
