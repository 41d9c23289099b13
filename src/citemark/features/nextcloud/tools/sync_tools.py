"""The tools for the sync of a person's Nextcloud: show its progress, switch it on, switch it off."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from citemark.features.nextcloud.results.account_sync import SyncOut, SyncState, account_out
from citemark.features.nextcloud.services.keys import ACCOUNT_SYNC, CONNECTING
from citemark.model.accounts import LoginState
from citemark.model.citation import iso
from citemark.model.scope import READ, WRITE
from citemark.results.common_parts import meta_fields, with_remarks
from citemark.results.shape import Strict
from citemark.text.escaping import one_line
from citemark.tools.registry import Effect, Tool, ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.responses import AccountProgress

AppName = Literal["notes", "calendar", "deck", "files", "contacts"]
_GRAVITY: tuple[SyncState, ...] = ("error", "syncing", "idle", "disabled")
"""Of the states of several accounts, the one that comes first here is reported for all."""

_INVITED = (
    "Nothing is indexed yet: the user must open {} within 20 minutes, log in to their own Nextcloud and agree. "
    "The link is for this user alone; nobody else should open it."
)
_PAGE = " This page, for one browser, shows the link and what is connected: {}"
CONNECT_PATH = "/connect"
"""The path below which the HTTP server has the pages that these results name."""

_ENDPOINT = "/mcp"
"""The path of the protocol itself, with which the address in `http_resource` ends."""


class NothingIn(Strict):
    """No arguments."""


class EnableIn(Strict):
    """Arguments of nc_enable_vector_sync."""

    apps: Annotated[
        list[AppName] | None,
        Field(min_length=1, description="These and no others."),
    ] = None


class DisableIn(Strict):
    """Arguments of nc_disable_vector_sync."""

    confirm: bool = False


async def status(call: ToolCall, _: NothingIn) -> ToolReply:
    """Report the progress of the caller's accounts."""
    principal, connecting = call.caller.principal, call.services.get(CONNECTING)
    accounts = await call.services.get(ACCOUNT_SYNC).progress(principal)
    return await _reply(
        call, accounts, "" if accounts or not connecting.offered else _unconnected(await connecting.state(principal))
    )


async def enable(call: ToolCall, asked: EnableIn) -> ToolReply:
    """Switch the sync on and start a scan; a caller with no account, or a refused one, gets a link to log in."""
    principal, connecting, sync = call.caller.principal, call.services.get(CONNECTING), call.services.get(ACCOUNT_SYNC)
    accounts = await sync.progress(principal, enabling=True)
    refused = any(account.refused and connecting.renews(account.server) for account in accounts)
    if connecting.offered and (refused or not accounts):
        invitation = await connecting.begin(principal, asked.apps)
        page = _page_address(call.settings.http_resource, invitation.page)
        return await _reply(
            call, accounts, _INVITED.format(invitation.link) + ("" if page is None else _PAGE.format(page))
        )
    accounts = await sync.enable(principal, asked.apps)
    return await _reply(call, accounts, _enabled(accounts))


async def disable(call: ToolCall, asked: DisableIn) -> ToolReply:
    """Switch the sync off: nothing is found any more, and what was indexed is erased; a pending login is cancelled."""
    gave_up = await call.services.get(CONNECTING).give_up(call.caller.principal)
    if gave_up and not await call.services.get(ACCOUNT_SYNC).progress(call.caller.principal):
        return await _reply(call, (), "The login is given up; nothing was connected.")
    accounts = await call.services.get(ACCOUNT_SYNC).disable(call.caller.principal, erase=asked.confirm)
    if asked.confirm:
        done = "The sync is off; documents, vectors and history are removed."
    else:
        done = f"The sync is off. {_kept(accounts)}"
    return await _reply(call, accounts, f"{done} Nextcloud itself is untouched.")


def _kept(accounts: "Sequence[AccountProgress]") -> str:
    """What becomes of the index of accounts that are switched off; "" if it was erased."""
    kept = [account.erase_at for account in accounts if account.erase_at is not None]
    if not kept:
        return ""
    return (
        f"Nothing of it is found any more, and documents, vectors and history are erased at {iso(min(kept))}, or at "
        "once by nc_disable_vector_sync with confirm: true. Until then, nc_enable_vector_sync goes on where it was."
    )


def _enabled(accounts: "Sequence[AccountProgress]") -> str:
    """What happens after the sync was switched on: a scan, unless the server accepts no password."""
    refused = [account for account in accounts if account.refused]
    begins = "a scan begins now" if len(refused) < len(accounts) else "no scan can begin yet"
    return " ".join([f"The sync is on; {begins}.", *(f"{account.name}: {account.last_error}" for account in refused)])


def _page_address(resource: str | None, code: str) -> str | None:
    """The address of a connect page on the server that clients know as `resource`; None without a host."""
    parts = urlsplit(resource or "")
    return f"{parts.scheme}://{parts.netloc}{path_prefix(resource)}{CONNECT_PATH}/{code}" if parts.netloc else None


def path_prefix(resource: str | None) -> str:
    """What a proxy puts before the paths of the server that clients know as `resource`."""
    return urlsplit(resource or "").path.rstrip("/").removesuffix(_ENDPOINT)


def _unconnected(login: LoginState) -> str:
    """The message for a caller without an account: what they can do."""
    if login.link is not None:
        return _INVITED.format(login.link)
    failure = "" if login.failure is None else f" The last login failed: {login.failure}"
    return f"You have no Nextcloud account in this index; nc_enable_vector_sync gives you a link to log in.{failure}"


async def _reply(call: ToolCall, accounts: "Sequence[AccountProgress]", done: str) -> ToolReply:
    meta = await call.services.get(ACCOUNT_SYNC).meta(call.caller)
    states: list[SyncState] = sorted((account.state for account in accounts), key=_GRAVITY.index)
    state: SyncState = states[0] if states else "disabled"
    apps = [app for account in accounts for app in account.apps]
    counts: dict[str, Any] = {
        "indexed_count": sum(app.indexed for app in apps),
        "pending_count": sum(app.pending for app in apps),
        "failed_count": sum(app.failed for app in apps),
    }
    how_to_add = call.services.get(ACCOUNT_SYNC).how_to_add(call.caller.principal)
    message = done or _message(state, accounts, **counts, how_to_add=how_to_add) + _left_out(accounts)
    out = SyncOut(
        enabled=any(account.enabled for account in accounts),
        status=state,
        message=message,
        sources=[account_out(account) for account in accounts],
        **counts,
        **meta_fields(meta),
    )
    lines = map(one_line, [message, *map(_line, accounts)])
    return ToolReply(out, with_remarks(lines, meta))


def _message(
    state: SyncState,
    accounts: "Sequence[AccountProgress]",
    *,
    indexed_count: int,
    pending_count: int,
    failed_count: int,
    how_to_add: str,
) -> str:
    if not accounts:
        return f"You have no Nextcloud account in this index; {how_to_add}"
    vectors = sum(account.vectors_pending for account in accounts)
    words = sum(account.not_by_meaning for account in accounts)
    message = {
        "disabled": f"The sync is off. {kept}"
        if (kept := _kept(accounts))
        else "The sync is off and nothing is indexed; nc_enable_vector_sync turns it on.",
        "error": next((_error(account) for account in accounts if account.state == "error"), ""),
        "syncing": ("A scan is about to begin. " if any(account.scan_due for account in accounts) else "")
        + f"{indexed_count} documents indexed, {max(0, indexed_count - words)} of them found by meaning, "
        f"{pending_count} waiting to be read, {vectors} vectors to make.",
        "idle": f"{indexed_count} documents indexed; nothing waits.",
    }[state]
    return message + (f" {failed_count} cannot be read." if failed_count else "")


def _left_out(accounts: "Sequence[AccountProgress]") -> str:
    """What the scans of accounts found and did not index, by reason; "" if there is nothing."""
    counted = [account for account in accounts if account.enabled and account.left_out.any]
    return "".join(f" Left out of {account.name}: {account.left_out.text}." for account in counted)


def _error(account: "AccountProgress") -> str:
    return account.last_error if account.refused else f"The last scan failed: {account.last_error}"


def _line(account: "AccountProgress") -> str:
    counts = ", ".join(
        f"{app.app} {app.indexed}" + (f" (+{app.pending})" if app.pending else "")
        for app in account.apps
        if app.enabled or app.indexed
    )
    scan = "no complete scan yet" if account.lag is None else f"last complete scan {account.lag:.0f} s ago"
    return f"{account.name} ({account.server}): {account.state}; {counts or 'nothing indexed'}; {scan}"


def _tool(
    name: str,
    title: str,
    handle: Callable[[ToolCall, Any], Awaitable[ToolReply]],
    *,
    use: str,
    caps: str = "no arguments.",
    takes: type[Strict] = NothingIn,
    effect: Effect = Effect.READS,
) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=(
            f"Use when {use}\n"
            "Do not use when you only want to search.\n"
            "Returns at most state, counts, last scan and last error of each account.\n"
            "If you need more, run `citemark status` at the machine.\n"
            f"Defaults and caps: {caps}"
        ),
        takes=takes,
        gives=SyncOut,
        handle=handle,
        scopes=frozenset({READ if effect is Effect.READS else WRITE}),
        effect=effect,
        core=effect is Effect.READS,
    )


SYNC_STATUS = _tool(
    "nc_get_vector_sync_status",
    "State of the Nextcloud index",
    status,
    use="you want to know whether the user's Nextcloud is indexed, and how fresh.",
)

ENABLE_SYNC = _tool(
    "nc_enable_vector_sync",
    "Index Nextcloud",
    enable,
    use="the user wants their Nextcloud indexed and kept in step, or a scan now.",
    caps="apps as before, all the first time.",
    takes=EnableIn,
    effect=Effect.WRITES,
)

DISABLE_SYNC = _tool(
    "nc_disable_vector_sync",
    "Stop indexing Nextcloud",
    disable,
    use="the user wants their Nextcloud out of the index: nothing of it is found any more. Ask first.",
    caps="what is indexed is erased after a day; confirm: true erases it at once.",
    takes=DisableIn,
    effect=Effect.DESTROYS,
)
