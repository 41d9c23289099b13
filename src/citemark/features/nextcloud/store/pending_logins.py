"""Logins to a Nextcloud that wait for a person to agree, and the pages that show them."""

from datetime import datetime, timedelta
from hashlib import sha256

from citemark.model.accounts import LoginState, PendingLogin
from citemark.model.scope import Principal
from citemark.store.database import Database, Params, Row

_RECORDING = timedelta(minutes=1)
"""A server that took a password and has not recorded the account by then is dead: it needs a second or two."""

_KEPT = timedelta(days=1)
"""How long the reason why a person's last login failed is kept."""


class PendingLoginStore:
    """At most one login and one page per person; any server of the index can continue them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, principal: Principal, now: datetime) -> PendingLogin | None:
        """The login that waits for a person or is being recorded, or None."""
        row = await self._database.one("login_waiting", {**_time_params(now), **_person_params(principal)})
        return None if row is None else _pending(row)

    async def count(self, now: datetime) -> int:
        """The number of people who are logging in."""
        (row,) = await self._database.fetch("logins_waiting", _time_params(now))
        return int(row["waiting"])

    async def keep(self, login: PendingLogin, now: datetime) -> bool:
        """Store a new login; False if another one is waiting for the same person."""
        params = {"link": login.link, "flow": login.flow, "apps": _list(login.apps), "expires_at": login.expires_at}
        return bool(
            await self._database.fetch("login_keep", {**params, **_time_params(now), **_person_params(login.principal)})
        )

    async def choose_apps(self, login: PendingLogin, apps: tuple[str, ...]) -> None:
        """Have these apps indexed, and no others, once the person has agreed."""
        await self._database.fetch("login_apps", {**_login_params(login), "apps": _list(apps)})

    async def state(self, principal: Principal, now: datetime) -> LoginState:
        """The state of a person's login."""
        row = await self._database.one("login_state", _person_params(principal))
        if row is None:
            return LoginState()
        if row["failure"] is not None:
            return LoginState(failure=row["failure"])
        if row["taken_at"] is not None and row["taken_at"] <= now - _RECORDING:
            return LoginState(failure="The server ended while it recorded the account; ask for a new link.")
        if row["taken_at"] is None and row["expires_at"] <= now:
            return LoginState(failure="Nobody agreed to the login in time.")
        return LoginState(link=row["link"])

    async def claim(self, now: datetime, until: datetime) -> list[PendingLogin]:
        """Take the logins that are due to be checked; no other server gets them before `until`."""
        return [_pending(row) for row in await self._database.fetch("logins_claim", {"now": now, "until": until})]

    async def ask_again(self, login: PendingLogin, at: datetime) -> None:
        """Schedule the next check of a login."""
        await self._database.fetch("login_later", {**_login_params(login), "at": at})

    async def take(self, login: PendingLogin, now: datetime) -> PendingLogin | None:
        """The login as it is now, which only the caller may record; None if it was given up or already taken."""
        row = await self._database.one("login_take", {**_login_params(login), "now": now})
        return None if row is None else login.with_apps(row["apps"])

    async def fail(self, login: PendingLogin, reason: str) -> None:
        """End a login that failed, and keep the reason for its person."""
        await self._database.fetch("login_fail", {**_login_params(login), "failure": reason})

    async def done(self, login: PendingLogin) -> None:
        """Forget a login whose account is recorded."""
        await self._database.fetch("login_done", _login_params(login))

    async def give_up(self, principal: Principal, now: datetime) -> bool:
        """Forget a person's login unless it is being recorded; returns whether one was waiting."""
        rows = await self._database.fetch("login_give_up", {**_time_params(now), **_person_params(principal)})
        return any(row["waited"] for row in rows)

    async def keep_page(self, principal: Principal, code: str, expires_at: datetime) -> None:
        """Give a person a page, which replaces the previous one."""
        params = {"code": _digest(code), "expires_at": expires_at}
        await self._database.fetch("connect_page_keep", {**params, **_person_params(principal)})

    async def open_page(
        self, code: str, browser: str | None, fresh: str, now: datetime
    ) -> tuple[Principal, str] | None:
        """Open a page for the first browser that asks, and for no other from then on.

        Args:
            code: of the page.
            browser: the secret that the browser holds, or None if it holds none.
            fresh: the secret that the browser is given if it is the first.
            now: the current time.

        Returns:
            Whose page it is, and the secret of the browser; None for another browser, and if there is no such page.
        """
        digests = {"code": _digest(code), "fresh": _digest(fresh), "browser": browser and _digest(browser)}
        row = await self._database.one("connect_page_open", {**digests, "now": now})
        if row is None:
            return None
        return _principal(row), fresh if row["first"] or browser is None else browser

    async def forget(self, now: datetime) -> None:
        """Delete what ended long ago."""
        await self._database.fetch("logins_forget", {"before": now - _KEPT})


def _time_params(now: datetime) -> Params:
    return {"now": now, "abandoned": now - _RECORDING}


def _person_params(principal: Principal) -> Params:
    return {"tenant": principal.tenant, "subject": principal.subject}


def _login_params(login: PendingLogin) -> Params:
    return {**_person_params(login.principal), "link": login.link}


def _list(apps: tuple[str, ...] | None) -> list[str] | None:
    return None if apps is None else list(apps)


def _principal(row: Row) -> Principal:
    return Principal(row["tenant"], row["subject"], frozenset())


def _pending(row: Row) -> PendingLogin:
    apps = None if row["apps"] is None else tuple(row["apps"])
    return PendingLogin(_principal(row), row["link"], bytes(row["flow"]), apps, row["expires_at"])


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
