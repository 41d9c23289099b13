"""The small parts of the DAV layer: XML, paths, the glance at data, names, versions."""

from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.content_lines import summarize
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.dav.api import multiget, sync_collection
from citemark.features.nextcloud.source.dav.snapshots import (
    CollectionSnapshot,
    ResourceState,
    assign_native_ids,
    same_data,
    version_of,
)
from citemark.features.nextcloud.source.links import canonical, name_of
from citemark.features.nextcloud.source.multistatus import (
    DAV,
    MalformedMultistatus,
    Multistatus,
    MultistatusEntry,
    read_answer,
)
from citemark.model.ids import NativeId

ICAL = {"VEVENT": "event", "VTODO": "todo"}
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def answer(inside: str) -> bytes:
    return f'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">{inside}</d:multistatus>'.encode()


async def read(body: bytes) -> Multistatus[MultistatusEntry]:
    return await read_answer(body, ParserPool(), most=1000, use=lambda response: response)


async def test_only_properties_that_were_found_are_read() -> None:
    body = answer(
        "<d:response><d:href>/a%2fb/c%C3%BC</d:href>"
        "<d:propstat><d:prop><d:getetag>&quot;1&quot;</d:getetag></d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
        "<d:propstat><d:prop><d:displayname/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>"
        "</d:response><d:response><d:href>/gone</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
        "<d:sync-token> t </d:sync-token>"
    )
    found = await read(body)
    assert [(each.href, each.status, each.text(DAV, "getetag")) for each in found.responses] == [
        ("/a%2fb/c%C3%BC", 200, '"1"'),
        ("/gone", 404, ""),
    ]
    assert found.responses[0].text(DAV, "displayname") == ""
    assert found.token == "t"


@pytest.mark.parametrize("body", [b"", b"<html><body>Sign in</body></html>", b"<d:multistatus", b'{"a": 1}'])
async def test_a_response_that_is_not_a_multistatus_does_not_count_as_empty(body: bytes) -> None:
    with pytest.raises(MalformedMultistatus):
        await read(body)


async def test_entities_are_not_followed() -> None:
    body = (
        b'<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><d:multistatus xmlns:d="DAV:"><d:response>'
        b"<d:href>/a&x;</d:href></d:response></d:multistatus>"
    )
    assert "root" not in repr((await read(body)).responses)


@pytest.mark.parametrize("poison", ["\x01", "\x0b", "&#1;", "&#x0;", "&#x1f;", "&#11;"])
async def test_a_character_that_xml_does_not_allow_is_left_out(poison: str) -> None:
    found = await read(answer(f"<d:response><d:href>/a{poison}b</d:href></d:response>"))
    assert found.responses[0].href == "/ab"


async def test_line_breaks_written_as_references_stay() -> None:
    assert b"&#13;" in answer("&#13;&#10;")
    found = await read(
        answer(
            "<d:response><d:href>/a</d:href><d:propstat><d:prop><d:displayname>x&#13;&#10;&#9;y</d:displayname></d:prop>"
            "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        )
    )
    assert found.responses[0].text(DAV, "displayname") == "x\r\n\ty"


def test_requests_carry_any_text_without_breaking() -> None:
    assert b"&lt;&amp;" in sync_collection("<&")
    assert b"<d:href>/a&amp;b</d:href>" in multiget("c:calendar-multiget", "c:calendar-data", ["/a&b"])


@given(st.text(max_size=30))
def test_a_path_has_one_normal_form(name: str) -> None:
    once = canonical(f"/dav/{name.replace('?', '').replace('#', '').replace('://', '')}")
    assert canonical(once) == once


def test_paths_are_compared_whatever_the_server_encodes() -> None:
    assert canonical("https://h/a%c3%bc/b%20c") == canonical("/aü/b c") == "/a%C3%BC/b%20c"
    assert canonical("/a%2Fb") != canonical("/a/b")
    assert name_of("/a/b%20c/") == "b c"


def test_the_uid_is_that_of_the_component_and_not_of_a_nested_one() -> None:
    data = (
        "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:x\r\nRRULE:FREQ=YEARLY\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n"
        "BEGIN:VALARM\r\nUID:alarm\r\nEND:VALARM\r\nUID:the-long-\r\n one\r\nLAST-MODIFIED:20261101T080000Z\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    found = summarize(data, ICAL)
    assert (found.doc_type, found.uid, found.repeats) == ("event", "the-long-one", False)
    assert found.modified_at == datetime(2026, 11, 1, 8, tzinfo=UTC)


def test_repeating_entries_are_recognized_regardless_of_line_breaks() -> None:
    data = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID;X=1:a\nRRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR\n"
    found = summarize(data, ICAL)
    assert found.repeats
    assert found == summarize(data.replace("\n", "\r\n").rstrip(), ICAL)
    assert found.digest != summarize(data.replace("UID", "Uid"), ICAL).digest


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@given(st.text(max_size=200))
def test_summarizing_anything_raises_nothing(data: str) -> None:
    assert summarize(data, ICAL).doc_type in {"", "event", "todo"}
    # A blank at the start would continue the line before it (RFC 5545, 3.1).
    assert summarize(f"BEGIN:VEVENT\n{data.lstrip()}", ICAL).doc_type == "event"


def state(uid: str, native_id: str = "") -> ResourceState:
    return ResourceState("event", NativeId(native_id), uid, '"1"', "d")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["u", "v", ""])), max_size=8))
def test_every_document_has_an_id_of_its_own_that_stays(entries: list[tuple[str, str]]) -> None:
    snapshots: dict[str, CollectionSnapshot] = {}
    for number, (collection, uid) in enumerate(entries):
        before = snapshots.get(f"/{collection}/", CollectionSnapshot("", "", {}))
        snapshots[f"/{collection}/"] = CollectionSnapshot(
            "", "", {**before.state, f"/{collection}/{number}.ics": state(uid)}
        )
    found = assign_native_ids(snapshots)
    ids = [entry.native_id for snapshot in found.values() for entry in snapshot.state.values()]
    assert len(set(ids)) == len(ids) == len(entries)
    assert assign_native_ids(found) == found
    assert {uid for _, uid in entries if uid} <= set(ids)
    for order in list(permutations(snapshots))[:4]:
        assert assign_native_ids({key: snapshots[key] for key in order}) == found


def test_a_version_changes_with_the_data_the_etag_the_label_and_the_month_of_what_repeats() -> None:
    one = ResourceState("event", NativeId("a"), "a", '"1"', "d")
    other = [
        version_of(ResourceState("event", NativeId("a"), "a", '"2"', "d"), "Work", NOW),
        version_of(ResourceState("event", NativeId("a"), "a", '"1"', "e"), "Work", NOW),
        version_of(one, "Play", NOW),
        version_of(ResourceState("event", NativeId("a"), "a", '"1"', "d", repeats=True), "Work", NOW),
    ]
    assert len({version_of(one, "Work", NOW), *other}) == 5
    assert [same_data(one, version) for version in other] == [False, False, True, True]
