"""What Nextcloud accounts contribute."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from citemark.feature import Core, Feature
from citemark.features.nextcloud.services.keys import ACCOUNT_SEARCH, ACCOUNT_SYNC, CONNECTING, LOGINS, POLLING
from citemark.services.bundle import ServiceKey
from citemark.services.stored_logins import STORED_LOGINS
from citemark.tools.families import ToolFamily, always

if TYPE_CHECKING:
    from starlette.routing import Route

    from citemark.cli.command_context import FirstStep
    from citemark.cli.command_tree import CommandTree
    from citemark.features.nextcloud.nextcloud_accounts import NextcloudAccounts
    from citemark.features.nextcloud.services.account_login import AccountLogins
    from citemark.features.nextcloud.services.connecting import AccountConnecting
    from citemark.features.nextcloud.services.login_polling import LoginPolling
    from citemark.features.nextcloud.services.search import AccountSearchService
    from citemark.features.nextcloud.services.sync_status import AccountSyncService
    from citemark.features.nextcloud.store.accounts import AccountStore
    from citemark.retrieval.occasions import SeriesReader
    from citemark.settings import Settings
    from citemark.sources.kinds import SourceKind
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.registry import Tool
    from citemark.tools.timed_calls import ServicesProvider
    from citemark.web.added_page import AddedPage

ACCOUNTS: ServiceKey["NextcloudAccounts"] = ServiceKey("accounts")


def _kinds() -> "Sequence[SourceKind]":
    from citemark.features.nextcloud.source.kind import NEXTCLOUD_KIND

    return (NEXTCLOUD_KIND,)


def _series() -> "SeriesReader":
    from citemark.features.nextcloud.source.calendar.series_dates import CalendarSeries

    return CalendarSeries()


def _accounts(core: Core) -> "NextcloudAccounts":
    from citemark.features.nextcloud.nextcloud_accounts import NextcloudAccounts

    made = NextcloudAccounts(core.settings, core.stores, core.clock)
    core.closing.push_async_callback(made.close)
    return made


def _store(core: Core) -> "AccountStore":
    from citemark.features.nextcloud.store.accounts import AccountStore

    return core.stores.of(AccountStore, core.stores.sources)


def _logins(core: Core) -> "AccountLogins":
    return core.services.get(ACCOUNTS).logins()


def _connecting(core: Core) -> "AccountConnecting":
    return core.services.get(ACCOUNTS).connecting


def _polling(core: Core) -> "LoginPolling":
    return core.services.get(ACCOUNTS).polling


def _search(core: Core) -> "AccountSearchService":
    from citemark.features.nextcloud.services.search import AccountSearchService

    stores = core.stores
    return AccountSearchService(
        core.pipeline, stores.sources, _store(core), stores.documents, core.handles, core.scoping
    )


def _sync(core: Core) -> "AccountSyncService":
    from citemark.features.nextcloud.services.sync_status import AccountSyncService

    contexts, accounts = core.pipeline.contexts, core.services.get(ACCOUNTS)
    return AccountSyncService(_store(core), core.stores.ledger, contexts, accounts, core.clock)


async def _erase_overdue(core: Core) -> None:
    await _store(core).erase_overdue(core.clock())


def _works(core: Core) -> Mapping[str, Callable[[], Awaitable[None]]]:
    """People can log in only to a server that the settings name."""
    return {} if core.settings.nextcloud_url is None else {"logins": core.services.get(POLLING).run}


def _tools(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.features.nextcloud.tools import NC_TOOLS

    return NC_TOOLS


def _connect_page(settings: "Settings", services: "ServicesProvider", address: str | None) -> "Route | None":
    from citemark.features.nextcloud.tools.connect_page import connect_route

    return None if settings.nextcloud_url is None else connect_route(services, address)


def _first_steps() -> "Sequence[FirstStep]":
    from citemark.cli.command_context import FirstStep
    from citemark.features.nextcloud.commands.nextcloud_command import add_first_account

    return (FirstStep("The address of a Nextcloud?", add_first_account),)


def _commands(tree: "CommandTree") -> None:
    from citemark.features.nextcloud.commands.nextcloud_options import add_nextcloud, login

    tree.add.command("nextcloud")(add_nextcloud)
    tree.root.command()(login)


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.features.nextcloud.account_page import account, connect_account, give_up_account
    from citemark.web.added_page import AddedPage

    return (AddedPage(account, changes=(connect_account, give_up_account), adds="Add a Nextcloud account"),)


NEXTCLOUD = Feature(
    "nextcloud",
    kinds=_kinds,
    services={
        ACCOUNTS: _accounts,
        STORED_LOGINS: lambda core: core.services.get(ACCOUNTS),
        LOGINS: _logins,
        CONNECTING: _connecting,
        POLLING: _polling,
        ACCOUNT_SEARCH: _search,
        ACCOUNT_SYNC: _sync,
    },
    sweep=_erase_overdue,
    works=_works,
    series=_series,
    tools=(ToolFamily(_tools, frozenset({"nextcloud"}), always),),
    commands=_commands,
    pages=_pages,
    first_steps=_first_steps,
    connect_page=_connect_page,
)
