"""The address of each document opens on a server as people run it: without URL rewriting, and in a folder."""

from pathlib import Path
from urllib.parse import unquote

import httpx2
import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import contact, event, todo
from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.source.kind import DOC_TYPES


def fill(nextcloud: Nextcloud) -> None:
    """One document of each type, with names that have to be encoded."""
    world = nextcloud.world
    world.notes.add("alice", "Heron / note", "The heron.", "Some folder")
    world.files.put("alice", "/Some folder/heron ü?.md", "# Heron\nThe heron.\n")
    stack = world.deck.stack(world.deck.board("alice", "Board").id, "Stack")
    world.deck.assign(world.deck.card(stack.id, "Heron card", description="The heron.").id, "bob")
    world.calendars.create("alice", "work", "Work", ("VEVENT", "VTODO"))
    world.calendars.put("alice", "work", event("e/1 ü", "Heron meeting"), "a meeting ü.ics")
    world.calendars.put("alice", "work", todo("t1", "Heron to-do"), "a to-do ü.ics")
    world.contacts.create("alice", "people", "People")
    world.contacts.put("alice", "people", contact("c 1", "Heron Contact"), "a contact.vcf")


async def related(cloud: Cloud) -> set[str]:
    """The addresses that relationships of documents lead to."""
    rows = await cloud.app.stores.database.read_sql(
        "SELECT DISTINCT to_url FROM relationship WHERE to_url LIKE %(below)s", {"below": f"{cloud.server.url}%"}
    )
    return {row["to_url"] for row in rows}


@pytest.mark.requirement("addresses-open-without-rewriting")
@pytest.mark.parametrize("folder", ["", "/my/cloud"])
async def test_the_address_of_every_type_of_document_opens_without_url_rewriting(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, folder: str
) -> None:
    nextcloud.app.rewrites, nextcloud.app.folder = False, folder
    nextcloud.url += folder
    fill(nextcloud)
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        hits = await cloud.found("alice", "heron")
        led_to = await related(cloud)
    assert {hit["doc_type"] for hit in hits} == set(DOC_TYPES)
    async with httpx2.AsyncClient(headers=nextcloud.basic("alice")) as browser:
        addresses = {hit["doc_type"]: hit["url"] for hit in hits} | {url: url for url in led_to}
        opened = {name: (await browser.get(address)).status_code for name, address in addresses.items()}
        without = {
            name: (await browser.get(url.replace("/index.php", ""))).status_code for name, url in addresses.items()
        }
    assert opened == dict.fromkeys(addresses, 200)
    assert set(without.values()) == {404}, "the server has no rewriting"
    assert f"{nextcloud.url}/index.php/u/bob" in led_to
    task = unquote(addresses["calendar_todo"].partition("#")[2])
    assert task == "/calendars/work/tasks/a to-do ü.ics"
