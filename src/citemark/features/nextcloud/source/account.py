"""An account and the settings of its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from citemark.features.nextcloud.source.file_rules import DEFAULT_MAX_BYTES, FileRules
from citemark.features.nextcloud.source.http_transport import server_address
from citemark.features.nextcloud.source.scan_limits import ScanLimits
from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import ConfigurationError
from citemark.model.sources import Source
from citemark.sources.contract import Processor, Scanner, Verifier

APP_NAMES = ("notes", "calendar", "contacts", "deck", "files")
APP_VERSIONS: Mapping[str, int] = MappingProxyType({"notes": 2, "calendar": 2, "contacts": 2, "deck": 2, "files": 2})
"""The version of how each app's entries become text. Raise it by one with every change that makes another text of the
same entry: the app's documents, whose scanner names the app among their readers, are then read again."""

_DEFAULT_LIMITS = ScanLimits()
_KEYS = ("server", "login", "user", "apps", "files", "ca", "sync")


@dataclass(frozen=True, slots=True)
class AccountApp:
    """The three parts of one app of an account, and the types of documents they handle."""

    name: str
    doc_types: frozenset[str]
    scanner: Scanner
    processor: Processor
    verifier: Verifier


@dataclass(frozen=True, slots=True)
class Account:
    """Whose documents are read, and within which rules. The login name and the user id may differ."""

    server: str
    login: str
    user: str
    files: FileRules
    limits: ScanLimits = field(default_factory=ScanLimits)


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """The configuration of an account as a source.

    Attributes:
        account: whose documents are read.
        apps: which of its apps are read.
        chosen: whether a person chose these apps; otherwise they are whatever the server has.
        ca: file of certificates to trust in addition to the system's.
    """

    account: Account
    apps: tuple[str, ...] = APP_NAMES
    chosen: bool = False
    ca: str | None = None

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        *,
        max_file_bytes: int = DEFAULT_MAX_BYTES,
        limits: ScanLimits = _DEFAULT_LIMITS,
    ) -> "AccountSettings":
        """Read a source's stored configuration.

        Args:
            config: as stored with the source.
            max_file_bytes: larger files are reported as problems.
            limits: bounds of each scan.

        Raises:
            ConfigurationError: a key is unknown or missing, or a value has the wrong type.
        """
        unknown = sorted(set(config) - set(_KEYS))
        if unknown:
            raise ConfigurationError(f"A Nextcloud source has no setting {unknown[0]!r}; it takes {', '.join(_KEYS)}.")
        files: object = config.get("files", {})
        if not isinstance(files, dict):
            raise ConfigurationError(f"`files` of a Nextcloud source holds rules, not {files!r}.")
        account = Account(
            server=server_address(_word(config, "server")),
            login=_word(config, "login"),
            user=_word(config, "user"),
            files=FileRules.from_config(cast("Mapping[str, Any]", files), max_bytes=max_file_bytes),
            limits=limits,
        )
        apps: object = config.get("apps") or ()
        if not isinstance(apps, list | tuple):
            raise ConfigurationError(f"`apps` of a Nextcloud source is a list, not {apps!r}.")
        named = tuple(str(app) for app in cast("Sequence[object]", apps))
        ca = config.get("ca")
        return cls(account, known_apps(named) or APP_NAMES, bool(named), None if ca is None else str(ca))

    @classmethod
    def of(cls, source: Source) -> "AccountSettings | None":
        """The settings of a source; None if it is of another kind."""
        return cls.from_config(source.config) if source.kind == NEXTCLOUD else None


def known_apps(names: Sequence[str]) -> tuple[str, ...]:
    """Return the apps of those names, in our order.

    Raises:
        ConfigurationError: a name is unknown.
    """
    wanted = {name.strip().lower() for name in names if name.strip()}
    unknown = sorted(wanted - set(APP_NAMES))
    if unknown:
        raise ConfigurationError(f"There is no app {unknown[0]!r} to read; choose from {', '.join(APP_NAMES)}.")
    return tuple(name for name in APP_NAMES if name in wanted)


def _word(config: Mapping[str, Any], key: str) -> str:
    value = config.get(key)
    if not isinstance(value, str) or not value:
        raise ConfigurationError(f"A Nextcloud source needs `{key}`; `citemark add nextcloud URL` determines it.")
    return value
