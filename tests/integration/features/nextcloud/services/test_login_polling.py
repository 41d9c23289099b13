"""Any server of an index finishes logins that another began: each is recorded once, or its person is told why not."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from structlog.testing import capture_logs
from tests.integration.features.nextcloud.services.login_servers import BOB, CAROL, LoginServers
from tests.nextcloud.faults import Status
from tests.support.patience import HANG_SECONDS

from citemark.features.nextcloud.services.login_polling import FlowCipher
from citemark.features.nextcloud.source.login import LoginFlow
from citemark.features.nextcloud.store.pending_logins import PendingLoginStore
from citemark.model.accounts import PendingLogin
from citemark.model.errors import BackendUnavailable


@pytest.mark.requirement("server-processes-share-one-database", "each-connects-a-nextcloud-by-link")
async def test_a_login_begun_by_one_server_can_be_finished_by_another(servers: LoginServers) -> None:
    first, second = servers.start(), servers.start()
    invited = await first.connecting.begin(BOB, ["files", "notes"])
    assert (await second.connecting.state(BOB)).link == invited.link
    assert (await second.connecting.begin(BOB)).link == invited.link
    servers.agree("bob", invited.link)
    await second.polling.poll()
    assert await servers.accounts_of(BOB) == ["bob"]
    assert await servers.accounts_of(CAROL) == []
    (source,) = await servers.sources_of(BOB)
    assert source.config["apps"] == ["notes", "files"]
    assert (await first.connecting.state(BOB)) == (await second.connecting.state(CAROL))


@pytest.mark.requirement("server-processes-share-one-database")
async def test_one_of_two_servers_polls_a_login_until_it_is_due_again(servers: LoginServers) -> None:
    first, second = servers.start(), servers.start()
    await first.connecting.begin(BOB)
    await asyncio.gather(first.polling.poll(), second.polling.poll())
    await second.polling.poll()
    assert servers.asked == 1
    servers.wait(4)
    await second.polling.poll()
    assert servers.asked == 2


@pytest.mark.requirement("server-processes-share-one-database")
async def test_the_logins_of_a_server_that_was_killed_while_it_asked_are_another_ones_a_minute_later(
    servers: LoginServers,
) -> None:
    killed, second = servers.start(), servers.start()
    link = (await killed.connecting.begin(BOB)).link
    held = servers.hold_refusal()
    asking = asyncio.create_task(killed.polling.poll())
    await held.came()
    asking.cancel()
    await asyncio.wait([asking])
    held.let_go.set()
    servers.agree("carol", link)
    await second.polling.poll()
    assert await servers.accounts_of(BOB) == []
    servers.wait(61)
    await second.polling.poll()
    assert await servers.accounts_of(BOB) == ["carol"]


@pytest.mark.requirement("server-processes-share-one-database")
async def test_a_person_asks_again_after_a_server_ended_while_recording_their_account(
    servers: LoginServers,
) -> None:
    server = servers.start()
    first = (await server.connecting.begin(BOB)).link
    (login,) = await server.polling.store.claim(servers.now, servers.now)
    assert await server.polling.store.take(login, servers.now) is not None
    assert (await server.connecting.begin(BOB)).link == first  # another server is at it
    servers.wait(61)
    await server.polling.poll()
    assert servers.asked == 0
    assert "ended while it recorded" in str((await server.connecting.state(BOB)).failure)
    second = (await server.connecting.begin(BOB)).link
    assert second != first
    servers.agree("bob", second)
    await server.polling.poll()
    assert await servers.accounts_of(BOB) == ["bob"]


async def test_a_login_cancelled_while_being_granted_is_revoked_and_not_recorded(
    servers: LoginServers,
) -> None:
    first, second = servers.start(), servers.start()
    link = (await first.connecting.begin(BOB)).link
    before = servers.passwords("bob")
    held = servers.hold_grant("bob", link)
    asking = asyncio.create_task(first.polling.poll())
    await held.came()
    assert await second.connecting.give_up(BOB)
    held.let_go.set()
    await asking
    assert await servers.accounts_of(BOB) == []
    assert servers.passwords("bob") == before


@pytest.mark.parametrize("forgets", [True, False])
async def test_an_account_whose_recording_takes_too_long_is_not_connected_later(
    servers: LoginServers, *, forgets: bool
) -> None:
    server = servers.start()
    before = servers.passwords("bob")
    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    held = servers.hold_check()
    if not forgets:
        servers.nextcloud.faults.add(Status(403), on="DELETE")
    with capture_logs() as logged:
        asking = asyncio.create_task(replace(server.polling, check_seconds=0.01).poll())
        async with asyncio.timeout(HANG_SECONDS):
            while (failure := (await server.connecting.state(BOB)).failure) is None:
                pass
        held.let_go.set()
        await asking
    assert "did not answer in time; ask for a new link" in failure
    servers.wait(120)
    await server.polling.poll()
    assert await servers.accounts_of(BOB) == []
    if forgets:
        assert servers.passwords("bob") == before
    assert ("password_not_revoked" in [entry["event"] for entry in logged]) != forgets


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_granted_password_is_revoked_if_the_account_cannot_be_checked(servers: LoginServers) -> None:
    server = servers.start()
    before = servers.passwords("bob")
    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    servers.nextcloud.faults.add(Status(500), on="cloud/user", times=20)
    await server.polling.poll()
    assert (await server.connecting.state(BOB)).failure is not None
    assert await servers.accounts_of(BOB) == []
    assert servers.passwords("bob") == before


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_granted_password_is_revoked_if_the_database_is_lost_before_it_is_recorded(
    servers: LoginServers,
) -> None:
    class Lost(PendingLoginStore):
        async def take(self, login: PendingLogin, now: datetime) -> PendingLogin | None:
            raise BackendUnavailable("The database is away.")

    server = servers.start()
    before = servers.passwords("bob")
    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    with pytest.raises(BackendUnavailable):
        await replace(server.polling, store=Lost(servers.database)).poll()
    assert servers.passwords("bob") == before


@pytest.mark.parametrize("forgets", [True, False])
async def test_the_password_of_an_account_that_is_connected_again_replaces_the_earlier_one(
    servers: LoginServers, *, forgets: bool
) -> None:
    server = servers.start()
    before = servers.passwords("bob")
    first = servers.agree("bob", (await server.connecting.begin(BOB)).link)
    await server.polling.poll()
    if not forgets:
        servers.nextcloud.faults.add(Status(403), on="DELETE")  # as for the password of the account itself
    second = servers.agree("bob", (await server.connecting.begin(BOB)).link)
    with capture_logs() as logged:
        await server.polling.poll()
    (source,) = await servers.sources_of(BOB)
    assert (await server.credentials(source).current()).password == second
    if forgets:
        assert first not in servers.passwords("bob")
        assert servers.passwords("bob") == [*before, second]
    assert ("earlier_password_not_revoked" in [entry["event"] for entry in logged]) != forgets


async def test_cancelling_a_login_that_is_being_recorded_waits_until_it_is(servers: LoginServers) -> None:
    first, second = servers.start(), servers.start()
    servers.agree("bob", (await first.connecting.begin(BOB)).link)
    held = servers.hold_check()
    asking = asyncio.create_task(first.polling.poll())
    await held.came()
    giving_up = asyncio.create_task(second.connecting.give_up(BOB))
    done, _ = await asyncio.wait([giving_up], timeout=0.3)
    assert not done
    held.let_go.set()
    assert not await giving_up
    assert await servers.accounts_of(BOB) == ["bob"]
    await asking


async def test_a_server_that_ends_while_it_records_an_account_does_so_first(servers: LoginServers) -> None:
    server = servers.start()
    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    held = servers.hold_check()
    running = asyncio.create_task(server.polling.run())
    await held.came()
    running.cancel()
    await asyncio.wait([running])
    ending = asyncio.create_task(server.close())
    held.let_go.set()
    await ending
    assert await servers.accounts_of(BOB) == ["bob"]


async def test_a_nextcloud_that_sent_retry_after_is_asked_again_at_that_time(servers: LoginServers) -> None:
    server = servers.start()
    await server.connecting.begin(BOB)
    servers.nextcloud.faults.add(Status(503, headers={"retry-after": "90"}), on="poll", times=1)
    await server.polling.poll()
    servers.wait(89)
    await server.polling.poll()
    assert servers.asked == 1
    servers.wait(2)
    await server.polling.poll()
    assert servers.asked == 2


@pytest.mark.requirement("password-key-can-be-rotated")
async def test_a_login_that_was_encrypted_with_a_key_that_is_gone_asks_for_a_new_link(servers: LoginServers) -> None:
    server = servers.start()
    await server.connecting.begin(BOB)
    assert await server.rotate_key() == 0
    await servers.start().polling.poll()
    assert "another key than that of this server. Ask for a new link." in str(
        (await server.connecting.state(BOB)).failure
    )
    assert servers.asked == 0


async def test_after_the_owner_configured_another_nextcloud_the_first_is_not_asked_any_more(
    servers: LoginServers,
) -> None:
    await servers.start().connecting.begin(BOB)
    other = servers.start(nextcloud_url="https://elsewhere.example")
    await other.polling.poll()
    assert "another Nextcloud" in str((await other.connecting.state(BOB)).failure)
    assert servers.asked == 0


async def test_a_pending_login_is_stored_encrypted(servers: LoginServers) -> None:
    server = servers.start()
    await server.connecting.begin(BOB)
    (flow,) = servers.nextcloud.world.login.flows
    (login,) = await server.polling.store.claim(servers.now, servers.now)
    assert flow.token.encode() not in login.flow
    assert server.polling.cipher.unseal(login.flow)[1].token == flow.token


async def test_logins_continue_once_the_database_is_available_again(servers: LoginServers) -> None:
    server, back, recorded = servers.start(), asyncio.Event(), asyncio.Event()

    class Away(PendingLoginStore):
        async def claim(self, now: datetime, until: datetime) -> list[PendingLogin]:
            if not back.is_set():
                back.set()
                raise BackendUnavailable("The database is away.")
            return await super().claim(now, until)

        async def done(self, login: PendingLogin) -> None:
            await super().done(login)
            recorded.set()

    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    polling = replace(server.polling, store=Away(servers.database), every=0.0)
    with capture_logs() as logged:
        running = asyncio.create_task(polling.run())
        async with asyncio.timeout(HANG_SECONDS):
            await recorded.wait()
        running.cancel()
        await asyncio.wait([running])
        await polling.close()
    assert await servers.accounts_of(BOB) == ["bob"]
    assert [entry["action"] for entry in logged if entry["event"] == "waiting_for_database"] == ["logins"]


async def test_a_database_outage_during_a_login_does_not_lose_the_login(
    servers: LoginServers,
) -> None:
    server = servers.start()
    link = (await server.connecting.begin(BOB)).link

    class Away(PendingLoginStore):
        async def ask_again(self, login: PendingLogin, at: datetime) -> None:
            raise BackendUnavailable("The database is away.")

    with pytest.raises(BackendUnavailable):
        await replace(server.polling, store=Away(servers.database)).poll()
    assert (await server.connecting.state(BOB)).failure is None
    servers.agree("bob", link)
    servers.wait(61)
    await server.polling.poll()
    assert await servers.accounts_of(BOB) == ["bob"]


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_an_unexpected_error_in_one_login_is_reported_to_its_person_and_ends_no_other(
    servers: LoginServers,
) -> None:
    server = servers.start()
    broken = (await server.connecting.begin(CAROL)).link
    servers.agree("bob", (await server.connecting.begin(BOB)).link)
    polling = replace(server.polling, cipher=_BrokenFor(server.polling.cipher, broken))
    with capture_logs() as logged:
        await polling.poll()
    assert await servers.accounts_of(BOB) == ["bob"]
    assert "failed unexpectedly (LookupError)" in str((await server.connecting.state(CAROL)).failure)
    assert [entry["principal"] for entry in logged if entry["event"] == "login_failed_unexpectedly"] == [CAROL.key]


@dataclass
class _BrokenFor:
    """A cipher with a bug that one login meets."""

    cipher: FlowCipher
    link: str

    def seal(self, server: str, flow: LoginFlow) -> bytes:
        return self.cipher.seal(server, flow)

    def unseal(self, sealed: bytes) -> tuple[str, LoginFlow]:
        server, flow = self.cipher.unseal(sealed)
        if flow.link == self.link:
            raise LookupError(flow.link)
        return server, flow
