"""A first sync, changes and a search with each version of Nextcloud that is in use, as upstream documents them."""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.versions import VERSIONS

from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.model.sources import NewSource

TYPES = ("note", "deck_card", "file", "calendar_event", "contact")
CONTACTS = 5
"""More than a report of changes names before it is cut off."""


def fill(server: Nextcloud) -> None:
    """One document of each app."""
    world = server.world
    world.notes.add("alice", "Heron note", "The heron waits at the mill.", "Work")
    board = world.deck.board("alice", "Heron board")
    world.deck.card(world.deck.stack(board.id, "To do").id, "Heron card", "Count the heron.")
    world.files.put("alice", "/heron.md", "# Heron\n\nThe heron file.")
    world.calendars.create("alice", "personal")
    world.calendars.put("alice", "personal", event("heron-1", "Heron event"))
    world.contacts.create("alice", "contacts")
    world.contacts.put("alice", "contacts", contact("heron-0", "Heron Zero"))


async def join(cloud: Cloud, person: str, server: Nextcloud) -> None:
    """Add Alice's account on a server as that of a person of the index."""
    config = {"server": server.url, "login": "alice", "user": "alice"}
    new = NewSource(name=person, kind="nextcloud", config=config)
    source = await cloud.app.stores.sources.add(new, grantee=f"user:{person}", reason="it is theirs")
    await cloud.app.services.get(ACCOUNTS).credentials(source).keep("alice", server.password("alice"))
    cloud.sources[person] = source


async def synced(cloud: Cloud) -> None:
    """Bring the index up to all servers, each of which is read to its end."""
    report = await cloud.sync()
    assert {name: scan.reason for name, scan in report.scans.items() if not scan.complete} == {}


@pytest.mark.requirement("nextcloud-28-to-32")
async def test_every_version_is_read_its_changes_are_followed_and_what_a_person_has_is_found(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    with ExitStack() as running:
        started = {major: running.enter_context(Nextcloud(version=version)) for major, version in VERSIONS.items()}
        servers = {f"person of {major}": server for major, server in started.items()}
        async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
            for person, server in servers.items():
                fill(server)
                await join(cloud, person, server)
            await synced(cloud)
            for person in servers:
                found = await cloud.found(person, "heron")
                assert Counter(hit["doc_type"] for hit in found) == Counter(TYPES), person
            for server in servers.values():
                for number in range(1, CONTACTS):
                    server.world.contacts.put("alice", "contacts", contact(f"heron-{number}", f"Heron {number}"))
                server.world.contacts.delete("alice", "contacts", "heron-0.vcf")
                server.log.clear()
            await synced(cloud)
            for person, server in servers.items():
                found = await cloud.found(person, "heron")
                titles = {hit["title"] for hit in found if hit["doc_type"] == "contact"}
                assert titles == {f"Heron {number}" for number in range(1, CONTACTS)}, person
                asked = server.log.matching("REPORT .*/contacts/")
                reports = [seen for seen in asked if b"sync-collection" in seen.body]
                parts = 1 if server.world.version.report_rows is None else 3
                assert len(reports) == parts, (person, "the report of changes is followed to its end")
