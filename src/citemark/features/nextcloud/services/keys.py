"""The keys of the services of Nextcloud accounts."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # tools name these services before they are loaded
    from citemark.features.nextcloud.services.account_login import AccountLogins
    from citemark.features.nextcloud.services.connecting import AccountConnecting
    from citemark.features.nextcloud.services.login_polling import LoginPolling
    from citemark.features.nextcloud.services.search import AccountSearchService
    from citemark.features.nextcloud.services.sync_status import AccountSyncService

ACCOUNT_SEARCH: ServiceKey["AccountSearchService"] = ServiceKey("search in accounts")
ACCOUNT_SYNC: ServiceKey["AccountSyncService"] = ServiceKey("the sync of accounts")
CONNECTING: ServiceKey["AccountConnecting"] = ServiceKey("connecting of accounts")
LOGINS: ServiceKey["AccountLogins"] = ServiceKey("logins to accounts")
POLLING: ServiceKey["LoginPolling"] = ServiceKey("polling of logins")
