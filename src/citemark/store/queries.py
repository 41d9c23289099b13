"""Statements by name, and arrays as their parameters. Every statement lives in `sql/*.sql` under a `-- name:` line.

A statement that writes is sent again after a lost connection only where that line says `(repeatable)`: it may have been
done before the answer was lost, and done twice it must leave what it leaves done once.
"""

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import LiteralString, cast

_HEADING = "-- name:"
_REPEATABLE = "(repeatable)"
_COMMENT = re.compile(r"--[^\n]*")
_WRITES = re.compile(r"\b(?:INSERT\s+INTO|(?<!FOR )UPDATE\s|DELETE\s+FROM|CREATE|ALTER|DROP|TRUNCATE)\b", re.IGNORECASE)


class Queries:
    """The named statements of the store, read once when the object is made."""

    def __init__(self) -> None:
        self._by_name: dict[str, LiteralString] = {}
        self._repeatable: set[str] = set()
        for entry in sorted(files("citemark.store").joinpath("sql").iterdir(), key=lambda file: file.name):
            if entry.name.endswith(".sql"):
                self._read(entry.name, entry.read_text("utf-8"))

    def _read(self, file: str, text: str) -> None:
        for part in text.split(_HEADING)[1:]:
            head, _, body = part.partition("\n")
            name, _, mark = head.strip().partition(" ")
            if mark not in {"", _REPEATABLE}:
                raise ValueError(f"{file}: {name!r} is marked {mark!r}, which means nothing")
            if name in self._by_name:
                raise ValueError(f"{file}: the name {name!r} is taken")
            # The files ship with the package and are code: as literal as a string in this module.
            self._by_name[name] = cast("LiteralString", body.strip())
            if mark or not writes(body):
                self._repeatable.add(name)

    def __getitem__(self, name: str) -> LiteralString:
        return self._by_name[name]

    def repeatable(self, name: str) -> bool:
        """Whether the statement may be sent again when it is not known whether it was done: a read, or so marked."""
        return name in self._repeatable

    def for_set(self, name: str, embedding_set_id: int) -> LiteralString:
        """A statement about one embedding set: its tables carry the set's number."""
        text = self._by_name[name].replace("{set}", f"{embedding_set_id:d}")
        return cast("LiteralString", text)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._by_name)


def writes(statement: str) -> bool:
    """Whether a statement changes rows or tables."""
    return _WRITES.search(_COMMENT.sub("", statement)) is not None


def int_array(values: Iterable[int]) -> str:
    """An array of integers as PostgreSQL writes it.

    Psycopg adapts arrays element by element, which took a tenth of the processor time of a first load.
    """
    return "{" + ",".join(map(str, values)) + "}"


def text_array(values: Iterable[str | None]) -> str:
    """An array of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted_text(value) for value in values) + "}"


def bytea_array(values: Iterable[bytes]) -> str:
    """An array of byte strings."""
    return "{" + ",".join(f'"\\\\x{value.hex()}"' for value in values) + "}"


def _quoted_text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
