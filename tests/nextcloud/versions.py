"""What differs between the versions of Nextcloud that the double can be, from 28 to 32."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the server, with the Notes and Deck apps of its time.

    Attributes:
        number: as `status.php` gives it, four parts.
        notes: version of the Notes app.
        notes_apis: versions of its interface.
        deck: version of the Deck app.
        renamed_name_rules: the capabilities of files name what names may not contain by new names (since 30).
        archives_folders: a GET of a folder returns a ZIP of it instead of a greeting (since 31).
        report_rows: changes after which a report of an address book is cut off with a row of status 507 (since 31).
        lists_accounts: the address book of all accounts exists; on large servers 32 switches it off.
    """

    number: str
    notes: str
    notes_apis: tuple[str, ...]
    deck: str
    renamed_name_rules: bool = True
    archives_folders: bool = True
    report_rows: int | None = 2
    lists_accounts: bool = True

    @property
    def string(self) -> str:
        """The version as people write it."""
        return self.number.rpartition(".")[0]

    def about(self) -> dict[str, Any]:
        """The version in the answer with the capabilities."""
        major, minor, micro, _ = map(int, self.number.split("."))
        parts = {"major": major, "minor": minor, "micro": micro}
        return {**parts, "string": self.string, "edition": "", "extendedSupport": False}

    def files(self) -> dict[str, Any]:
        """The capabilities of files."""
        named: dict[str, Any] = {"bigfilechunking": True, "undelete": True, "versioning": True}
        if not self.renamed_name_rules:
            return named
        return {**named, "forbidden_filename_characters": ["\\", "/"], "forbidden_filenames": [".htaccess"]}

    def apps(self) -> dict[str, dict[str, Any]]:
        """The capabilities of Notes and Deck."""
        notes = {"api_version": list(self.notes_apis), "version": self.notes, "notes_path": "Notes"}
        deck = {"version": self.deck, "canCreateBoards": True, "apiVersions": ["1.0", "1.1"]}
        return {"notes": notes, "deck": deck}


_BEFORE_31: dict[str, Any] = {"archives_folders": False, "report_rows": None}
_APIS = ("0.2", "1.3", "1.4")

VERSIONS: Mapping[int, Version] = MappingProxyType(
    {
        28: Version("28.0.14.1", "4.9.4", ("0.2", "1.3"), "1.12.6", renamed_name_rules=False, **_BEFORE_31),
        29: Version("29.0.6.1", "4.13.1", _APIS, "1.13.10", renamed_name_rules=False, **_BEFORE_31),
        30: Version("30.0.17.2", "4.12.4", _APIS, "1.14.6", **_BEFORE_31),
        31: Version("31.0.10.2", "4.12.4", _APIS, "1.15.4"),
        32: Version("32.0.3.2", "4.13.1", _APIS, "1.16.2", lists_accounts=False),
    }
)
"""By the first part of their number. The double was compared with a recorded 29; the others are as documented."""

RECORDED = VERSIONS[29]
