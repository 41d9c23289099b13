"""Whether and how far Nextcloud accounts are indexed."""

from typing import TYPE_CHECKING, Literal

from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, ResponseMetaOut
from citemark.results.shape import Strict

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.responses import AccountProgress


SyncState = Literal["idle", "syncing", "error", "disabled"]


class AppOut(Strict):
    """One app of an account."""

    app: str
    enabled: bool
    indexed_count: int
    pending_count: int
    failed_count: int


class AccountOut(Strict):
    """One account of the caller. `lag_seconds` is the age of the last complete scan."""

    name: str
    server: str
    status: SyncState
    apps: list[AppOut]
    last_complete_scan: IsoTime | None
    lag_seconds: int | None
    last_error: str | None


class SyncOut(ResponseMetaOut):
    """Result of the sync tools."""

    enabled: bool
    status: SyncState
    indexed_count: int
    pending_count: int
    failed_count: int
    message: str
    sources: list[AccountOut]


def account_out(account: "AccountProgress") -> AccountOut:
    """The progress of an account, as it appears in a result."""
    return AccountOut(
        name=account.name,
        server=account.server,
        status=account.state,
        apps=[
            AppOut(
                app=app.app,
                enabled=app.enabled,
                indexed_count=app.indexed,
                pending_count=app.pending,
                failed_count=app.failed,
            )
            for app in account.apps
        ],
        last_complete_scan=None if account.last_complete_scan is None else iso(account.last_complete_scan),
        lag_seconds=None if account.lag is None else round(account.lag),
        last_error=account.last_error or None,
    )
