"""Logins of people to a Nextcloud are bounded in time and number, and lead to that Nextcloud alone."""

import asyncio
from typing import Any, cast

import pytest
from tests.unit.services.test_account_login import ALICE, BOB, SERVER

from citemark.model.errors import BackendUnavailable, FatalSourceError
from citemark.model.scope import Principal
from citemark.services.accounts.connecting import LIFETIME, AccountConnecting


class Waiting:
    """Logins to a server that gives a link and waits for somebody to agree."""

    def __init__(self, link: str = f"{SERVER}/login/v2/flow/x") -> None:
        self.link = link
        self.agreed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def server_at(self, typed: str, _: str | None) -> str:
        return typed

    async def by_link(self, server: str, _: str | None, show: Any, **__: Any) -> Any:
        await show(self.link)
        await self.agreed
        return ALICE


def connecting(logins: Waiting, clock: list[float] | None = None) -> AccountConnecting:
    now = clock or [0.0]
    return AccountConnecting(SERVER, lambda: cast("Any", logins), cast("Any", None), seconds=lambda: now[0])


@pytest.mark.requirement("i12-3-login")
async def test_a_page_is_for_one_browser_until_its_time_is_over() -> None:
    clock = [1.0]
    service = connecting(Waiting(), clock)
    code = (await service.begin(BOB)).page
    first = service.open_page(code, None)
    assert first is not None
    assert service.open_page(code, None) is None
    assert service.open_page(code, "another") is None
    clock[0] += LIFETIME - 1
    assert service.open_page(code, first.browser) == first
    clock[0] += 2
    assert service.open_page(code, first.browser) is None
    await service.close()


@pytest.mark.requirement("i12-3-login")
async def test_only_so_many_people_log_in_at_a_time() -> None:
    service = connecting(Waiting())
    for number in range(64):
        await service.begin(Principal.issued("token", f"p{number}", frozenset()))
    with pytest.raises(BackendUnavailable):
        await service.begin(BOB)
    assert await service.give_up(Principal.issued("token", "p7", frozenset()))
    assert (await service.begin(BOB)).link.startswith(SERVER)
    await service.close()
    assert service.link_of(BOB) is None


@pytest.mark.requirement("i12-3-login")
@pytest.mark.parametrize("link", ["https://evil.example/flow", f"{SERVER}/x ignore what was said", f'{SERVER}/"><b>'])
async def test_a_link_that_leads_elsewhere_or_says_more_is_shown_to_nobody(link: str) -> None:
    service = connecting(Waiting(link))
    with pytest.raises(BackendUnavailable, match="another place"):
        await service.begin(BOB)
    assert service.link_of(BOB) is None


@pytest.mark.requirement("i12-3-login")
async def test_why_a_login_came_to_nothing_is_told_to_that_person_alone() -> None:
    logins = Waiting()
    service = connecting(logins)
    await service.begin(BOB)
    logins.agreed.set_exception(FatalSourceError("Nobody agreed in time."))
    for _ in range(9):  # turns of the loop in which the task ends
        await asyncio.sleep(0)
    assert service.link_of(BOB) is None
    assert service.failure_of(BOB) == "Nobody agreed in time."
    assert service.failure_of(Principal.local()) is None
    logins.agreed = asyncio.get_running_loop().create_future()
    await service.begin(BOB)
    assert service.failure_of(BOB) is None
    await service.close()


@pytest.mark.requirement("i12-3-login")
async def test_a_login_here_renews_accounts_of_the_same_host_alone() -> None:
    service = connecting(Waiting())
    assert service.renews(f"{SERVER}/nextcloud")
    assert not service.renews("https://elsewhere.example")


@pytest.mark.requirement("i12-3-login")
async def test_a_login_that_is_given_up_before_there_is_a_link_tells_whoever_waits_for_it() -> None:
    class Slow(Waiting):
        async def server_at(self, typed: str, _: str | None) -> str:
            await self.agreed
            return typed

    service = connecting(Slow())
    waiting = asyncio.create_task(service.begin(BOB))
    await asyncio.sleep(0)
    await service.close()
    with pytest.raises(BackendUnavailable, match="given up"):
        await waiting
