"""A Nextcloud that answers what no Nextcloud does, and entries that no person wrote: others never suffer from it."""

import json
import os
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import pytest
from tests.integration.app.test_broken_accounts import NOTES, Pair, pair
from tests.nextcloud.faults import Cut, Drip, Effect, Html, Instead, Reset, Status, Truncate
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.scenarios import BROKEN_CALENDARS, BROKEN_CONTACTS
from tests.support.hostile_calendars import card, crowded, deep, mailed, nested, series, standing, ticking
from tests.support.hostile_listings import (
    BAD_ADDRESSES,
    Made,
    crowded_folder,
    deep_json,
    endless_notes,
    endless_tree,
    json_answer,
    multistatus,
    multistatus_answer,
    padded,
    response,
    wide_json,
)
from tests.support.hostile_texts import ODD_WORDS
from tests.support.index import Index

__all__ = ["pair"]
"""The fixture: a server to be broken, and a sound one."""

LONG = bool(os.environ.get("CITEMARK_SOAK"))
_EVERY = 1 if LONG else 50
_ODD_JSON: tuple[Any, ...] = (None, True, 1e300, "word", [], {}, [None], [[]], [{}], {"a": 1})
_SIZE = 2**22
_NOTES, _FILES, _DATES = "/apps/notes", "PROPFIND .*/files/", "PROPFIND .*/calendars/"
_ODD_XML = (b"", b"<", b"<d:multistatus/>", b"<?xml version='1.0' encoding='klingon'?><a/>", b"\x00" * 99, b"null")


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree without end is cut after 50,000 folders by default, which takes the double half an hour."""
    monkeypatch.setenv("CITEMARK_NEXTCLOUD_MAX_FOLDERS", "200")


def _body(data: bytes, **headers: str) -> Made:
    return lambda _: (207, {"content-type": "application/xml", **headers}, data)


def attacks() -> dict[str, tuple[Effect, str]]:
    """What is answered, and to which requests."""
    laughs = b'<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    bomb = zlib.compress(bytes(_SIZE * 16), wbits=31)
    found: dict[str, tuple[Effect, str]] = {
        **{f"note of {name}": (Instead(made), _NOTES) for name, made in NOTES.items()},
        **{f"file at {href}": (Instead(multistatus_answer(response(href))), _FILES) for href in BAD_ADDRESSES},
        **{f"date at {href}": (Instead(multistatus_answer(response(href))), _DATES) for href in BAD_ADDRESSES},
        **{f"xml {data[:20]!r}": (Instead(_body(data)), _FILES) for data in _ODD_XML},
        **{f"xml with much {kind}": (Instead(_body(padded(multistatus(""), kind, _SIZE))), _FILES)
           for kind in ("elements", "attributes", "text", "depth", "comments")},
        **{f"json {value!r}": (Instead(json_answer(value)), _NOTES)
           for value in _ODD_JSON},
        **{f"status {code}": (Status(code, b"odd"), "")
           for code in (100, 204, 206, 300, 304, 400, 402, 403, 404, 405, 409, 410, 413, 418, 451, 500, 503, 507, 599)},
        **{f"redirect to {to}": (Status(302, b"", {"location": to}), _NOTES)
           for to in ("", "/", "http://127.0.0.1:9/", "file:///etc/passwd", "ftp://127.0.0.1/", "//[x")},
        "entities": (Instead(_body(laughs + b"<a>&b;</a>")), _FILES),
        "bomb": (Instead(_body(bomb, **{"content-encoding": "gzip"})), _FILES),
        "bomb of json": (Instead(_body(bomb, **{"content-encoding": "gzip"})), _NOTES),
        "no gzip": (Instead(_body(b"words", **{"content-encoding": "gzip"})), _FILES),
        "unknown encoding": (Instead(_body(b"words", **{"content-encoding": "klingon"})), _FILES),
        "odd type": (Instead(_body(b"words", **{"content-type": "\xff/;;;charset=klingon"})), _FILES),
        "wide json": (Instead(wide_json(200_000)), _NOTES),
        "deep json": (Instead(deep_json()), _NOTES),
        "long number": (Instead(_body(b"9" * 100_000)), _NOTES),
        "odd numbers": (Instead(json_answer([{"id": 1, "etag": "e", "modified": json.loads("1e999")}])), _NOTES),
        "html": (Html(), ""),
        "cut": (Cut(), ""),
        "truncated": (Truncate(), ""),
        "reset": (Reset(), ""),
        "crowded folder": (Instead(crowded_folder("alice", 5_000)), _FILES),
    }  # fmt: skip
    if LONG:
        found |= {
            "drip": (Drip(0.2), _NOTES),
            "drip of everything": (Drip(0.2), ""),
            "endless notes": (Instead(endless_notes()), _NOTES),
            "endless tree": (Instead(endless_tree()), _FILES),
        }
    return found


def dates() -> dict[str, str]:
    """Calendar objects by kind; the identifier is said in each that can say one."""
    rules = (
        "FREQ=DAILY;COUNT=999999999", "FREQ=SECONDLY", "FREQ=KLINGON", "FREQ=YEARLY;BYMONTH=13", "FREQ=DAILY;UNTIL=0",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2", "FREQ=DAILY;BYSETPOS=-999", "COUNT=1",
        "FREQ=DAILY;INTERVAL=99999999999",
        "FREQ=MINUTELY;BYSECOND=0,1,2,3,4,5,6,7,8,9", "",
    )  # fmt: skip
    extras = (
        "DTSTART:99999999T999999Z", "DURATION:P99999999999D", "DTEND:00010101T000000Z", "EXDATE:never",
        "RDATE:" + ",".join(["20261201T100000Z"] * 5_000), "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "A" * 100_000,
        "DESCRIPTION:" + "x" * 500_000, "X-" + "A" * 10_000 + ":1", ";;;:::", "GEO:NaN;Infinity", "RECURRENCE-ID:now",
    )  # fmt: skip
    return {
        **{f"rule-{place}": event(f"rule-{place}", "Odd", extra=[f"RRULE:{rule}"]) for place, rule in enumerate(rules)},
        **{f"extra-{place}": event(f"extra-{place}", "Odd", extra=[line]) for place, line in enumerate(extras)},
        "standing": standing(),
        "crowded": crowded(5_000),
        "nested": nested(2_000),
        "deep": deep(200),
        "ticking": ticking(),
        "series": series(500, 5),
        **{f"listed-{place}": text for place, text in enumerate(listed("VCALENDAR", "VEVENT"))},
        **{f"broken-{place}": text for place, text in enumerate(BROKEN_CALENDARS)},
    }


def listed(outer: str, inner: str) -> tuple[str, ...]:
    """What already the listing trips over if it trusts the data."""
    texts = (
        "UID:{0}-stamp\nDTSTAMP:20261399T250000Z\nLAST-MODIFIED:99999999T999999Z\nREV:00000000T000000Z",
        "UID:{0}" + "".join(f"{number * 2_654_435_761 % 2**32:08x}" for number in range(2_000)),
        "UID:{0}-again\n" * 5_000,
        "UID:{0}-nul\u0007\ufffe\nSUMMARY:Odd\nFN:Odd",
    )
    wraps = tuple(dict.fromkeys((outer, inner)))
    begins, ends = (
        "\n".join(f"{word}:{name}" for name in names) for word, names in (("BEGIN", wraps), ("END", reversed(wraps)))
    )
    whole = [f"{begins}\nDTSTART:20261201T100000Z\n{text.format(inner.lower())}\n{ends}\n" for text in texts]
    return (*whole, f"{ends}\n{ends}\n{begins}\nUID:{inner.lower()}-ends\n{ends}\n{ends}\n", f"{begins}\n" * 3)


def cards() -> dict[str, str]:
    """Contacts by kind."""
    lines = (
        "BDAY:99999999", "PHOTO;ENCODING=b:" + "!" * 10_000, "ADR:" + ";" * 10_000, "N:" + ";" * 1_000,
        "NOTE:" + "\\n" * 50_000, "TEL;" + "TYPE=x;" * 2_000 + "WAIT:1", "NOTE;CHARSET=klingon:a", "URL:http://[bad",
        "NOTE;ENCODING=QUOTED-PRINTABLE:=ZZ=", "AGENT:BEGIN:VCARD", "X-A:" + "x" * 500_000, "ORG:" + "\u202e" * 99,
    )  # fmt: skip
    return {
        **{f"line-{place}": card(line).replace("UID:card", f"UID:line-{place}") for place, line in enumerate(lines)},
        **{f"word-{place}": contact(f"word-{place}", word) for place, word in enumerate(ODD_WORDS[3:12])},
        "mailed": mailed(5_000),
        **{f"listed-{place}": text for place, text in enumerate(listed("VCARD", "VCARD"))},
        **{f"broken-{place}": text for place, text in enumerate(BROKEN_CONTACTS)},
    }


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_a_hostile_server_affects_only_its_own_account(pair: Pair) -> None:
    before = await pair.pages("broken")
    chosen = dict(list(attacks().items())[::_EVERY])
    told = 0
    for number, (name, (effect, on)) in enumerate(chosen.items()):
        fault = pair.broken.faults.add(effect, on)
        pair.sound.world.notes.add("alice", f"New {number}", "Another note.")
        sound = await pair.pages("sound")
        report = await pair.sync()
        scan = report.scans["broken"]
        assert fault.used, f"{name}: nobody asked for what is attacked"
        assert name != "endless tree" or "MAX_FOLDERS" in scan.reason, f"{name}: {scan.reason}"
        assert report.scans["sound"].complete, name
        assert await pair.pages("sound") == sound + 1, name
        assert scan.complete or scan.reason, name
        assert "unexpectedly" not in scan.reason, f"{name}: {scan.reason}"
        told += not scan.complete
        pair.broken.faults.clear()
        pair.broken.world.clock.jump(2)
        await _try_again(pair)
        assert (await pair.sync()).scans["broken"].complete, name
        assert await pair.pages("broken") == before, name
    print(f"{len(chosen)} hostile answers, {told} of them reported")  # noqa: T201 - the figures of a soak


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_hostile_entries_are_indexed_or_reported_and_hide_no_other(pair: Pair) -> None:
    world = pair.broken.world
    stored = Index(pair.app.stores.database)
    source = next(key for key, each in (await pair.app.local_sources()).items() if each.name == "broken")
    known = "SELECT count(*) FROM item WHERE source_id = %s AND wanted_version IS NOT NULL"
    before = await stored.value(known, source)
    events, people = _chosen(dates()), _chosen(cards())
    sent = [
        *(world.calendars.put("alice", "work", text) for text in events),
        *(world.contacts.put("alice", "people", text) for text in people),
    ]
    world.notes.add("alice", "After", "The note after all of them.")
    pair.broken.log.clear()
    report = await pair.sync()
    assert report.scans["broken"].complete, report.scans["broken"].reason
    assert len({each.name for each in sent[: len(events)]}) == len(events), "one has taken another's place"
    assert len({each.name for each in sent[len(events) :]}) == len(people), "one has taken another's place"
    asked = "".join(unquote(f"{seen.path} {seen.body!r}") for seen in pair.broken.log.seen)
    assert [each.name for each in sent if each.name not in asked] == [], "entries that nobody asked for"
    documents = [text for text in (*events, *people) if "BEGIN:VEVENT" in text or "BEGIN:VCARD" in text]
    assert await stored.value(known, source) == before + len(documents) + 1, "each is a document, and one after them"
    open_ = f"{known} AND wanted_version IS DISTINCT FROM indexed_version AND error IS NULL"
    assert await stored.value(open_, source) == 0
    errors = await stored.rows("SELECT native_id, error FROM item WHERE source_id = %s AND error IS NOT NULL", source)
    unforeseen = [
        (name[:40], error)
        for name, error in errors
        if any(word in error for word in ("parser", "processor", "CITEMARK_"))
    ]
    assert unforeseen == [], "each is understood or refused; none breaks its parser or wants all of its time"
    print(f"{len(events)} events and {len(people)} contacts, {len(errors)} of them reported")  # noqa: T201 - the figures of a soak


def _chosen(texts: Mapping[str, str]) -> list[str]:
    """All of them; of a fiftieth every tenth, and those that cost little and went wrong before."""
    always = ("listed-", "broken-", "standing")
    step = _EVERY // 5 or 1
    return [text for place, (name, text) in enumerate(texts.items()) if place % step == 0 or name.startswith(always)]


async def _try_again(pair: Pair) -> None:
    """What failed need not wait, and everything is listed anew."""
    async with pair.app.stores.database.transaction() as connection:
        await connection.execute("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
        await connection.execute("DELETE FROM scan_memory")
