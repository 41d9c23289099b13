"""Events and contacts made to exhaust whatever reads them, served by a Nextcloud beside ordinary ones."""

import pytest
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.server import Nextcloud
from tests.support.hostile_calendars import crowded, deep, mailed, nested, series, standing, ticking
from tests.support.nextcloud_account import AccountsFixture

from citemark.extraction.content_lines import MOST_OF_A_NAME
from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import Listed
from citemark.model.errors import SkippableSourceError

GUESTS = 20_000


async def texts_of(app: AccountApp) -> dict[str, str]:
    """What becomes of every document: its text, or why there is none."""
    found: dict[str, str] = {}
    listed = [each async for each in app.scanner.scan() if isinstance(each, Listed)]
    for each in listed:
        try:
            fetched = await app.processor.fetch(each.doc_type, each.native_id)
        except SkippableSourceError as error:
            found[each.native_id] = f"! {error.message}"
        else:
            assert fetched is not None
            found[each.native_id] = fetched.extracted.body
    return found


@pytest.mark.requirement("zero-recurrence-interval-is-a-problem")
@pytest.mark.parametrize("interval", ["0", "00", "-1"])
@pytest.mark.parametrize("frequency", ["DAILY", "YEARLY", "SECONDLY"])
async def test_a_rule_that_never_advances_is_named_in_the_text_of_its_event(
    nextcloud: Nextcloud, accounts: AccountsFixture, interval: str, frequency: str
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", standing(interval, frequency=frequency))
    calendars.put("alice", "work", event("sound", "Sound"))
    found = await texts_of(accounts.calendars())
    assert f'- Not readable: RRULE: "FREQ={frequency};INTERVAL={interval}' in found["standing"]
    assert "Sound" in found["sound"]


@pytest.mark.requirement("zero-recurrence-interval-is-a-problem")
async def test_a_time_zone_that_never_advances_is_left_out_and_its_event_is_read(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", ticking("FREQ=DAILY;INTERVAL=0"))
    assert "Ticks" in (await texts_of(accounts.calendars()))["ticking"]


async def test_an_endless_entry_costs_limited_processor_time_and_no_other_entry(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for data in (ticking(), event("sound", "Sound"), deep(300)):
        calendars.put("alice", "work", data)
    found = await texts_of(accounts.calendars())
    assert "seconds of the processor" in found["ticking"] or "Ticks" in found["ticking"]
    assert "Sound" in found["sound"]
    assert found["deep"]


@pytest.mark.requirement("properties-per-item-are-capped")
async def test_the_first_of_very_many_guests_and_addresses_are_listed_and_the_rest_counted(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars, contacts = nextcloud.world.calendars, nextcloud.world.contacts
    calendars.create("alice", "work")
    contacts.create("alice", "people")
    for data in (crowded(GUESTS), nested(GUESTS), series(2_000, 20)):
        calendars.put("alice", "work", data)
    contacts.put("alice", "people", mailed(GUESTS))
    contacts.put("alice", "people", contact("sound", "Ada Sound"))
    entries = await texts_of(accounts.calendars())
    people = await texts_of(accounts.contacts())
    left_out = f"[{GUESTS - MOST_OF_A_NAME:,} more lines of the data are left out.]"
    assert entries["crowded"].count("has not answered") == MOST_OF_A_NAME
    assert entries["crowded"].endswith(left_out)
    assert "more lines of the data are left out" in entries["nested"]
    assert "more lines of the data are left out" in entries["series"]
    assert people["card"].count("Mail: ") == MOST_OF_A_NAME
    assert left_out in people["card"]
    assert "Ada Sound" in people["sound"]
