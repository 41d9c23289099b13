"""A small file that tells a starting server what the index holds, before the database is open."""

import json
import os
import re
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from citemark.folders import data_dir
from citemark.model.errors import CitemarkError
from citemark.settings import Settings
from citemark.tools.index_contents import IndexContents, NamedSource, ToolGroups

_PASSWORD = re.compile(r":[^:@/]*@|\bpassword\s*=\s*('[^']*'|\S*)", re.IGNORECASE)


class ToolGroupsFile:
    """The contents of an index when it was last open. A missing or broken file counts as unknown."""

    def __init__(self, settings: Settings) -> None:
        name = "families"
        if settings.database_url is not None:
            address = _PASSWORD.sub("", settings.database_url.get_secret_value())
            name += "-" + blake2b(address.encode(), digest_size=6).hexdigest()
        self._settings = settings
        self._name = f"{name}.json"

    @property
    def path(self) -> Path:
        """The path of the file."""
        return data_dir(self._settings.data_dir) / self._name

    def changed_at(self) -> int:
        """A number that changes with each write; 0 if the file does not exist."""
        try:
            return self.path.stat().st_mtime_ns
        except (OSError, CitemarkError):
            return 0

    def read(self) -> IndexContents | None:
        """The recorded contents, or None if there is nothing readable."""
        try:
            return _holding(json.loads(self.path.read_bytes()))
        except (OSError, ValueError, CitemarkError):
            return None

    def keep(self, holding: IndexContents) -> bool:
        """Record the contents unless that is done already; False if it fails, and servers learn of them a bit later."""
        if (self.read() or IndexContents()) == holding:
            return True
        try:
            path = self.path
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.{os.getpid()}")
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(_written(holding), file)
            beside.replace(path)
        except (OSError, CitemarkError):
            return False
        return True


def _written(holding: IndexContents) -> dict[str, Any]:
    sources = None if holding.sources is None else [asdict(source) for source in holding.sources]
    groups = holding.groups
    return {"groups": sorted(groups.names), "capabilities": list(groups.capabilities), "sources": sources}


def _holding(value: Any) -> IndexContents | None:
    if not isinstance(value, dict):
        return None
    entries = cast("dict[str, Any]", value)
    names, capabilities = entries.get("groups"), entries.get("capabilities")
    if not isinstance(names, list) or not isinstance(capabilities, list):
        return None
    return IndexContents(ToolGroups(frozenset(_texts(names)), _texts(capabilities)), _sources(entries.get("sources")))


def _sources(value: Any) -> tuple[NamedSource, ...] | None:
    """The sources, or None if they had not been listed."""
    if not isinstance(value, list):
        return None
    entries = [cast("dict[str, Any]", entry) for entry in cast("list[Any]", value) if isinstance(entry, dict)]
    return tuple(
        NamedSource(
            str(entry.get("name", "")),
            str(entry.get("kind", "")),
            _texts(entry.get("languages")),
            str(entry.get("about", "")),
        )
        for entry in entries
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(name for name in cast("list[Any]", value) if isinstance(name, str)) if isinstance(value, list) else ()
