"""A person's Nextcloud account as an index sees it: its apps, and how far each has come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import Source

NEXTCLOUD = "nextcloud"

APPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "notes": ("note",),
        "calendar": ("calendar_event", "calendar_todo"),
        "deck": ("deck_card",),
        "files": ("file",),
        "contacts": ("contact",),
    }
)
"""The types of documents of each app, in the order in which people name them."""

DOC_TYPES: tuple[str, ...] = tuple(doc_type for types in APPS.values() for doc_type in types)


def app_of(doc_type: str) -> str | None:
    """The app that a type of documents belongs to."""
    return next((app for app, types in APPS.items() if doc_type in types), None)


def apps_of(source: Source) -> tuple[str, ...]:
    """The apps of an account that are indexed: those that its configuration names, else all."""
    named: Sequence[str] | None = source.config.get("apps")
    return tuple(APPS) if named is None else tuple(app for app in APPS if app in named)


def login_hint(name: str) -> str:
    """How a person renews the password of an account."""
    return f"`citemark login {name}` makes a new one"


def refusal(name: str, refused: str) -> str:
    """That the server refused the password of an account, and how to renew it."""
    return f"{refused} {login_hint(name)}."


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Documents of one type in one source: indexed, waiting to be read, given up."""

    doc_type: str
    indexed: int
    pending: int
    failed: int


@dataclass(frozen=True, slots=True)
class AccountState:
    """What the last scans of one account said. `lag` is the age of the last complete one, in seconds.

    `scan_wanted`: a scan was requested and has not begun. `refused` says that the server does not accept the
    stored password; empty while it does, as far as is known.
    """

    source_id: SourceId
    counts: tuple[TypeCount, ...]
    vectors_pending: int
    scanning: bool
    last_complete_scan: datetime | None
    lag: float | None
    last_error: str
    scan_wanted: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login by a link that a person was given and has not agreed to yet.

    `flow` is encrypted: the address and the token by which the password is fetched once they have. Without `apps` all
    are indexed.
    """

    principal: Principal
    link: str
    flow: bytes = field(repr=False)
    apps: tuple[str, ...] | None
    expires_at: datetime

    def with_apps(self, apps: Sequence[str] | None) -> "PendingLogin":
        """The same login, for these apps."""
        return replace(self, apps=None if apps is None else tuple(apps))


@dataclass(frozen=True, slots=True)
class LoginState:
    """What a person can be told of their login: the link that waits, or why the last one came to nothing."""

    link: str | None = None
    failure: str | None = None
