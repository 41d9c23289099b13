"""An account whose server answers nonsense fails alone: it says why, all others are indexed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from tests.integration.app.cloud import cloud_over
from tests.nextcloud.faults import Drip, Effect, Instead, Status
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.server import Nextcloud
from tests.support.hostile_listings import (
    BAD_ADDRESSES,
    ODD_IDS,
    Made,
    deep_json,
    multistatus_answer,
    notes_under,
    response,
)

from citemark.app.compose import App
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.features.nextcloud.source import http_transport
from citemark.indexing import follower_pool
from citemark.indexing.follower import FollowEvent
from citemark.indexing.sync import SyncReport
from citemark.model.errors import ConfigurationError
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource
from citemark.remote.connections import Timeouts
from citemark.store.leases import Watched


def fill(server: Nextcloud) -> None:
    world = server.world
    world.notes.add("alice", "Heron", "The heron note.")
    world.calendars.create("alice", "work")
    world.calendars.put("alice", "work", event("talk", "Talk"))
    world.contacts.create("alice", "people")
    world.contacts.put("alice", "people", contact("ada", "Ada"))
    world.files.put("alice", "a.txt", b"Words of a file.")


class Pair:
    """Two accounts on two servers: one to be broken, one that is sound."""

    def __init__(self, app: App, broken: Nextcloud, sound: Nextcloud) -> None:
        self.app = app
        self.broken = broken
        self.sound = sound

    async def join(self) -> None:
        for name, server in (("broken", self.broken), ("sound", self.sound)):
            config = {"server": server.url, "login": "alice", "user": "alice"}
            source = await self.app.stores.sources.add(NewSource(name=name, kind="nextcloud", config=config))
            await self.app.services.get(ACCOUNTS).credentials(source).keep("alice", server.password("alice"))

    async def sync(self) -> SyncReport:
        return await self.app.sync(await self.app.local_sources())

    async def pages(self, name: str) -> int:
        found = await self.app.stores.status.sources(Principal.local().tenant, 0)
        return next(status.documents for status in found if status.name == name)

    async def reason(self, name: str) -> str:
        found = await self.app.stores.status.sources(Principal.local().tenant, 0)
        return next(status.reason for status in found if status.name == name)


@pytest.fixture
async def pair(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Pair, None]:
    with Nextcloud() as other:
        for server in (nextcloud, other):
            fill(server)
        async with cloud_over(dsn, nextcloud, tmp_path, scan_interval=5) as cloud:
            made = Pair(cloud.app, nextcloud, other)
            await made.join()
            await made.sync()
            yield made


async def only_the_broken_one_fails(pair: Pair, app: str, effect: Effect, on: str) -> None:
    """What breaks one account leaves its documents as they were and is told; the other one is read."""
    before = await pair.pages("broken")
    pair.broken.faults.add(effect, on)
    pair.sound.world.notes.add("alice", "New", "Another note.")
    sound = await pair.pages("sound")
    report = await pair.sync()
    assert report.scans["sound"].complete, report.scans["sound"].reason
    assert await pair.pages("sound") == sound + 1
    assert not report.scans["broken"].complete
    assert report.scans["broken"].reason.startswith(f"{app}: ")
    assert "unexpectedly" not in report.scans["broken"].reason
    assert await pair.reason("broken") == report.scans["broken"].reason
    assert await pair.pages("broken") == before


NOTES: dict[str, Made] = {
    **{repr(each): notes_under((each,)) for each in ODD_IDS},
    "deep": deep_json(),
    "huge number": lambda _: (200, {}, b"1" * 10_000),
}


@pytest.mark.requirement("odd-values-are-source-errors")
async def test_malformed_notes_are_an_error_of_their_account(pair: Pair) -> None:
    for made in NOTES.values():
        await only_the_broken_one_fails(pair, "notes", Instead(made), "/apps/notes")
        pair.broken.faults.clear()


@pytest.mark.requirement("odd-values-are-source-errors")
async def test_a_malformed_address_is_an_error_of_its_account(pair: Pair) -> None:
    for app, on in (("calendar", "PROPFIND .*/calendars/alice"), ("files", "PROPFIND .*/files/")):
        for href in BAD_ADDRESSES:
            made = multistatus_answer(response(href))
            await only_the_broken_one_fails(pair, app, Instead(made), on)
            pair.broken.faults.clear()


@pytest.mark.requirement("odd-values-are-source-errors")
async def test_a_redirect_to_no_address_is_an_error_of_its_account(pair: Pair) -> None:
    for status in (301, 302, 307):
        redirect = Status(status, b"", {"location": "http://[bad"})
        await only_the_broken_one_fails(pair, "notes", redirect, "/apps/notes")
        pair.broken.faults.clear()


@pytest.mark.requirement("failing-source-fails-alone")
async def test_an_unexpected_error_in_one_app_is_reported_and_stops_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = next(each for each in (await pair.app.local_sources()).values() if each.name == "broken")

    def fail() -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr(pair.app.connectors.of(source).scanner, "scan", fail)
    pair.sound.world.notes.add("alice", "New", "Another note.")
    report = await pair.sync()
    assert report.scans["sound"].complete
    assert report.documents == 1
    assert "unexpectedly (ZeroDivisionError)" in await pair.reason("broken")
    assert "secret" not in await pair.reason("broken")


@pytest.mark.requirement("failing-source-fails-alone")
async def test_a_source_that_this_version_cannot_read_is_reported_and_stops_nothing(pair: Pair) -> None:
    await pair.app.stores.sources.add(NewSource(name="odd", kind="unknown", config={}))
    pair.sound.world.notes.add("alice", "New", "Another note.")
    report = await pair.sync()
    assert report.documents == 1
    assert not report.scans["odd"].complete
    assert "unknown to this version" in report.scans["odd"].reason
    with pytest.raises(ConfigurationError):
        pair.app.connectors.of(next(s for s in (await pair.app.local_sources()).values() if s.name == "odd"))


@pytest.mark.requirement("failing-source-fails-alone")
@pytest.mark.parametrize("on", ["/capabilities", "GET .*/notes/\\d+"])
async def test_an_account_whose_server_drips_holds_up_no_other_in_a_sync_or_a_server(pair: Pair, on: str) -> None:
    """Nothing of the broken one ever comes: neither its listing nor, once that was seen, its texts."""
    for number in range(40):
        pair.broken.world.notes.add("alice", f"Slow {number}", "Slow words.")
    pair.broken.faults.add(Drip(30), on)
    pair.broken.faults.add(Drip(30), "chunkSize")
    before = await pair.pages("sound")
    for work in (pair.sync(), pair.app.keep()):
        pair.sound.world.notes.add("alice", "New", "Another note.")
        before += 1
        working = asyncio.create_task(work)
        while await pair.pages("sound") < before:
            assert not working.done()
            await asyncio.sleep(0.1)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@pytest.mark.requirement("failing-source-fails-alone")
async def test_a_sync_ends_though_a_server_drips_for_ever(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request is made once: neither a listing nor a text is asked for again at once."""
    timeouts = Timeouts(10, 60, 600, grace=0.5, least_rate=1024)
    monkeypatch.setattr(http_transport, "_TIMEOUTS", timeouts)
    for number in range(3):
        pair.broken.world.notes.add("alice", f"Slow {number}", "Slow words.")
    listing = pair.broken.faults.add(Drip(0.1), "/apps/notes")
    report = await pair.sync()
    assert "notes: " in report.scans["broken"].reason
    assert "answers too slowly" in report.scans["broken"].reason
    assert listing.used == 1
    pair.broken.faults.clear()
    texts = pair.broken.faults.add(Drip(0.1), r"GET .*/notes/\d+|chunkSize")
    report = await pair.sync()
    assert (report.scans["broken"].complete, report.failed, texts.used) == (True, 3, 3)


@pytest.mark.requirement("failing-source-fails-alone")
async def test_a_source_that_cannot_be_watched_is_retried_after_a_while(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []
    looks = 0

    def hour(_: int) -> float:
        return 3600

    monkeypatch.setattr(follower_pool, "_TICK", 0.01)
    monkeypatch.setattr(follower_pool, "pause_after", hour)
    hold = pair.app.stores.watches.hold

    async def counted(keys: Sequence[SourceId], worker: str, lease: float) -> Watched:
        nonlocal looks
        looks += 1
        return await hold(keys, worker, lease)

    def heard(followed: FollowEvent) -> None:
        if followed.source.name == "broken":
            failed.append(followed.source.name)
            raise ZeroDivisionError

    monkeypatch.setattr(pair.app.stores.watches, "hold", counted)
    working = asyncio.create_task(pair.app.keep(heard=heard))
    while looks < 50:
        assert not working.done()
        await asyncio.sleep(0.01)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert failed == ["broken"]


def test_the_pause_doubles_up_to_five_minutes() -> None:
    assert [follower_pool.pause_after(failures) for failures in (1, 2, 3, 7, 8, 1000)] == [4, 8, 16, 256, 300, 300]
