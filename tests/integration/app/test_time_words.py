"""Questions with words about time, over the calendar of tests/data/calendar."""

from collections.abc import AsyncGenerator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import todo
from tests.nextcloud.server import Nextcloud
from tests.unit.tools.clients import text_of

CALENDAR = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "data" / "calendar" / "calendar.yaml").read_text("utf-8")
)
NOW: datetime = CALENDAR["now"]


def stamp(value: str | date | datetime) -> str:
    """A day or time as iCalendar writes it; YAML leaves times without seconds as text."""
    match value:
        case str():
            return (
                value.replace("-", "").replace(":", "").replace("Z", "") + "00" + ("Z" if value.endswith("Z") else "")
            )
        case datetime():
            return f"{value:%Y%m%dT%H%M%S}Z"
        case _:
            return f"{value:%Y%m%d}"


def lines_of(entry: dict[str, Any]) -> list[str]:
    """The properties of an event."""
    zone = entry.get("zone", CALENDAR["zone"])

    def timed(name: str, value: str | date) -> str:
        written = stamp(value)
        if len(written) == len("20261125"):
            return f"{name};VALUE=DATE:{written}"
        return f"{name}:{written}" if written.endswith("Z") else f"{name};TZID={zone}:{written}"

    lines = [f"SUMMARY:{entry['title'].replace(',', chr(92) + ',')}", timed("DTSTART", entry["at"])]
    if "until" in entry:
        lines.append(timed("DTEND", entry["until"]))
    elif isinstance(entry["at"], str):
        lines.append(f"DURATION:PT{entry.get('for', 60)}M")
    lines += [f"RRULE:{entry['rule']}"] if "rule" in entry else []
    lines += [timed("EXDATE", value) for value in entry.get("not", ())]
    return [*lines, f"DESCRIPTION:{entry['text']}"]


def put(nextcloud: Nextcloud, entries: list[dict[str, Any]]) -> None:
    """Write the entries to Alice's calendar and board."""
    world = nextcloud.world
    world.calendars.create("alice", "home", components=("VEVENT", "VTODO"))
    board = world.deck.board("alice", "Rowing club")
    stack = world.deck.stack(board.id, "To do")
    for number, entry in enumerate(entries):
        uid = f"entry-{number}"
        due = stamp(entry["due"]) if "due" in entry else ""
        if entry.get("card"):
            stated = datetime.strptime(due, "%Y%m%dT%H%M%SZ").isoformat() + "+00:00"  # noqa: DTZ007 - it says UTC
            world.deck.card(stack.id, entry["title"], entry["text"], duedate=stated)
        elif due:
            state = "COMPLETED" if entry.get("state") == "done" else "NEEDS-ACTION"
            text = todo(uid, entry["title"], status=state, extra=[f"DESCRIPTION:{entry['text']}"])
            place = "DUE;VALUE=DATE" if len(due) == len("20261125") else f"DUE;TZID={CALENDAR['zone']}"
            world.calendars.put("alice", "home", text.replace("STATUS:", f"{place}:{due}\r\nSTATUS:"))
        else:
            lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//calendar//EN", "BEGIN:VEVENT", f"UID:{uid}"]
            lines += ["DTSTAMP:20250101T080000Z", *lines_of(entry), "END:VEVENT", "END:VCALENDAR", ""]
            world.calendars.put("alice", "home", "\r\n".join(lines))


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    put(nextcloud, CALENDAR["entries"])
    async with cloud_over(dsn, nextcloud, tmp_path, time_zone=CALENDAR["zone"]) as made:
        made.app.clock = lambda: NOW
        await made.join("alice")
        await made.sync()
        yield made


@pytest.mark.requirement("time-words-order")
async def test_questions_about_time_find_the_date_that_they_mean_first(cloud: Cloud) -> None:
    wrong: list[str] = []
    for question in CALENDAR["questions"]:
        hits = await cloud.found("alice", question["ask"], limit=6)
        titles = [hit["title"] for hit in hits][: len(question["first"])]
        if titles != question["first"]:
            wrong.append(f"{question['ask']}: {titles} instead of {question['first']}")
    assert wrong == [], "\n".join(wrong)
    assert len(CALENDAR["questions"]) == 60


@pytest.mark.requirement("past-is-marked", "today")
async def test_what_is_over_is_marked_and_never_shown_as_next(cloud: Cloud) -> None:
    for question in CALENDAR["questions"]:
        if any(word in question["ask"].casefold() for word in ("next ", "upcoming", "nächst", "próxima", "prochaine")):
            hits = await cloud.found("alice", question["ask"], limit=3)
            assert hits[0]["when"] != "past", question["ask"]
    found = {hit["title"]: (hit["when"], hit["date"][:16]) for hit in await cloud.found("alice", "dentist")}
    assert found["Dentist Dr. Weber"] == ("past", "2026-11-23T09:00")
    assert found["Dentist Dr. Weber: filling"] == ("upcoming", "2026-12-15T10:30")
    running = await cloud.found("alice", "Workshop on accessible forms")
    assert (running[0]["title"], running[0]["when"]) == ("Workshop on accessibility", "now")


@pytest.mark.requirement("past-is-marked")
async def test_a_series_is_dated_by_its_next_date_and_by_its_last_if_that_is_asked_for(cloud: Cloud) -> None:
    coming = (await cloud.found("alice", "When is the next yoga class?"))[0]
    assert (coming["title"], coming["date"][:16]) == ("Yoga", "2026-12-08T18:00"), "that of 1 December is cancelled"
    last = (await cloud.found("alice", "When was the last yoga class?"))[0]
    assert (last["title"], last["date"][:16]) == ("Yoga", "2026-11-24T18:00")


@pytest.mark.requirement("time-words-order")
async def test_the_reader_s_zone_decides_what_is_today(cloud: Cloud) -> None:
    cloud.app.clock = lambda: NOW.replace(hour=23, minute=30) - timedelta(days=1)
    titles = [hit["title"] for hit in await cloud.found("alice", "What is on today?")]
    assert titles[:3] == ["Team stand-up", "Workshop on accessibility", "Physiotherapie"], "in Berlin it is the 25th"


@pytest.mark.requirement("past-is-marked")
async def test_hits_and_quotes_of_dated_things_say_when_they_are(cloud: Cloud) -> None:
    async with cloud.client("alice") as client:
        asked = {"query": "dentist Weber", "top_k": 10, "page_size": 10, "options": {"min_score": 0.0}}
        found = await client.call_tool("kb_search", asked)
        quoted = await client.call_tool("kb_retrieve_evidence", {"question": "dentist Weber"})
    times = {hit["title"]: (hit["when"], hit["date"][:16]) for hit in found.structured_content["results"]}
    assert times["Dentist Dr. Weber"] == ("past", "2026-11-23T09:00")
    assert times["Dentist Dr. Weber: filling"] == ("upcoming", "2026-12-15T10:30")
    assert {quote["when"] for quote in quoted.structured_content["quotes"]} >= {"past", "upcoming"}
    for result in (found, quoted):
        assert ", past: 2026-11-23T09:00" in text_of(result)
        assert ", upcoming: 2026-12-15T10:30" in text_of(result)


@pytest.mark.requirement("answers-take-days", "answers-count-further-documents")
async def test_answers_come_from_the_days_and_the_kinds_that_are_asked_for(cloud: Cloud) -> None:
    async def titles(tool: str, **arguments: Any) -> list[str]:
        name = "question" if tool == "kb_answer" else "query"
        given = {name: arguments.pop("about"), "synthesis": "never", "limit": 20, **arguments}
        if tool != "kb_answer":
            given["score_threshold"] = 0.0
        result = await client.call_tool(tool, given)
        assert not result.is_error, result.content
        return [source["title"] for source in result.structured_content["sources"]]

    async with cloud.answering("alice") as client:
        one = {"query": "dentist", "limit": 1, "score_threshold": 0.0, "synthesis": "never"}
        few = (await client.call_tool("nc_semantic_search_answer", one)).structured_content
        assert (len(few["sources"]), few["total_found"] > 1, few["total_is"]) == (1, True, "at_least")
        assert f"Found {few['total_found']} relevant documents." in few["generated_answer"]
        for tool in ("kb_answer", "nc_semantic_search_answer"):
            december = {"date_from": "2026-12-01", "date_to": "2026-12-31"}
            assert "Dentist Dr. Weber: filling" in await titles(tool, about="dentist Weber", **december)
            assert "Dentist Dr. Weber" not in await titles(tool, about="dentist Weber", **december)
            assert await titles(tool, about="dentist Weber", doc_types=["deck_card"], **december) == []
            assert "Yoga" in await titles(tool, about="yoga class", date_from="2026-12-08", date_to="2026-12-08")
            cancelled = await titles(tool, about="yoga class", date_from="2026-12-01", date_to="2026-12-01")
            assert "Yoga" not in cancelled, "that of 1 December is cancelled"
            assert "Yoga" in await titles(tool, about="yoga class", date_from="2026-12-01")
