"""The keys of the services of Nextcloud accounts."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # tools name these services before they are loaded
    from citemark.services.accounts.account_login import AccountLogins
    from citemark.services.accounts.connecting import AccountConnecting
    from citemark.services.accounts.login_polling import LoginPolling
    from citemark.services.accounts.search import AccountSearchService
    from citemark.services.accounts.sync_status import AccountSyncService

ACCOUNT_SEARCH: ServiceKey["AccountSearchService"] = ServiceKey("search in accounts")
ACCOUNT_SYNC: ServiceKey["AccountSyncService"] = ServiceKey("the sync of accounts")
CONNECTING: ServiceKey["AccountConnecting"] = ServiceKey("connecting of accounts")
LOGINS: ServiceKey["AccountLogins"] = ServiceKey("logins to accounts")
POLLING: ServiceKey["LoginPolling"] = ServiceKey("polling of logins")
