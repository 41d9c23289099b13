"""`citemark add maildir` indexes mailboxes; their mails are found, cited and joined to threads."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.support.mailboxes import deliver, mail, maildir, mbox

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import Proposal, SourceRequest, add_source
from citemark.cli.command_context import CommandContext
from citemark.cli.sync_command import sync_sources
from citemark.features.maildir.kind import MAILDIR
from citemark.features.maildir.mails import ANSWERS
from citemark.model.errors import FatalSourceError
from citemark.model.graph import IN_FOLDER
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings

RUN = CommandContext(open_app, json=True, quiet=True)


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


async def add(app: App, path: Path, *, dry_run: bool = False) -> None:
    request = SourceRequest(language="english", dry_run=dry_run)
    assert await add_source(RUN, app, Proposal(MAILDIR, path.name, {"path": str(path)}), request, sync=True) == 0


async def edges(app: App, kind: str) -> set[tuple[str, str]]:
    """The edges of a kind that the index has now: the ids of their ends at the source."""
    statement = (
        "SELECT d.native_id, r.to_native_id FROM relationship r "
        "JOIN document d ON d.source_id = r.source_id AND d.document_id = r.page_id AND d.valid_to = 'infinity' "
        "WHERE r.valid_to = 'infinity' AND r.type = %s"
    )
    async with app.stores.database.transaction() as connection:
        rows = await (await connection.execute(statement, (kind,))).fetchall()
    return {(row["native_id"], row["to_native_id"]) for row in rows}


async def found(app: App, question: str) -> list[str]:
    page = await app.services.search.find(Caller.local(), SearchRequest(question, min_score=0))
    return [hit.citation.document_id for hit in page.hits]


@pytest.mark.requirement("mailboxes-are-a-source")
async def test_mails_of_all_mailboxes_are_found_and_lead_to_what_they_answer(app: App, tmp_path: Path) -> None:
    root = maildir(tmp_path / "mails")
    maildir(root / ".Sent")
    asked = deliver(root, "1.host", mail("Who waters the ferns in August?", subject="Ferns", message_id="a@x"))
    told = deliver(root, "2.host", mail("Benedict does.", subject="Re: Ferns", answers="a@x"), box=".Sent")
    (root / "Archive").write_bytes(mbox([mail("The lawn was mown on Tuesday.", subject="Lawn")]))
    await add(app, root)
    assert (await found(app, "who waters the ferns"))[0] == asked
    assert (await found(app, "lawn mown"))[0].startswith("Archive/")
    assert await edges(app, ANSWERS) == {(told, asked)}
    assert (told, ".Sent") in await edges(app, IN_FOLDER)

    (root / "new" / "1.host").rename(root / "cur" / "1.host:2,S")
    before = await revisions(app)
    assert await sync_sources(RUN, app, ()) == 0
    assert await revisions(app) == before
    (root / ".Sent" / "new" / "2.host").unlink()
    assert await sync_sources(RUN, app, ()) == 0
    assert told not in await found(app, "who waters the ferns, Benedict")


async def test_a_folder_without_mailboxes_is_refused_and_a_dry_run_records_nothing(app: App, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FatalSourceError, match="neither a Maildir"):
        await add(app, tmp_path / "empty")
    deliver(maildir(tmp_path / "mails"), "1.host", mail("Words"))
    await add(app, tmp_path / "mails", dry_run=True)
    assert await app.sources.all() == []


async def revisions(app: App) -> int:
    """How many texts were ever recorded."""
    async with app.stores.database.transaction() as connection:
        row = await (await connection.execute("SELECT count(*) AS revisions FROM revision")).fetchone()
    assert row is not None
    return row["revisions"]
