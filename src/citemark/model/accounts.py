"""A person's Nextcloud account as the index sees it: its apps, and how far the indexing of each has come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from citemark.model.ids import SourceId
from citemark.model.left_out import LeftOut
from citemark.model.refused_logins import RefusedLogin
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
"""The document types of each app; the apps are in the order in which people usually list them."""

DOC_TYPES: tuple[str, ...] = tuple(doc_type for types in APPS.values() for doc_type in types)

DATED = frozenset({"calendar_event", "calendar_todo", "deck_card"})
"""The document types that have days."""


def app_of(doc_type: str) -> str | None:
    """The app that a document type belongs to, or None if no app has that type."""
    return next((app for app, types in APPS.items() if doc_type in types), None)


def apps_of(source: Source) -> tuple[str, ...]:
    """The apps of an account that are indexed: those named in its configuration, or all apps if it names none."""
    named: Sequence[str] | None = source.config.get("apps")
    return tuple(APPS) if named is None else tuple(app for app in APPS if app in named)


def login_hint(name: str) -> str:
    """A hint that tells a person how to renew the password of an account."""
    return f"`citemark login {name}` makes a new one"


def refusal(refused: RefusedLogin) -> str:
    """A message that the server refused the password of an account, and when it is tried again."""
    if refused.retry_at is None:
        return f"{refused.reason} It is tried again soon."
    return f"{refused.reason} It is tried again after {refused.retry_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."


@dataclass(frozen=True, slots=True)
class Renewal:
    """How the reader of a message can renew the login of an account: `commands` are for whoever owns this machine.

    `by_link`: the server of this index gives people links to log in to that Nextcloud.
    """

    commands: bool = True
    by_link: bool = False

    def advice(self, name: str) -> str:
        """What the reader can do, as a sentence."""
        if self.commands:
            return f"{login_hint(name)}."
        if self.by_link:
            return "nc_enable_vector_sync gives a link to log in again."
        return f"Whoever runs this server can log in again to {name}."


@dataclass(frozen=True, slots=True)
class TypeCount:
    """How many documents of one type in one source are indexed, still to be read (pending) or given up (failed)."""

    doc_type: str
    indexed: int
    pending: int
    failed: int


@dataclass(frozen=True, slots=True)
class AccountState:
    """The state of one account, as its latest scans reported it.

    `lag` is the age of the last complete scan, in seconds. `scan_wanted` means that a scan was requested and has not
    started yet. `refused` says that the server does not accept the stored password; it is None while the server
    does, as far as is known. `erase_at`: when what came from an account that is switched off is erased.
    `not_by_meaning` counts the documents that are found by their words only, so far. `left_out` is what the last scan
    found and did not index.
    """

    source_id: SourceId
    counts: tuple[TypeCount, ...]
    vectors_pending: int
    scanning: bool
    last_complete_scan: datetime | None
    lag: float | None
    last_error: str
    scan_wanted: bool = False
    refused: RefusedLogin | None = None
    erase_at: datetime | None = None
    not_by_meaning: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login whose link was given to a person who has not approved it yet.

    `flow` is encrypted: it holds the address and the token with which the password is fetched once the person has
    approved. If `apps` is None, all apps are indexed.
    """

    principal: Principal
    link: str
    flow: bytes = field(repr=False)
    apps: tuple[str, ...] | None
    expires_at: datetime

    def with_apps(self, apps: Sequence[str] | None) -> "PendingLogin":
        """The same login, restricted to these apps; None means all apps."""
        return replace(self, apps=None if apps is None else tuple(apps))


@dataclass(frozen=True, slots=True)
class LoginState:
    """What a person can learn about their login: the link that awaits approval, or why the last login failed."""

    link: str | None = None
    failure: str | None = None
