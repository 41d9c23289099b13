"""The OCS endpoints: the account, the server's capabilities, app passwords, shares, and what apps add."""

from collections.abc import Callable
from typing import Any

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.files.content import digest
from tests.nextcloud.files.controls import Files
from tests.nextcloud.messages import ServerRequest, ServerResponse, json_answer, not_modified, same_etag
from tests.nextcloud.ocs.envelope import UNKNOWN, bad, good
from tests.nextcloud.ocs.shares import serve_shares
from tests.nextcloud.throttle import Throttle
from tests.nextcloud.versions import Version

_SCOPED = ("address", "phone", "website", "twitter", "fediverse", "organisation", "role", "headline", "biography")

Part = Callable[[ServerRequest], ServerResponse | None]
"""What an app adds to OCS: an answer, or None where the route is not its own."""


class Ocs:
    """Answers below `/ocs/v1.php` and `/ocs/v2.php`."""

    def __init__(self, accounts: Accounts, files: Files, throttle: Throttle, version: Version) -> None:
        self.version = version
        self.accounts = accounts
        self.files = files
        self.throttle = throttle
        self.parts: list[Part] = [lambda ask: serve_shares(files, ask)]
        self.apps = {"notes", "deck"}

    def serve(self, ask: ServerRequest) -> ServerResponse:  # noqa: PLR0911 - one line per route
        """Answer; without the header of a client a logged-in caller is refused."""
        if ask.user and ask.header("ocs-apirequest") not in {"true", "1"}:
            return json_answer({"message": "CSRF check failed"}, 412)
        match (ask.method, *ask.words[2:]):
            case ("GET", "cloud", "capabilities"):
                return self._capabilities(ask)
            case ("GET", "cloud", "user"):
                return good(ask, self._person(ask.user))
            case ("GET", "cloud", "users", user):
                return good(ask, self._person(user)) if user == ask.user else bad(ask, 404, code=998)
            case ("GET", "cloud", "users"):
                return bad(ask, 403, "Logged in account must be at least a sub admin")
            case ("GET", "core", "getapppassword"):
                return self._get_app_password(ask)
            case ("DELETE", "core", "apppassword"):
                return self._revoke(ask)
            case _:
                found = (part(ask) for part in self.parts)
                return next((answer for answer in found if answer is not None), None) or bad(ask, 404, UNKNOWN)

    def _get_app_password(self, ask: ServerRequest) -> ServerResponse:
        if ask.by_app_password is not None:
            return bad(ask, 403, "You cannot request an new apppassword with an apppassword")
        name = ask.header("user-agent") or "unknown"
        return good(ask, {"apppassword": self.accounts.issue(ask.user, name)})

    def _revoke(self, ask: ServerRequest) -> ServerResponse:
        if ask.by_app_password is None:
            return bad(ask, 403, "no app password in use")
        self.accounts.revoke(ask.user, ask.by_app_password)
        return good(ask, [])

    def _capabilities(self, ask: ServerRequest) -> ServerResponse:
        delay = {"delay": self.throttle.delay_ms(ask.client), "allow-listed": False}
        theming = {"name": "Nextcloud", "url": "https://nextcloud.com"}
        capabilities: dict[str, Any] = {"bruteforce": delay, "theming": theming}
        if ask.user:
            capabilities |= {
                "core": _CORE,
                "dav": {"bulkupload": "1.0", "chunking": "1.0"},
                "files": self.version.files(),
                "files_sharing": {"api_enabled": True},
                "systemtags": {"enabled": True},
                "user_status": {"enabled": True},
            }
            capabilities |= {name: about for name, about in self.version.apps().items() if name in self.apps}
        data = {"version": self.version.about(), "capabilities": capabilities}
        etag = digest(data)
        answer = good(ask, data, headers={"etag": f'"{etag}"'})
        return not_modified(answer) if same_etag(ask, etag) else answer

    def _person(self, user: str) -> dict[str, Any]:
        account = self.accounts.people[user]
        free = 57_886_445_568
        used = self.files.tree.roots[user].size()
        quota = {"free": free, "used": used, "total": free + used, "relative": 0.01, "quota": -3}
        about: dict[str, Any] = {
            "id": user,
            "lastLogin": 0,
            "backend": "Database",
            "subadmin": [],
            "quota": quota,
            "manager": "",
            "avatarScope": "v2-federated",
            "email": account.email,
            "emailScope": "v2-federated",
            "additional_mail": [],
            "additional_mailScope": [],
            "displayname": account.name,
            "display-name": account.name,
            "displaynameScope": "v2-federated",
            "groups": [],
            "language": "en",
            "locale": "",
        }
        return about | dict.fromkeys(_SCOPED, "") | {f"{name}Scope": "v2-local" for name in _SCOPED}


_CORE = {
    "pollinterval": 60,
    "webdav-root": "remote.php/webdav",
    "reference-api": True,
    "reference-regex": (
        r"(\s|\n|^)(https?:\/\/)([-A-Z0-9+_.]+(?::[0-9]+)?(?:\/[-A-Z0-9+&@#%?=~_|!:,.;()]*)*)(\s|\n|$)"
    ),
    "mod-rewrite-working": True,
}
