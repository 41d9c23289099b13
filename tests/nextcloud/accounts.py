"""Accounts and their app passwords."""

import itertools
from dataclasses import dataclass, field
from threading import RLock

from tests.nextcloud.locking import locked


@dataclass(slots=True)
class AppPassword:
    """A password of one device; it logs in only under the name that it was made with."""

    id: int
    name: str
    login: str


@dataclass(slots=True)
class Account:
    """A person: user id, name, e-mail, real password and app passwords."""

    id: str
    name: str
    email: str
    password: str
    app_passwords: dict[str, AppPassword] = field(default_factory=dict[str, AppPassword])


@dataclass(frozen=True, slots=True)
class Login:
    """A successful login, and the app password that opened it."""

    user: str
    app_password: str | None


class Accounts:
    """The people of the server: alice, bob and carol."""

    def __init__(self, lock: RLock) -> None:
        self.lock = lock
        self.people: dict[str, Account] = {}
        self._disabled: set[str] = set()
        self._ids = itertools.count(1)
        for user, name in (("alice", "Alice Berger"), ("bob", "Bob Kowalski"), ("carol", "Carol Nowak")):
            self.people[user] = Account(user, name, f"{user}@example.org", f"{user}-real-password")
            self.issue(user, "rig client", f"{user}-app-password")

    def app_password(self, user: str) -> str:
        """One valid app password of a user."""
        return next(iter(self.people[user].app_passwords))

    @locked
    def issue(self, user: str, name: str, secret: str | None = None, login: str | None = None) -> str:
        """Make an app password and return it."""
        number = next(self._ids)
        secret = secret or f"{user}-app-password-{number:09d}"
        self.people[user].app_passwords[secret] = AppPassword(number, name, login or user)
        return secret

    @locked
    def revoke(self, user: str, secret: str | None = None) -> None:
        """Take one app password, or all of a user's."""
        account = self.people[user]
        account.app_passwords = {
            kept: made for kept, made in account.app_passwords.items() if secret is not None and kept != secret
        }

    @locked
    def disable(self, user: str) -> None:
        """Let nobody in as this user, as an administrator may for a while; passwords stay."""
        self._disabled.add(user)

    @locked
    def enable(self, user: str) -> None:
        """Let a disabled user in again."""
        self._disabled.discard(user)

    @locked
    def basic(self, login: str, secret: str) -> Login | None:
        """Whom a name and a password let in."""
        for account in self._enabled():
            made = account.app_passwords.get(secret)
            if made is not None and made.login == login:
                return Login(account.id, secret)
            if login in {account.id, account.email} and secret == account.password:
                return Login(account.id, None)
        return None

    @locked
    def bearer(self, secret: str) -> Login | None:
        """Whom an app password lets in as a Bearer token."""
        for account in self._enabled():
            if secret in account.app_passwords:
                return Login(account.id, secret)
        return None

    def _enabled(self) -> list[Account]:
        return [account for account in self.people.values() if account.id not in self._disabled]
