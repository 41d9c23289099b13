"""What people put on their documents, and the days these are for, choose among them."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import contact, event, todo
from tests.nextcloud.server import Nextcloud
from tests.unit.tools.clients import text_of

TEXT = "The crane in the harbour."


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    world = nextcloud.world
    world.notes.add("alice", "Note", f"{TEXT} A note.", "Work/Heron")
    world.files.put("alice", "/Projects/file.md", f"{TEXT} A file.")
    world.files.tag("alice", "/Projects/file.md", "legal")
    board = world.deck.board("alice", "Board")
    card = world.deck.card(world.deck.stack(board.id, "To do").id, "Card", TEXT, duedate="2026-12-24T18:00:00+00:00")
    world.deck.put_label(card.id, world.deck.label(board.id, "legal").id)
    calendars = world.calendars
    calendars.create("alice", "work", components=("VEVENT", "VTODO"))
    for uid, start, extra in (
        ("single", "20261201T230000", ["CATEGORIES:Harbour,legal"]),
        ("series", "20260105T100000", ["RRULE:FREQ=WEEKLY"]),
        ("ended", "20260105T100000", ["RRULE:FREQ=WEEKLY;UNTIL=20260301T100000Z"]),
    ):
        zone = "Europe/Berlin"
        calendars.put("alice", "work", event(uid, uid.title(), start=start, zone=zone, description=TEXT, extra=extra))
    days = event("days", "Days", description=TEXT).replace("DTSTART:20261201T100000Z", "DTSTART;VALUE=DATE:20261210")
    calendars.put("alice", "work", days.replace("DURATION:PT60M", "DTEND;VALUE=DATE:20261212"))
    calendars.put("alice", "work", todo("task", "Task", due="20261224T120000Z", extra=[f"DESCRIPTION:{TEXT}"]))
    world.contacts.create("alice", "contacts")
    world.contacts.put("alice", "contacts", contact("person", "Person", extra=["CATEGORIES:Harbour", f"NOTE:{TEXT}"]))
    async with cloud_over(dsn, nextcloud, tmp_path) as made:
        await made.join("alice")
        await made.sync()
        yield made


CASES: tuple[tuple[dict[str, Any], set[str]], ...] = (
    ({"labels": ["legal"]}, {"file", "Card", "Single"}),
    ({"labels": ["Harbour", "Work/Heron"]}, {"Single", "Person", "Note"}),
    ({"labels": ["Harbour"], "doc_types": ["contact"]}, {"Person"}),
    ({"date_from": "2026-12-01", "date_to": "2026-12-01"}, {"Single"}),
    ({"date_from": "2026-12-07", "date_to": "2026-12-07"}, {"Series"}),
    ({"date_from": "2026-12-11", "date_to": "2026-12-23"}, {"Days", "Series"}),
    ({"date_from": "2026-12-12", "date_to": "2026-12-24"}, {"Series", "Task", "Card"}),
    ({"date_from": "2026-12-24"}, {"Series", "Task", "Card"}),
    ({"date_to": "2026-02-01"}, {"Series", "Ended"}),
    ({"date_from": "2026-03-02", "date_to": "2026-11-30"}, {"Series"}),
    ({"path_prefixes": ["/Projects/"]}, {"file"}),
)


@pytest.mark.requirement("dates-labels-categories-filter")
async def test_labels_categories_tags_days_and_folders_choose(cloud: Cloud) -> None:
    for asked, titles in CASES:
        found = {hit["title"] for hit in await cloud.found("alice", "Where is the crane?", **asked)}
        assert found == titles, asked


@pytest.mark.requirement("dates-labels-categories-filter")
async def test_dates_outside_the_rule_of_a_series_are_found_too(cloud: Cloud, nextcloud: Nextcloud) -> None:
    def put(uid: str, start: str, extra: list[str], *, zone: str = "Europe/Berlin", more: str = "") -> None:
        text = event(uid, uid.title(), start=start, zone=zone, description=TEXT, extra=extra)
        nextcloud.world.calendars.put("alice", "work", text.replace("END:VCALENDAR", f"{more}END:VCALENDAR"))

    until = "RRULE:FREQ=WEEKLY;UNTIL=20270301T100000Z"
    moved = (
        "BEGIN:VEVENT\r\nUID:moved\r\nDTSTAMP:20260101T000000Z\r\n"
        "RECURRENCE-ID;TZID=Europe/Berlin:20270222T100000\r\nDTSTART;TZID=Europe/Berlin:20270310T150000\r\n"
        "DTEND;TZID=Europe/Berlin:20270310T160000\r\nSUMMARY:Moved\r\nEND:VEVENT\r\n"
    )
    put("moved", "20270104T100000", [until], more=moved)
    put("listed", "20270104T100000", ["RDATE;TZID=Europe/Berlin:20270310T100000"])
    put("sydney", "20270301T080000", ["RRULE:FREQ=DAILY;UNTIL=20270309T210000Z"], zone="Australia/Sydney")
    long = event("long", "Long", start="20270101T100000", zone="Europe/Berlin", description=TEXT, extra=[until])
    nextcloud.world.calendars.put("alice", "work", long.replace("DURATION:PT60M", "DURATION:P14D"))
    await cloud.sync()
    asked = {"date_from": "2027-03-10", "date_to": "2027-03-10", "doc_types": ["calendar_event"]}
    found = {hit["title"] for hit in await cloud.found("alice", "Where is the crane?", limit=50, **asked)}
    assert found == {"Moved", "Listed", "Sydney", "Long"}
    later = {"date_from": "2027-03-13", "date_to": "2027-03-14", "doc_types": ["calendar_event"]}
    assert await cloud.found("alice", "Where is the crane?", limit=50, **later) == []


@pytest.mark.requirement("small-untruths-are-mended")
async def test_a_series_found_by_days_shows_its_dates_within_them(cloud: Cloud) -> None:
    async def series(**asked: Any) -> dict[str, str]:
        (hit,) = [hit for hit in await cloud.found("alice", "Where is the crane?", **asked) if hit["title"] == "Series"]
        return hit["metadata"]

    day = await series(date_from="2026-12-07", date_to="2026-12-07")
    assert day["Occurrence"] == ("2026-12-07T10:00:00+01:00[Europe/Berlin] to 2026-12-07T11:00:00+01:00[Europe/Berlin]")
    assert day["Start"] == "2026-01-05T10:00:00+01:00[Europe/Berlin]"
    assert list(day)[:3] == ["Occurrence", "Start", "End"]
    assert "Series" not in day
    weeks = await series(date_from="2030-07-01")
    assert [told[:10] for told in weeks["Occurrence"].split("\n")] == ["2030-07-01", "2030-07-08", "2030-07-15"]
    assert "Occurrence" not in await series()


@pytest.mark.requirement("dates-labels-categories-filter")
async def test_a_page_of_series_that_do_not_meet_on_the_days_makes_room_for_what_comes_after_them(
    cloud: Cloud, nextcloud: Nextcloud
) -> None:
    for uid, start in (("tuesdays", "20260106T100000"), ("thursdays", "20260108T100000")):
        text = event(uid, uid.title(), start=start, zone="Europe/Berlin", description=TEXT, extra=["RRULE:FREQ=WEEKLY"])
        nextcloud.world.calendars.put("alice", "work", text)
    await cloud.sync()
    for day, title in (("2026-12-07", "Series"), ("2026-12-15", "Tuesdays"), ("2026-12-17", "Thursdays")):
        found = await cloud.found("alice", "Where is the crane?", date_from=day, date_to=day, limit=1)
        assert [hit["title"] for hit in found] == [title]


@pytest.mark.requirement("nc-hits-carry-passage-ids")
async def test_a_document_of_an_account_is_read_by_its_passage(cloud: Cloud) -> None:
    asked = {"query": "Where is the crane?", "labels": ["Work/Heron"], "score_threshold": 0.0}
    async with cloud.client("alice") as client:
        found = await client.call_tool("nc_semantic_search", asked)
        shown: dict[str, Any] = found.structured_content or {}
        passage_id: str = shown["results"][0]["passage_id"]
        assert f"; {passage_id})" in text_of(found)
        read = await client.call_tool("kb_read_excerpt", {"passage_id": passage_id})
        cut: dict[str, Any] = {"question": "Where is the crane?", "passage_ids": [passage_id]}
        quotes = await client.call_tool("kb_extract_evidence", cut)
    assert TEXT in (read.structured_content or {})["excerpt"]
    assert (quotes.structured_content or {})["quotes"][0]["passage_id"] == passage_id
