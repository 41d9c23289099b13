"""An index that follows real folders: edits, renames, deletions, and all that can go wrong on the way."""

import asyncio
import random
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from tests.support.index import Index

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.embedding.contract import Vectors
from citemark.embedding.minilm import MiniLM
from citemark.indexing import follower
from citemark.indexing.follower import FollowEvent
from citemark.model.errors import UnwatchableSource
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource
from citemark.model.status import SourceStatus
from citemark.settings import Settings
from citemark.sources.docs.watcher import DocsWatcher

_SOON = 120.0
WORKER = "somebody@elsewhere/1"


@dataclass
class Place:
    """An index over one folder that is being followed, and what was told of that."""

    app: App
    folder: Path
    told: list[FollowEvent] = field(default_factory=list[FollowEvent])
    now: timedelta = timedelta(0)

    def clock(self) -> datetime:
        return datetime.now(UTC) + self.now

    async def pages(self) -> dict[str, str]:
        rows = await Index(self.app.stores.database).rows(
            "SELECT d.native_id, r.body FROM document d JOIN revision r USING (source_id, document_id)"
            " WHERE d.page_id IS NULL AND d.valid_to = 'infinity' AND r.valid_to = 'infinity'"
        )
        return {row[0]: row[1] for row in rows}

    async def becomes(self, expected: dict[str, str]) -> None:
        async def there() -> bool:
            return await self.pages() == expected

        await until(there)

    async def scans(self, more: int) -> None:
        """So many scans from now on have ended."""
        seen = self.reports()

        async def there() -> bool:
            return self.reports() >= seen + more

        await until(there)

    def reports(self) -> int:
        return sum(followed.report is not None for followed in self.told)

    async def status(self) -> SourceStatus:
        return (await self.app.stores.status.sources(Principal.local().tenant, 0))[0]

    @asynccontextmanager
    async def following(self) -> AsyncGenerator[None]:
        """While it is followed; entered once it listens, or does what it does instead."""
        task = asyncio.create_task(self.app.keep(heard=self.told.append))

        async def begun() -> bool:
            return any(followed.watching for followed in self.told) or task.done()

        try:
            await until(begun)
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(_SOON):
        while not await condition():  # noqa: ASYNC110 - what is awaited happens in the database
            await asyncio.sleep(0.02)


@asynccontextmanager
async def opened(dsn: str, folder: Path, **settings: object) -> AsyncGenerator[Place]:
    async with open_app(Settings(database_url=dsn, **settings)) as app:  # pyright: ignore[reportArgumentType]
        place = Place(app, folder)
        app.clock = place.clock
        yield place


@pytest.fixture
async def place(dsn: str, tmp_path: Path) -> AsyncGenerator[Place, None]:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Boiler\n\nIt is descaled every six weeks with citric acid.\n")
    async with opened(dsn, folder) as made:
        await made.app.stores.sources.add(NewSource(name="docs", kind="docs", config={"root": str(folder)}))
        yield made


@pytest.mark.requirement("changes-followed-while-serving")
async def test_edits_new_folders_and_deletions_are_noticed(place: Place) -> None:
    folder = place.folder
    async with place.following():
        await place.becomes({"a.md": (folder / "a.md").read_text()})
        (folder / "a.md").write_text("edited")
        await place.becomes({"a.md": "edited"})
        (folder / "x" / "y").mkdir(parents=True)
        (folder / "x" / "y" / "b.md").write_text("deep")
        await place.becomes({"a.md": "edited", "x/y/b.md": "deep"})
        (folder / "x" / "y" / "b.md").write_text("deep and edited")
        await place.becomes({"a.md": "edited", "x/y/b.md": "deep and edited"})
        (folder / "a.md").unlink()
        await place.becomes({"x/y/b.md": "deep and edited"})
        status = await place.status()
        assert status.watching == follower.EVENTS
        assert status.last_complete_scan is not None
    assert (await place.status()).watching == ""


@pytest.mark.requirement("changes-followed-while-serving")
async def test_watching_ends_without_waiting_for_an_embedding_in_progress(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, let_go, waited = Event(), Event(), Event()
    embed = MiniLM.embed_documents

    def held(model: MiniLM, texts: Sequence[str]) -> Vectors:
        begun.set()
        if not let_go.wait(60):
            waited.set()
        return embed(model, texts)

    monkeypatch.setattr(MiniLM, "embed_documents", held)
    keeping = asyncio.create_task(place.app.keep())
    assert await asyncio.to_thread(begun.wait, _SOON)
    keeping.cancel()
    await asyncio.wait([keeping])
    assert not waited.is_set()
    let_go.set()


@pytest.mark.requirement("changes-followed-while-serving", "index-recovers-from-lost-events")
@pytest.mark.parametrize("seed", [1])
async def test_the_index_equals_the_folder_after_any_changes(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    async with place.following():
        for _ in range(2):
            for number in range(40):
                with suppress(OSError):
                    meddle(place.folder, chance, number)
                if chance.random() < 0.5:
                    await asyncio.sleep(chance.random() * 0.1)
            (place.folder / "kept.md").write_text("so that it is never empty")
            paths = await asyncio.to_thread(lambda: list(place.folder.rglob("*.md")))
            await place.becomes({str(path.relative_to(place.folder)): path.read_text() for path in paths})


def meddle(root: Path, chance: random.Random, number: int) -> None:
    """One thing that people and programs do to a folder."""
    files = sorted(root.rglob("*.md"))
    folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
    file, folder = chance.choice(files or [root / "none"]), chance.choice(folders)
    target = chance.choice(folders) / f"f{chance.randrange(20)}.md"
    match chance.randrange(7):
        case 0 | 1:
            target.write_text(f"# Page {number}\n\n{chance.random()}")
        case 2:
            (folder / f"d{chance.randrange(5)}").mkdir()
        case 3:
            file.unlink()
        case 4:
            file.rename(target)
        case 5 if folder != root:
            folder.rename(chance.choice(folders) / f"d{chance.randrange(5)}")
        case _ if folder != root:
            shutil.rmtree(folder)
        case _:
            file.touch()


@pytest.mark.requirement("changes-followed-while-serving")
async def test_a_citation_of_a_renamed_file_is_followed_to_its_new_name(place: Place) -> None:
    text = (place.folder / "a.md").read_text()
    async with place.following():
        await place.becomes({"a.md": text})
        (place.folder / "a.md").rename(place.folder / "b.md")
        await place.becomes({"b.md": text})
        index = Index(place.app.stores.database)

        async def stated() -> bool:
            rows = await index.rows("SELECT to_native_id FROM relationship WHERE type = 'succeeds'")
            return ("a.md",) in rows

        await until(stated)


@pytest.mark.requirement("index-recovers-from-lost-events")
async def test_changes_made_while_no_process_watched_are_found_at_the_start(place: Place) -> None:
    async with place.following():
        await place.becomes({"a.md": (place.folder / "a.md").read_text()})
    (place.folder / "a.md").write_text("edited meanwhile")
    async with place.following():
        await place.becomes({"a.md": "edited meanwhile"})


@pytest.mark.requirement("index-recovers-from-lost-events")
async def test_after_sleep_the_folder_is_scanned_though_no_event_came(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    deafened(monkeypatch)
    async with place.following():
        await place.becomes({"a.md": (place.folder / "a.md").read_text()})
        await place.scans(1)
        (place.folder / "a.md").write_text("edited unheard")
        place.now = timedelta(hours=8)
        await place.becomes({"a.md": "edited unheard"})


@pytest.mark.requirement("index-recovers-from-lost-events")
async def test_a_source_whose_scan_was_requested_is_scanned_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    deafened(monkeypatch)
    async with place.following():
        await place.scans(1)
        (place.folder / "a.md").write_text("edited unheard")
        await place.app.stores.ledger.wake((await place.status()).source_id)  # pyright: ignore[reportArgumentType]
        await place.becomes({"a.md": "edited unheard"})


@pytest.mark.requirement("index-recovers-from-lost-events")
async def test_without_file_notifications_a_source_is_scanned_at_intervals_and_that_is_logged_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: DocsWatcher) -> AsyncGenerator[None, None]:
        raise UnwatchableSource("there are no watches left")
        yield

    monkeypatch.setattr(DocsWatcher, "changes", refuse)
    monkeypatch.setattr(follower, "_POLL_SECONDS", 0.2)
    async with place.following():
        await place.becomes({"a.md": (place.folder / "a.md").read_text()})
        (place.folder / "a.md").write_text("edited")
        await place.becomes({"a.md": "edited"})
        await place.scans(2)
        assert "there are no watches left" in (await place.status()).watching
    assert sum(bool(followed.watching) for followed in place.told) == 1


@pytest.mark.requirement("only-complete-listing-deletes", "changes-followed-while-serving")
async def test_a_folder_that_vanishes_loses_nothing_and_is_followed_when_it_returns(place: Place) -> None:
    text = (place.folder / "a.md").read_text()
    async with place.following():
        await place.becomes({"a.md": text})
        away = place.folder.with_name("unmounted")
        place.folder.rename(away)

        async def noticed() -> bool:
            status = await place.status()
            return "cannot be listed" in status.reason and status.watching == ""

        await until(noticed)
        assert await place.pages() == {"a.md": text}
        (away / "b.md").write_text("written elsewhere")
        away.rename(place.folder)
        await place.becomes({"a.md": text, "b.md": "written elsewhere"})
        (place.folder / "b.md").write_text("heard again")
        await place.becomes({"a.md": text, "b.md": "heard again"})


@pytest.mark.requirement("only-complete-listing-deletes")
async def test_events_in_a_row_do_not_make_an_empty_folder_believed(place: Place) -> None:
    text = (place.folder / "a.md").read_text()
    async with place.following():
        await place.becomes({"a.md": text})
        (place.folder / "a.md").unlink()
        for number in range(5):
            (place.folder / f"folder-{number}").mkdir()
            await place.scans(1)
        assert "suddenly empty" in (await place.status()).reason
        assert await place.pages() == {"a.md": text}


@pytest.mark.requirement("servers-share-one-database", "changes-followed-while-serving")
async def test_one_of_two_processes_watches_and_the_other_takes_over(place: Place, dsn: str) -> None:
    async with opened(dsn, place.folder) as other:
        async with place.following():
            await place.becomes({"a.md": (place.folder / "a.md").read_text()})
            async with other.following():
                (place.folder / "a.md").write_text("edited")
                await place.becomes({"a.md": "edited"})
                assert other.reports() == 0
                assert [followed.watching for followed in other.told] == ["another process; this one stands by"]
        async with other.following():
            (place.folder / "a.md").write_text("edited again")
            await place.becomes({"a.md": "edited again"})
            assert other.reports() > 0


@pytest.mark.requirement("servers-share-one-database")
async def test_the_lease_of_a_watcher_is_kept_by_the_living_and_taken_from_the_dead(place: Place) -> None:
    watches = place.app.stores.watches
    source_id = SourceId((await place.status()).source_id)
    assert (await watches.hold([source_id], WORKER, 60)).sources == {source_id}
    assert (await watches.hold([source_id], "other@elsewhere/1", 60)).sources == set()
    await watches.release(WORKER)
    dead = place.app.worker.replace(place.app.worker.partition("@")[0], "4194999", 1)
    assert (await watches.hold([source_id], dead, 60)).sources == {source_id}
    assert await place.app.stores.ledger.claim_scan(source_id, dead, 60) is not None
    assert (await watches.hold([source_id], WORKER, 60)).sources == {source_id}
    assert await place.app.stores.ledger.claim_scan(source_id, WORKER, 60) is not None
    await watches.release(WORKER)
    assert (await watches.hold([source_id], WORKER, 0)).sources == {source_id}
    assert (await watches.hold([source_id], "other@elsewhere/1", 60)).sources == {source_id}


@pytest.mark.requirement("servers-share-one-database")
async def test_a_source_watched_by_another_process_is_watched_again_after_that_process(
    place: Place,
) -> None:
    index = Index(place.app.stores.database)

    async def stands_by() -> bool:
        return any(event.watching.startswith("another process") for event in place.told)

    async with place.following():
        await index.rows("UPDATE scan SET watched_by = %s, watched_until = 'infinity'", "other@elsewhere/1")
        await until(stands_by)
        (place.folder / "a.md").write_text("edited meanwhile")
        await index.rows("UPDATE scan SET watched_by = NULL, watched_until = NULL")
        await place.becomes({"a.md": "edited meanwhile"})


async def test_sources_added_or_removed_while_watching_are_watched_or_released(place: Place, tmp_path: Path) -> None:
    text = (place.folder / "a.md").read_text()
    async with place.following():
        await place.becomes({"a.md": text})
        folder = tmp_path / "more"
        folder.mkdir()
        (folder / "c.md").write_text("more")
        added = await place.app.stores.sources.add(NewSource(name="more", kind="docs", config={"root": str(folder)}))
        await place.becomes({"a.md": text, "c.md": "more"})
        await place.app.stores.sources.remove(added.source_id)
        await place.becomes({"a.md": text})
        (folder / "c.md").write_text("of no interest")
        (place.folder / "a.md").write_text("still followed")
        await place.becomes({"a.md": "still followed"})


def deafened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let watches hear nothing, as after an overflow."""

    async def changes(_: DocsWatcher) -> AsyncGenerator[None, None]:
        yield
        await asyncio.Event().wait()

    monkeypatch.setattr(DocsWatcher, "changes", changes)
