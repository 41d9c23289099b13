"""The client of an account: retries, refusals, and where a password is never sent."""

import asyncio
from time import monotonic

import pytest
from tests.nextcloud.faults import Cut, Drip, Html, Reset, Status, Truncate
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_client import FixedCredentials, client_of

from citemark.features.nextcloud.source import http_transport
from citemark.features.nextcloud.source.http_responses import MaintenanceMode, json_in
from citemark.features.nextcloud.source.http_transport import (
    CrossOriginRedirect,
    HttpTransport,
    SlowResponse,
    server_address,
)
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError
from citemark.remote.connections import HttpRequest, Timeouts
from citemark.sources.contract import foreground

USER = "/ocs/v2.php/cloud/user?format=json"
OCS = {"OCS-APIRequest": "true"}
NOTES = "/index.php/apps/notes/api/v1/notes"
DAV = "/remote.php/dav/files/alice/"


@pytest.mark.requirement("notes-and-deck-use-basic-login")
@pytest.mark.requirement("no-cookie-is-kept")
async def test_every_request_logs_in_by_itself_and_no_cookie_is_kept(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud) as client:
        for path in (USER, NOTES, DAV):
            method = "PROPFIND" if path == DAV else "GET"
            assert (await client.send(HttpRequest(method, path, headers=OCS))).status in {200, 207}
    for seen in nextcloud.log.seen:
        assert seen.headers["authorization"].startswith("Basic ")
        assert "cookie" not in seen.headers


@pytest.mark.requirement("first-401-stops-a-credential")
@pytest.mark.requirement("wrong-password-stops-at-once")
async def test_a_wrong_password_is_tried_once_however_many_ask_at_once(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud, credentials=FixedCredentials("alice", "wrong")) as client:
        asked = [client.send(HttpRequest("GET", USER, headers=OCS)) for _ in range(20)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(answer, FatalSourceError) for answer in answers)
    assert [seen.status for seen in nextcloud.log.seen] == [401]


@pytest.mark.requirement("first-401-stops-a-credential")
@pytest.mark.requirement("first-401-is-one-request")
async def test_a_password_revoked_in_between_stops_all_use_until_it_is_renewed(nextcloud: Nextcloud) -> None:
    held = FixedCredentials("alice", nextcloud.password("alice"))
    async with client_of(nextcloud, credentials=held) as client:
        assert (await client.send(HttpRequest("GET", USER, headers=OCS))).status == 200
        nextcloud.world.accounts.revoke("alice")
        nextcloud.log.clear()
        asked = [client.send(HttpRequest("GET", USER, headers=OCS)) for _ in range(12)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(answer, FatalSourceError) for answer in answers)
        for _ in range(3):
            with pytest.raises(FatalSourceError):
                await client.send(HttpRequest("GET", USER, headers=OCS))
        assert [seen.status for seen in nextcloud.log.seen] == [401]
        held.renew(nextcloud.world.accounts.issue("alice", "renewed"))
        assert (await client.send(HttpRequest("GET", USER, headers=OCS))).status == 200


@pytest.mark.requirement("first-401-is-one-request", "server-in-maintenance-asked-once")
@pytest.mark.parametrize("event", ["revoked", "maintenance"])
async def test_requests_that_wait_for_a_slot_learn_what_the_one_before_them_met(
    nextcloud: Nextcloud, event: str
) -> None:
    async with client_of(nextcloud, parallel=1) as client:
        waiting = [asyncio.create_task(client.send(HttpRequest("GET", USER, headers=OCS))) for _ in range(12)]
        assert (await waiting[0]).status == 200
        if event == "revoked":
            nextcloud.world.accounts.revoke("alice")
        else:
            nextcloud.world.maintenance = True
        answers = await asyncio.gather(*waiting, return_exceptions=True)
    met = FatalSourceError if event == "revoked" else MaintenanceMode
    assert isinstance(answers[-1], met)
    assert sum(seen.status != 200 for seen in nextcloud.log.seen) == 1


@pytest.mark.requirement("first-401-is-one-request")
async def test_requests_that_wait_for_a_slot_use_the_password_that_was_renewed_meanwhile(nextcloud: Nextcloud) -> None:
    held = FixedCredentials("alice", nextcloud.password("alice"))
    async with client_of(nextcloud, credentials=held, parallel=1) as client:
        waiting = [asyncio.create_task(client.send(HttpRequest("GET", USER, headers=OCS))) for _ in range(12)]
        assert (await waiting[0]).status == 200
        held.renew(nextcloud.world.accounts.issue("alice", "renewed"))
        assert [reply.status for reply in await asyncio.gather(*waiting)] == [200] * 12


@pytest.mark.requirement("nextcloud-client-limits-and-retries")
@pytest.mark.parametrize("fault", [Status(500), Status(502), Status(429), Reset(), Truncate()])
async def test_requests_that_only_read_are_retried_after_a_failure(nextcloud: Nextcloud, fault: Status) -> None:
    nextcloud.faults.add(fault, times=1)
    async with client_of(nextcloud) as client:
        assert json_in(await client.send(HttpRequest("GET", USER, headers=OCS)))["ocs"]["data"]["id"] == "alice"


async def test_a_permanent_failure_is_given_up_after_three_attempts(nextcloud: Nextcloud) -> None:
    nextcloud.faults.add(Status(500))
    async with client_of(nextcloud) as client:
        with pytest.raises(RetriableSourceError, match="500"):
            await client.send(HttpRequest("GET", USER, headers=OCS))
    assert len(nextcloud.log) == 3


@pytest.mark.requirement("failing-source-fails-alone")
async def test_a_server_that_drips_is_given_up_after_one_try_and_left_alone_for_a_while(
    nextcloud: Nextcloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_transport, "_TIMEOUTS", Timeouts(10, 60, 600, grace=0.3, least_rate=1024))
    drip = nextcloud.faults.add(Drip(0.05))
    async with client_of(nextcloud) as client:
        with pytest.raises(SlowResponse, match="too slowly") as slow:
            await client.send(HttpRequest("GET", USER, headers=OCS))
    assert drip.used == 1
    assert slow.value.retry_after == 120


@pytest.mark.requirement("nextcloud-client-limits-and-retries")
async def test_a_short_retry_after_is_waited_for_and_a_long_one_passed_on(nextcloud: Nextcloud) -> None:
    nextcloud.faults.add(Status(429, headers={"retry-after": "1"}), times=1)
    async with client_of(nextcloud) as client:
        began = monotonic()
        assert (await client.send(HttpRequest("GET", USER, headers=OCS))).status == 200
        assert monotonic() - began >= 1
        nextcloud.faults.add(Status(429, headers={"retry-after": "90"}), times=1)
        nextcloud.log.clear()
        with pytest.raises(RetriableSourceError) as told:
            await client.send(HttpRequest("GET", USER, headers=OCS))
    assert told.value.retry_after == 90
    assert len(nextcloud.log) == 1


@pytest.mark.requirement("nextcloud-client-limits-and-retries")
@pytest.mark.parametrize(("method", "path"), [("GET", USER), ("PROPFIND", DAV), ("GET", NOTES)])
async def test_maintenance_is_understood_in_each_of_its_forms(nextcloud: Nextcloud, method: str, path: str) -> None:
    nextcloud.world.maintenance = True
    async with client_of(nextcloud) as client:
        with pytest.raises(MaintenanceMode) as told:
            await client.send(HttpRequest(method, path, headers=OCS))
    assert told.value.retry_after == 120
    assert len(nextcloud.log) == 1


async def test_a_web_page_or_broken_json_is_not_a_valid_response(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud) as client:
        nextcloud.faults.add(Html(), times=3)
        with pytest.raises(RetriableSourceError, match="web page"):
            await client.send(HttpRequest("GET", NOTES))
        nextcloud.faults.add(Cut(), times=1)
        with pytest.raises(RetriableSourceError, match="not JSON"):
            json_in(await client.send(HttpRequest("GET", USER, headers=OCS)))


async def test_a_file_that_is_a_web_page_is_an_answer(nextcloud: Nextcloud) -> None:
    nextcloud.world.files.put("alice", "/page.html", b"<!DOCTYPE html><title>Page</title>")
    async with client_of(nextcloud) as client:
        assert b"Page" in (await client.send(HttpRequest("GET", f"{DAV}page.html"))).body


async def test_a_response_that_is_too_large_is_cut_off(nextcloud: Nextcloud) -> None:
    nextcloud.world.files.put("alice", "/large.txt", b"x" * 100_000)
    async with client_of(nextcloud) as client:
        with pytest.raises(SkippableSourceError, match="larger than"):
            await client.send(HttpRequest("GET", f"{DAV}large.txt", most_bytes=50_000))


@pytest.mark.requirement("credentials-never-follow-redirects")
async def test_nothing_is_sent_to_the_target_of_another_servers_redirect(nextcloud: Nextcloud) -> None:
    with Nextcloud() as other:
        nextcloud.faults.redirect(f"{other.url}{USER}")
        async with client_of(nextcloud) as client:
            with pytest.raises(CrossOriginRedirect, match="another server"):
                await client.send(HttpRequest("GET", USER, headers=OCS))
            with pytest.raises(CrossOriginRedirect):
                await client.send(HttpRequest("GET", f"{other.url}{USER}", headers=OCS))
        assert len(other.log) == 0
    assert len(nextcloud.log) == 1


async def test_a_redirect_on_the_same_server_keeps_the_method(nextcloud: Nextcloud) -> None:
    nextcloud.faults.redirect("/remote.php/dav/files/alice/", on="well-known")
    async with client_of(nextcloud) as client:
        reply = await client.send(HttpRequest("PROPFIND", "/.well-known/caldav", headers={"Depth": "0"}))
    assert reply.status == 207
    assert [seen.method for seen in nextcloud.log.seen] == ["PROPFIND", "PROPFIND"]


@pytest.mark.requirement("nextcloud-client-limits-and-retries")
async def test_background_requests_use_a_few_slots_and_foreground_requests_others(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud, parallel=2) as client:
        await client.send(HttpRequest("GET", USER, headers=OCS))
        nextcloud.log.clear()
        nextcloud.latency = 0.5
        work = [asyncio.create_task(client.send(HttpRequest("GET", USER, headers=OCS))) for _ in range(16)]
        await asyncio.sleep(0)
        with foreground():  # the first of them goes ahead alone
            await asyncio.gather(*(client.send(HttpRequest("GET", NOTES)) for _ in range(7)))
        answered = len(nextcloud.log.matching("cloud/user"))
        await asyncio.gather(*work)
    assert answered < 16, "who waits did not wait for the work"
    # Six who wait and two of the work, of which a busy machine may be late.
    assert 6 < nextcloud.log.most_at_once() <= 8


@pytest.mark.requirement("nextcloud-client-limits-and-retries")
async def test_a_rate_limit_is_kept(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud, rate=40) as client:
        began = monotonic()
        await asyncio.gather(*(client.send(HttpRequest("GET", USER, headers=OCS)) for _ in range(40)))
    assert monotonic() - began > 0.4


async def test_a_server_that_cannot_be_reached_is_reported() -> None:
    transport = HttpTransport("http://127.0.0.1:9")
    with pytest.raises(RetriableSourceError, match="cannot be reached"):
        await transport.send(HttpRequest("GET", "/status.php"))
    await transport.close()


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("cloud.example.org", "https://cloud.example.org"),
        ("https://cloud.example.org/", "https://cloud.example.org"),
        ("https://example.org/nextcloud/index.php/apps/files/?dir=/", "https://example.org/nextcloud"),
        ("http://[::1]:8080/login", "http://[::1]:8080"),
        ("https://Cloud.Example.org/apps/notes/", "https://cloud.example.org"),
    ],
)
def test_an_address_is_taken_as_people_copy_it(typed: str, address: str) -> None:
    assert server_address(typed) == address


@pytest.mark.requirement("small-untruths-are-mended")
async def test_a_client_that_was_replaced_finishes_what_runs_and_keeps_no_connections(nextcloud: Nextcloud) -> None:
    async with client_of(nextcloud) as client:
        assert (await client.send(HttpRequest("GET", USER, headers=OCS))).status == 200
        assert client.connected
        running = [asyncio.create_task(client.send(HttpRequest("GET", USER, headers=OCS))) for _ in range(3)]
        await asyncio.sleep(0)
        await client.retire()
        assert [reply.status for reply in await asyncio.gather(*running)] == [200, 200, 200]
        assert not client.connected
        assert (await client.send(HttpRequest("GET", USER, headers=OCS))).status == 200, (
            "a scan that still holds it goes on"
        )
        assert not client.connected
