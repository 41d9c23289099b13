"""The comparison with the record can fail: what is changed in an answer is found."""

import re
from dataclasses import replace

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.contract.nextcloud.shapes import json_differences, repaired, xml_outline
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")


def test_the_recording_is_read_in_full(recorded: dict[str, list[Exchange]], record_text: str) -> None:
    asked = re.findall(r"^> [A-Z]+ \S+ +\(", record_text, re.MULTILINE)
    assert sum(len(found) for found in recorded.values()) == len(asked) > 200


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"status": 500}, "status 200, recorded 500"),
        ({"headers": {"x-other": "1"}}, "lacks the header x-other"),
        ({"headers": {"content-type": "text/html"}}, "content-type is"),
        ({"headers": {}}, "has the header"),
        ({"body": '{"installed": false}'}, "recorded False"),
        ({"body": '{"more": 1}'}, "lacks ['more']"),
    ],
)
def test_a_different_answer_is_reported(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud, changed: dict[str, object], told: str
) -> None:
    status = next(one for one in recorded["ocs"] if one.url == "/status.php")
    capabilities = next(one for one in recorded["ocs"] if one.title == "anonymous capabilities")
    exchange = capabilities if told == "has the header" else status
    found = Replay(nextcloud).differences(replace(exchange, **changed))  # pyright: ignore[reportArgumentType]
    assert any(told in line for line in found), found


def test_an_etag_that_wrongly_stayed_or_changed_is_reported(nextcloud: Nextcloud) -> None:
    number = nextcloud.world.notes.add("alice", "Note", "one")
    ask = Exchange("", "GET", f"/apps/notes/api/v1/notes/{number}", "alice", {}, "", 200, {"etag": '"first"'}, "", True)
    replay = Replay(nextcloud)
    assert not [line for line in replay.differences(ask) if "was due" in line or "stands for" in line]
    assert any("stands for second and for first" in line for line in replay.differences(_tagged(ask, "second")))
    nextcloud.world.notes.edit("alice", number, content="two")
    assert any("was due (recorded first)" in line for line in replay.differences(_tagged(ask, "first")))


def _tagged(exchange: Exchange, etag: str) -> Exchange:
    return replace(exchange, headers={"etag": f'"{etag}"'})


def test_cut_json_is_read_as_far_as_it_goes() -> None:
    assert repaired('[{"id": 1, "a": "x"}, {"id": 2, "a": "y') == [{"id": 1, "a": "x"}, {"id": 2}]
    assert list(json_differences({"a": 1}, {"a": 1, "b": 2})) == [": has ['b'] besides"]
    assert list(json_differences({"a": 1}, {"a": 1, "b": 2}, cut=True)) == []


def test_the_outline_of_a_multistatus_tells_statuses_and_properties() -> None:
    text = (
        '<d:multistatus xmlns:d="DAV:"><d:response><d:href>/x</d:href><d:propstat><d:prop><d:getetag/></d:prop>'
        "<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response></d:multistatus>"
    )
    assert xml_outline(text) == ["/x: HTTP/1.1 404 Not Found {DAV:}getetag"]
