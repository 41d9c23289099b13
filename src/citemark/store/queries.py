"""SQL by name: every statement lives in `sql/*.sql` under a `-- name:` line."""

from importlib.resources import files
from typing import LiteralString, cast

_HEADING = "-- name:"


class Queries:
    """The named statements of the store, read once when the object is made."""

    def __init__(self) -> None:
        self._by_name: dict[str, LiteralString] = {}
        for entry in sorted(files("citemark.store").joinpath("sql").iterdir(), key=lambda file: file.name):
            if entry.name.endswith(".sql"):
                self._read(entry.name, entry.read_text("utf-8"))

    def _read(self, file: str, text: str) -> None:
        for part in text.split(_HEADING)[1:]:
            name, _, body = part.partition("\n")
            name = name.strip()
            if name in self._by_name:
                raise ValueError(f"{file}: the name {name!r} is taken")
            # The files ship with the package and are code: as literal as a string in this module.
            self._by_name[name] = cast("LiteralString", body.strip())

    def __getitem__(self, name: str) -> LiteralString:
        return self._by_name[name]

    def for_set(self, name: str, embedding_set_id: int) -> LiteralString:
        """A statement about one embedding set: its tables carry the set's number."""
        text = self._by_name[name].replace("{set}", f"{embedding_set_id:d}")
        return cast("LiteralString", text)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._by_name)
