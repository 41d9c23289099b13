"""Servers of one index that log people in to a Nextcloud; the test sets their clock and says when they ask."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.nextcloud.faults import Instead
from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.nextcloud_accounts import NextcloudAccounts
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.settings import Settings
from citemark.store.database import Database
from citemark.store.sources import SourceStore
from citemark.store.stores import Stores

BOB = Principal.issued("token", "bob", frozenset())
CAROL = Principal.issued("token", "carol", frozenset())


@dataclass
class Held:
    """A request that the Nextcloud has got and does not answer before it is let go."""

    arrived: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    async def came(self) -> None:
        """Wait until the request is there."""
        assert await asyncio.to_thread(self.arrived.wait, 60)

    def answer(self, status: int, body: dict[str, str]) -> Instead:
        """What is answered in the end."""

        def make(_: str) -> tuple[int, dict[str, str], bytes]:
            self.arrived.set()
            self.let_go.wait(60)
            return status, {"content-type": "application/json"}, json.dumps(body).encode()

        return Instead(make)


@dataclass
class LoginServers:
    """Processes that share a database, and the Nextcloud that they log people in to."""

    database: Database
    nextcloud: Nextcloud
    folder: Path
    now: datetime = datetime(2026, 1, 31, tzinfo=UTC)
    started: list[NextcloudAccounts] = field(default_factory=list[NextcloudAccounts])

    def start(self, **settings: Any) -> NextcloudAccounts:
        """One more server."""
        known: dict[str, Any] = {"data_dir": self.folder, "nextcloud_url": self.nextcloud.url}
        stores = Stores.over(self.database, timedelta(hours=1))
        made = NextcloudAccounts(Settings(**known | settings), stores, lambda: self.now)
        self.started.append(made)
        return made

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def agree(self, user: str, link: str) -> str:
        """Somebody opens a link, logs in and agrees; the password that the Nextcloud makes."""
        return self.nextcloud.world.login.grant(user, link)

    def hold_grant(self, user: str, link: str) -> Held:
        """Somebody agrees, and the Nextcloud is slow to tell the first server that asks."""
        held = Held()
        given = {"server": self.nextcloud.url, "loginName": user, "appPassword": self.agree(user, link)}
        self.nextcloud.faults.add(held.answer(200, given), on="poll", times=1)
        return held

    def hold_refusal(self) -> Held:
        """The Nextcloud is slow to tell that nobody has agreed yet."""
        held = Held()
        self.nextcloud.faults.add(held.answer(404, {}), on="poll", times=1)
        return held

    def hold_check(self) -> Held:
        """The Nextcloud is slow to tell what it makes of the password that it gave."""
        held = Held()
        self.nextcloud.faults.add(held.answer(403, {}), on="getapppassword", times=1)
        return held

    @property
    def asked(self) -> int:
        """How often the Nextcloud was asked whether somebody has agreed."""
        return len(self.nextcloud.log.matching("POST /login/v2/poll"))

    async def sources_of(self, principal: Principal) -> list[Source]:
        """The accounts of somebody."""
        return await AccountStore(self.database, SourceStore(self.database)).owned(principal)

    async def accounts_of(self, principal: Principal) -> list[str]:
        """The users of the Nextcloud whose accounts are somebody's."""
        return [str(source.config["user"]) for source in await self.sources_of(principal)]

    def passwords(self, user: str) -> list[str]:
        """The app passwords that the Nextcloud knows of a user."""
        return list(self.nextcloud.world.accounts.people[user].app_passwords)


async def servers_over(database: Database, nextcloud: Nextcloud, folder: Path) -> AsyncGenerator[LoginServers]:
    """Servers, closed afterwards."""
    servers = LoginServers(database, nextcloud, folder)
    yield servers
    for each in servers.started:
        await each.close()
