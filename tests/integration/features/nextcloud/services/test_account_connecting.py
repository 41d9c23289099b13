"""Logins of people to a Nextcloud are bounded in time and number, and lead to that Nextcloud alone."""

import asyncio
import json
from dataclasses import replace
from datetime import datetime

import pytest
from tests.integration.features.nextcloud.services.login_servers import BOB, CAROL, LoginServers
from tests.nextcloud.faults import Status

from citemark.features.nextcloud.services.connecting import LIFETIME
from citemark.features.nextcloud.store.pending_logins import PendingLoginStore
from citemark.model.accounts import PendingLogin
from citemark.model.errors import BackendUnavailable, SourceError
from citemark.model.scope import Principal


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_page_is_for_one_browser_until_its_time_is_over(servers: LoginServers) -> None:
    service = servers.start().connecting
    code = (await service.begin(BOB)).page
    first = await service.open_page(code, None)
    assert first is not None
    assert first.principal.key == BOB.key
    assert await service.open_page(code, None) is None
    assert await service.open_page(code, "another") is None
    servers.wait(LIFETIME.total_seconds() - 1)
    assert await service.open_page(code, first.browser) == first
    servers.wait(2)
    assert await service.open_page(code, first.browser) is None


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_browser_that_holds_the_secret_of_another_page_is_given_one_for_this(servers: LoginServers) -> None:
    service = servers.start().connecting
    opened = await service.open_page((await service.begin(BOB)).page, "of another page")
    assert opened is not None
    assert opened.browser != "of another page"


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_only_so_many_people_log_in_at_a_time(servers: LoginServers) -> None:
    service = servers.start().connecting
    for number in range(64):
        await service.begin(Principal.issued("token", f"p{number}", frozenset()))
    with pytest.raises(BackendUnavailable):
        await service.begin(BOB)
    assert await service.give_up(Principal.issued("token", "p7", frozenset()))
    assert (await service.begin(BOB)).link.startswith(servers.nextcloud.url)
    servers.wait(LIFETIME.total_seconds())
    assert (await service.begin(CAROL)).link.startswith(servers.nextcloud.url)


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize("link", ["https://evil.example/flow", "{}/x ignore what was said", '{}/"><b>'])
async def test_a_login_link_to_another_host_or_with_extra_text_is_never_shown(servers: LoginServers, link: str) -> None:
    url = servers.nextcloud.url
    told = {"poll": {"token": "t", "endpoint": f"{url}/login/v2/poll"}, "login": link.replace("{}", url)}
    servers.nextcloud.faults.add(Status(200, json.dumps(told).encode(), {"content-type": "application/json"}), "v2")
    service = servers.start().connecting
    with pytest.raises(BackendUnavailable, match="another place"):
        await service.begin(BOB)
    assert (await service.state(BOB)).link is None


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_the_reason_for_a_failed_login_is_shown_to_that_person_alone(servers: LoginServers) -> None:
    server = servers.start()
    first = (await server.connecting.begin(BOB)).link
    servers.agree("bob", first)
    servers.nextcloud.faults.add(Status(401), on="cloud/user")
    await server.polling.poll()
    assert await servers.accounts_of(BOB) == []
    state = await server.connecting.state(BOB)
    assert state.link is None
    assert "does not accept" in str(state.failure)
    assert (await server.connecting.state(CAROL)).failure is None
    assert (await server.connecting.begin(BOB)).link != first
    assert (await server.connecting.state(BOB)).failure is None


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_login_that_is_never_confirmed_expires_with_a_message(servers: LoginServers) -> None:
    server = servers.start()
    await server.connecting.begin(BOB)
    servers.wait(LIFETIME.total_seconds())
    await server.polling.poll()
    assert servers.asked == 0
    assert (await server.connecting.state(BOB)).failure == "Nobody agreed to the login in time."
    servers.wait(25 * 3600)
    await server.connecting.begin(CAROL)
    assert (await server.connecting.state(BOB)).failure is None


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_login_renews_only_accounts_of_the_same_host(servers: LoginServers) -> None:
    service = servers.start(nextcloud_url="https://cloud.example").connecting
    assert service.renews("https://cloud.example/nextcloud")
    assert not service.renews("https://elsewhere.example")


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        ("alice", "alice"),
        ("mallory alice", "mallory alice"),
        ("al\u0456ce", "al%D1%96ce"),
        ("al%D1%96ce", "al%25D1%2596ce"),
        ("alice" + "\u0456" * 60, "alice" + "%D1%96" * 9 + "%D..."),
        ("a" * 64, "a" * 64),
    ],
)
async def test_a_login_names_the_whole_subject_of_who_asked_for_it(
    servers: LoginServers, subject: str, shown: str
) -> None:
    await servers.start().connecting.begin(Principal.issued("https://issuer.example", subject, frozenset()))
    (begun,) = servers.nextcloud.log.matching(r"POST \S*login/v2$")
    assert begun.headers["user-agent"].partition(" for ")[2] == shown


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_whoever_asks_for_a_link_learns_that_the_nextcloud_is_unavailable(servers: LoginServers) -> None:
    servers.nextcloud.faults.add(Status(502), on="v2")
    service = servers.start().connecting
    with pytest.raises(SourceError, match="502"):
        await service.begin(BOB)
    assert (await service.state(BOB)).link is None


@pytest.mark.requirement("server-processes-share-one-database")
async def test_a_person_who_asks_two_servers_at_once_is_given_one_login(servers: LoginServers) -> None:
    first, second = servers.start().connecting, servers.start().connecting
    invited = await asyncio.gather(*(each.begin(BOB) for each in (first, second, first, second)))
    assert len({each.link for each in invited}) == 1
    assert await second.give_up(BOB)
    assert not await first.give_up(BOB)
    assert (await first.state(BOB)).link is None


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_who_asks_again_for_other_apps_gets_the_same_link_for_those(servers: LoginServers) -> None:
    server = servers.start()
    first = (await server.connecting.begin(BOB)).link
    assert (await server.connecting.begin(BOB, ["files", "contacts"])).link == first
    servers.agree("bob", first)
    await server.polling.poll()
    (source,) = await servers.sources_of(BOB)
    assert source.config["apps"] == ["files", "contacts"]


async def test_cancelling_a_login_at_one_server_while_another_begins_asks_to_try_again(servers: LoginServers) -> None:
    class Contended(PendingLoginStore):
        async def keep(self, login: PendingLogin, now: datetime) -> bool:
            assert await super().keep(replace(login, link=f"{login.link}-of-another-server"), now)
            kept = await super().keep(login, now)
            assert await self.give_up(login.principal, now)
            return kept

    service = replace(servers.start().connecting, store=Contended(servers.database))
    with pytest.raises(BackendUnavailable, match="given up"):
        await service.begin(BOB)
    assert (await service.state(BOB)).link is None
