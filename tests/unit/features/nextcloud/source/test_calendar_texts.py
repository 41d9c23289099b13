"""What becomes of events and to-dos."""

import pytest
from tests.nextcloud.pim.texts import event, todo
from tests.support.calendar_entries import lines, read

MOVED_AND_CANCELLED = (
    "BEGIN:VEVENT",
    "UID:e",
    "RECURRENCE-ID:20261130T090000Z",
    "DTSTAMP:20261101T080000Z",
    "DTSTART:20261201T150000Z",
    "DTEND:20261201T160000Z",
    "SUMMARY:Weekly with guests",
    "LOCATION:Hall",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "UID:e",
    "RECURRENCE-ID:20261207T090000Z",
    "DTSTAMP:20261101T080000Z",
    "DTSTART:20261207T090000Z",
    "SUMMARY:Weekly",
    "STATUS:CANCELLED",
    "END:VEVENT",
    "END:VCALENDAR",
)


def next_dates(data: str) -> list[str]:
    return [line[2:] for line in read(data).extracted.body.partition("Next dates")[2].splitlines() if line[:2] == "- "]


def test_an_event_names_itself_its_time_its_place_and_its_people() -> None:
    data = event(
        "e",
        "Load test rehearsal",
        start="20261124T140000",
        minutes=120,
        zone="Europe/Berlin",
        location="Room 5",
        description="2,000 events per second.\n\nBob drives.",
        extra=[
            "ORGANIZER;CN=Alice Berger:mailto:alice@example.org",
            "ATTENDEE;CN=Bob Novak;PARTSTAT=ACCEPTED:mailto:Bob@example.org",
            "ATTENDEE;CN=Priya;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:priya@example.org",
            "ATTENDEE;CN=Big Room;CUTYPE=ROOM;PARTSTAT=DECLINED:urn:room:1",
            "CATEGORIES:Ops,Testing",
            "STATUS:TENTATIVE",
        ],
    )
    assert lines(data) == [
        "# Load test rehearsal",
        "",
        "- When: Tuesday 24 November 2026, 14:00 to 16:00 (Europe/Berlin)",
        "- Where: Room 5",
        "- State: tentative",
        "- Calendar: Work",
        "- Organizer: Alice Berger (alice@example.org)",
        "- Categories: Ops, Testing",
        "",
        "2,000 events per second.",
        "",
        "Bob drives.",
        "",
        "Attendees:",
        "",
        "- Bob Novak (Bob@example.org): accepted",
        "- Priya (priya@example.org): optional, has not answered",
        "- Big Room: room, declined",
    ]
    found = read(data)
    assert found.extracted.title == "Load test rehearsal"
    assert found.extracted.tags == ("Ops", "Testing")
    assert found.metadata == {
        "Start": "2026-11-24T14:00:00+01:00[Europe/Berlin]",
        "End": "2026-11-24T16:00:00+01:00[Europe/Berlin]",
        "Zone": "Europe/Berlin",
        "State": "tentative",
        "Location": "Room 5",
        "Organizer": "Alice Berger",
        "Attendees": "Bob Novak\nPriya\nBig Room",
        "Labels": "Ops\nTesting",
        "Calendar": "Work",
    }


def test_people_are_stated_by_their_mail_addresses_where_they_are_named() -> None:
    found = read(
        event(
            "e",
            "Talk",
            extra=[
                "ORGANIZER;CN=Alice:mailto:alice@example.org",
                "ATTENDEE;CN=Bob Novak;PARTSTAT=ACCEPTED:mailto:Bob@Example.org",
            ],
        )
    )
    stated = [(each.type, each.to_url, each.metadata) for each in found.relationships]
    assert stated == [
        ("organizer", "mailto:alice@example.org", {"name": "Alice"}),
        ("attendee", "mailto:bob@example.org", {"name": "Bob Novak", "answer": "accepted"}),
    ]
    assert [each.span.of(found.extracted.body) for each in found.relationships] == [
        "Alice (alice@example.org)",
        "Bob Novak (Bob@Example.org): accepted",
    ]


def test_attachments_and_links_are_relationships_to_files_and_addresses() -> None:
    found = read(
        event(
            "e",
            "Talk",
            description="See https://example.org/agenda and https://cloud.example/f/77.",
            extra=["ATTACH;FILENAME=/Talks/slides.pdf;X-NC-FILE-ID=42:/f/42", "URL:https://example.org/talk"],
        )
    )
    assert {(each.to_native_id, each.to_url) for each in found.relationships} == {
        ("42", None),
        ("77", None),
        (None, "https://example.org/agenda"),
        (None, "https://example.org/talk"),
    }
    assert "- Attachment: slides.pdf" in found.extracted.body


def test_the_address_opens_the_event_and_the_task_in_the_web_interface() -> None:
    path = "L3JlbW90ZS5waHAvZGF2L2NhbGVuZGFycy9hbGljZS93b3JrL2EgYi5pY3M="
    assert read(event("e", "Talk")).url == f"https://cloud.example/index.php/apps/calendar/edit/{path}"
    assert read(todo("t", "Task")).url == "https://cloud.example/index.php/apps/tasks/#/calendars/work/tasks/a%20b.ics"


def days(start: str, end: str) -> str:
    return (
        event("e", "Days")
        .replace("DURATION:PT60M", f"DTEND;VALUE=DATE:{end}")
        .replace("DTSTART:20261201T100000Z", f"DTSTART;VALUE=DATE:{start}")
    )


@pytest.mark.requirement("recurring-event-kept-as-stored")
def test_dates_stay_dates_and_the_last_day_is_inclusive() -> None:
    assert "- When: Thursday 24 December 2026 to Saturday 26 December 2026 (all day)" in lines(
        days("20261224", "20261227")
    )
    assert "- When: Thursday 24 December 2026 (all day)" in lines(days("20261224", "20261225"))
    metadata = read(days("20261224", "20261227")).metadata
    assert (metadata["Start"], metadata["End"]) == ("2026-12-24", "2026-12-27"), "as stored"


@pytest.mark.requirement("recurring-event-kept-as-stored")
def test_zones_are_named_as_stored_and_a_time_without_one_is_marked() -> None:
    assert "- When: Tuesday 1 December 2026, 10:00 to 11:00 (UTC)" in lines(event("e", "T"))
    assert "- When: Tuesday 1 December 2026, 10:00 to 11:00 (local time, no zone stored)" in lines(
        event("e", "T", start="20261201T100000")
    )
    assert "- When: Tuesday 1 December 2026, 10:00 to 11:00 (W. Europe Standard Time)" in lines(
        event("e", "T", start="20261201T100000", zone="W. Europe Standard Time")
    )
    assert "- When: Tuesday 1 December 2026, 10:00 to 11:00 (My/Own)" in lines(
        event("e", "T", start="20261201T100000", zone="My/Own")
    )


@pytest.mark.requirement("recurring-event-kept-as-stored")
@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,FR", "every week on Monday and Friday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;COUNT=8", "every 2 weeks on Tuesday 8 times"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday (Monday to Friday)"),
        ("FREQ=DAILY;UNTIL=20261224", "every day until Thursday 24 December 2026"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday of the month"),
        ("FREQ=MONTHLY;BYDAY=2TU,4TU", "every month on the second Tuesday and the fourth Tuesday of the month"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15,-1", "every month on day 1, day 15 and the last day of the month"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last weekday of the month"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "every year on the last Sunday of the month in March"),
        ("FREQ=YEARLY;BYWEEKNO=20", "every year in week 20"),
        ("FREQ=HOURLY;INTERVAL=6", "every 6 hours"),
    ],
)
def test_a_rule_is_shown_in_words_and_in_its_own_notation(rule: str, words: str) -> None:
    (told,) = (line for line in lines(event("e", "T", extra=[f"RRULE:{rule}"])) if line.startswith("- Repeats: "))
    said, _, written = told.removeprefix("- Repeats: ").removesuffix(")").partition(" (rule: ")
    assert said == words
    assert set(written.split(";")) == set(rule.split(";"))


@pytest.mark.requirement("recurring-event-kept-as-stored", "endless-rules-and-jumping-clocks")
def test_a_rule_without_end_names_its_next_dates_with_exceptions_and_additions() -> None:
    data = event(
        "e",
        "Weekly",
        start="20200106T090000",
        zone="Europe/Berlin",
        extra=[
            "RRULE:FREQ=WEEKLY",
            "EXDATE;TZID=Europe/Berlin:20261130T090000",
            "RDATE;TZID=Europe/Berlin:20261202T090000",
        ],
    )
    dates = next_dates(data)
    assert dates[:4] == [
        "Monday 23 November 2026, 09:00 to 10:00 (Europe/Berlin)",
        "Wednesday 2 December 2026, 09:00 to 10:00 (Europe/Berlin)",
        "Monday 7 December 2026, 09:00 to 10:00 (Europe/Berlin)",
        "Monday 14 December 2026, 09:00 to 10:00 (Europe/Berlin)",
    ]
    assert len(dates) == 10
    assert "- Not on: Monday 30 November 2026, 09:00 (Europe/Berlin)" in lines(data)
    assert "- Also on: Wednesday 2 December 2026, 09:00 (Europe/Berlin)" in lines(data)


@pytest.mark.requirement("endless-rules-and-jumping-clocks")
def test_daylight_saving_keeps_the_time_of_day_and_repeated_hours_break_nothing() -> None:
    spring = event(
        "e", "T", start="20261102T090000", zone="America/New_York", extra=["RRULE:FREQ=MONTHLY;BYMONTHDAY=2"]
    )
    assert all("09:00 to 10:00 (America/New_York)" in date for date in next_dates(spring))
    # On 25 October 2026 the hour from two to three comes twice in Berlin; on 28 March 2027 there is none.
    night = event("e", "T", start="20261024T023000", zone="Europe/Berlin", extra=["RRULE:FREQ=DAILY"])
    assert len(next_dates(night)) == 10
    whole = event("e", "T", start="20261025T013000", minutes=120, zone="Europe/Berlin")
    assert "- When: Sunday 25 October 2026, 01:30 to 02:30 (Europe/Berlin)" in lines(whole), "two hours on that night"
    gap = event("e", "T", start="20270328T023000", zone="Europe/Berlin")
    assert any("28 March 2027" in line for line in lines(gap))


@pytest.mark.requirement("endless-rules-and-jumping-clocks")
@pytest.mark.timeout(90)
@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=9",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;INTERVAL=7;BYDAY=WE",
        "FREQ=DAILY;COUNT=99999999",
        "FREQ=YEARLY;UNTIL=19000101",
    ],
)
def test_a_rule_that_never_ends_or_never_matches_costs_little_time(rule: str) -> None:
    body = read(event("e", "T", start="20200101T100000Z", extra=[f"RRULE:{rule}"])).extracted.body
    assert "(rule: " in body
    assert "Next dates" in body or "not worked out" in body or "No dates" in body


@pytest.mark.requirement("recurring-event-kept-as-stored")
def test_changed_occurrences_are_shown_with_their_differences_from_the_series() -> None:
    master = event("e", "Weekly", start="20261102T090000Z", location="Room 1", extra=["RRULE:FREQ=WEEKLY"])
    data = master.replace("END:VCALENDAR", "\r\n".join(MOVED_AND_CANCELLED))
    text = lines(data)
    assert (
        "- Monday 30 November 2026, 09:00 (UTC); moved to Tuesday 1 December 2026, 15:00 to 16:00 (UTC); "
        "titled Weekly with guests; at Hall" in text
    )
    assert "- Monday 7 December 2026, 09:00 (UTC); cancelled" in text
    dates = next_dates(data)
    assert dates[0] == "Monday 23 November 2026, 09:00 to 10:00 (UTC)"
    assert dates[1] == "Tuesday 1 December 2026, 15:00 to 16:00 (UTC): Weekly with guests, changed"
    assert dates[2].endswith("cancelled")
    assert text[0] == "# Weekly", "the series, not an occurrence, is the document"


def test_an_invitation_to_one_occurrence_alone_is_read() -> None:
    data = event("e", "Only this one", extra=["RECURRENCE-ID:20261201T100000Z"])
    assert lines(data)[0] == "# Only this one"


def test_a_to_do_states_its_status_due_date_and_progress() -> None:
    data = todo(
        "t",
        "Buy milk",
        due="20261224",
        status="IN-PROCESS",
        extra=["PRIORITY:1", "PERCENT-COMPLETE:40", "CATEGORIES:Home", "DESCRIPTION:Two litres"],
    )
    assert lines(data) == [
        "# Buy milk",
        "",
        "- To do: in progress",
        "- Due: Thursday 24 December 2026",
        "- Progress: 40 %",
        "- Priority: high",
        "- List: Work",
        "- Categories: Home",
        "",
        "Two litres",
    ]
    assert read(data).metadata == {
        "Due": "2026-12-24",
        "State": "in progress",
        "Progress": "40",
        "Priority": "high",
        "Labels": "Home",
        "Calendar": "Work",
    }


@pytest.mark.parametrize(
    ("status", "extra", "state"),
    [
        ("NEEDS-ACTION", [], "open"),
        ("COMPLETED", ["COMPLETED:20261120T120000Z"], "done"),
        ("CANCELLED", [], "cancelled"),
        ("NEEDS-ACTION", ["COMPLETED:20261120T120000Z"], "done"),
    ],
)
def test_the_state_of_a_to_do_is_one_of_four(status: str, extra: list[str], state: str) -> None:
    assert read(todo("t", "Task", status=status, extra=extra)).metadata["State"] == state


def test_a_document_without_a_title_still_has_a_name() -> None:
    assert lines(event("e", ""))[0] == "# Event (untitled)"
    assert lines(todo("t", ""))[0] == "# To-do (untitled)"


def test_right_to_left_text_stays_as_it_was_written() -> None:
    data = event("e", "פגישת צוות", location="חדר 5", description="שלום עולם")
    assert lines(data)[0] == "# פגישת צוות"
    assert "- Where: חדר 5" in lines(data)
