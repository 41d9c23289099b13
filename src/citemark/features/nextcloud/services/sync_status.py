"""How far the index of a person's accounts has come, and switching their sync on and off."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from citemark.features.nextcloud.services.connecting import AccountConnecting
from citemark.features.nextcloud.services.responses import AccountProgress, AppProgress, SyncState
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.accounts import APPS, AccountState, Renewal, app_of, apps_of, refusal
from citemark.model.clock import Clock
from citemark.model.completeness import ALL_READ
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.retrieval.read_contexts import ReadContexts
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.store.ledger import Ledger

_KEPT = timedelta(days=1)
"""How long what came from an account is kept after its sync was switched off, in case that was a mistake."""


class AccountAccess(Protocol):
    """What the servers of accounts are asked, besides for documents."""

    connecting: AccountConnecting

    async def try_again(self, source: Source) -> None:
        """Ask a server once whether it accepts a password again that it refused; the index then knows."""
        ...

    def trouble(self, source: Source) -> str:
        """What a server has just said of itself that keeps it from answering, as a sentence; "" if nothing."""
        ...


class AccountSyncService:
    """Reports on the caller's own accounts, and on nobody else's."""

    def __init__(
        self, accounts: AccountStore, ledger: Ledger, contexts: ReadContexts, access: AccountAccess, clock: Clock
    ) -> None:
        self._accounts = accounts
        self._ledger = ledger
        self._contexts = contexts
        self._access = access
        self._clock = clock

    async def meta(self, caller: Caller) -> ResponseMeta:
        """The metadata of a response about accounts: they are always shown in the present state, and all of them."""
        return ResponseMeta.of(caller, await self._contexts.head(), reading=ALL_READ)

    async def progress(self, principal: Principal, *, enabling: bool = False) -> list[AccountProgress]:
        """The progress of each of their accounts, by name; a refused password is tried again as far as that may be.

        That of an account whose sync is off is tried only if the person is about to switch it on (`enabling`).
        """
        sources = await self._accounts.owned(principal)
        states = await self._accounts.states(sources)
        refused = [source for source in sources if (enabling or source.followed) and states[source.source_id].refused]
        for source in refused:  # one after the other: the server may be the same
            await self._access.try_again(source)
        if refused:
            states = await self._accounts.states(sources)
        return [self._progress(principal, source, states[source.source_id]) for source in sources]

    async def enable(self, principal: Principal, apps: Sequence[str] | None = None) -> list[AccountProgress]:
        """Keep their accounts in sync from now on and start a scan; a list of apps replaces the previous one.

        No password is tried again by this: whoever enables asks for the progress before, and that is one try.

        Raises:
            InvalidArgument: they have no account here, or the list is empty.
        """
        if apps is not None and not apps:
            raise InvalidArgument(
                "apps must name at least one app; leave it out to keep those enabled before, or call "
                "nc_disable_vector_sync to index none."
            )
        changes = {"sync": True, **({"apps": [app for app in APPS if app in apps]} if apps else {})}
        for source in await self._owned(principal):
            await self._accounts.switch(source, changes)
            await self._ledger.wake(source.source_id)
        sources = await self._accounts.owned(principal)
        states = await self._accounts.states(sources)
        return [self._progress(principal, source, states[source.source_id]) for source in sources]

    async def disable(self, principal: Principal, *, erase: bool) -> list[AccountProgress]:
        """Stop following their accounts; nothing of them is found any more.

        Their documents, vectors and history are removed a day later, or at once to `erase` them.

        Raises:
            InvalidArgument: they have no account here.
        """
        for source in await self._owned(principal):
            await self._accounts.switch_off(source, None if erase else self._clock() + _KEPT)
        return await self.progress(principal)

    async def _owned(self, principal: Principal) -> list[Source]:
        sources = await self._accounts.owned(principal)
        if not sources:
            raise InvalidArgument(f"You have no Nextcloud account in this index; {self.how_to_add(principal)}")
        return sources

    def how_to_add(self, principal: Principal) -> str:
        """How a person adds an account, as the end of a sentence."""
        if self._access.connecting.offered:
            return "nc_enable_vector_sync gives you a link to log in."
        if _commands(principal):
            return "`citemark add nextcloud URL` adds one."
        return "whoever runs this server can add one for you."

    def _progress(self, principal: Principal, source: Source, state: AccountState) -> AccountProgress:
        enabled = set(apps_of(source)) if source.followed else set[str]()
        apps = tuple(_app(app, state, enabled=app in enabled) for app in APPS)
        server = str(source.config.get("server", ""))
        trouble = self._access.trouble(source)
        renewal = Renewal(commands=_commands(principal), by_link=self._access.connecting.renews(server))
        return AccountProgress(
            name=source.name,
            server=server,
            state=_state(source, state, waiting=sum(app.pending for app in apps)),
            apps=apps,
            vectors_pending=state.vectors_pending,
            last_complete_scan=state.last_complete_scan,
            lag=state.lag,
            last_error=f"{refusal(state.refused)} {renewal.advice(source.name)}"
            if state.refused
            else trouble or state.last_error,
            scan_due=state.scan_wanted and not state.scanning,
            refused=state.refused is not None,
            erase_at=state.erase_at,
            not_by_meaning=state.not_by_meaning,
            left_out=state.left_out,
        )


def _commands(principal: Principal) -> bool:
    """Whether a person can run commands on this machine."""
    return principal.key == Principal.local().key


def _app(app: str, state: AccountState, *, enabled: bool) -> AppProgress:
    counts = [count for count in state.counts if app_of(count.doc_type) == app]
    return AppProgress(
        app=app,
        enabled=enabled,
        indexed=sum(count.indexed for count in counts),
        pending=sum(count.pending for count in counts),
        failed=sum(count.failed for count in counts),
    )


def _state(source: Source, state: AccountState, *, waiting: int) -> SyncState:
    if not source.followed:
        return "disabled"
    if state.refused:
        return "error"
    if state.scanning or state.scan_wanted or waiting or state.vectors_pending:
        return "syncing"
    return "error" if state.last_error else "idle"
