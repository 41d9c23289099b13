"""What a backup of an index says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["cluster", "dump"]


@dataclass(frozen=True, slots=True)
class Stored:
    """One file of a backup: its size in bytes, and the SHA-256 of what is in it, in hexadecimal."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What an index holds, so that a person sees that it is the right one, and a restored one can be compared."""

    sources: int
    documents: int
    revisions: int
    passwords: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A complete backup.

    Attributes:
        kind: `cluster` is a copy of the files of the embedded PostgreSQL, `dump` is what pg_dump writes.
        made_at: when the copy began, ISO 8601 in UTC.
        citemark: the version that made it.
        postgres: the major version of its server.
        schema: the number of the last migration.
        counts: what was in the index when the copy began.
        files: by name within the folder of the backup.
    """

    kind: Kind
    made_at: str
    citemark: str
    postgres: int
    schema: int
    counts: Counts
    files: Mapping[str, Stored]

    @property
    def size(self) -> int:
        """Of all its files, in bytes."""
        return sum(file.size for file in self.files.values())
