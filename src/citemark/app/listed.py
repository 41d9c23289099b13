"""The small file that tells a starting server, before the database is open, which families of tools it lists."""

import json
import os
import re
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from citemark.model.errors import CitemarkError
from citemark.places import data_dir
from citemark.settings import Settings
from citemark.tools.families import Families

_PASSWORD = re.compile(r":[^:@/]*@|\bpassword\s*=\s*('[^']*'|\S*)", re.IGNORECASE)


class ListedFamilies:
    """What the index of some settings held when it was last seen. A missing or broken file says nothing."""

    def __init__(self, settings: Settings) -> None:
        name = "families"
        if settings.database_url is not None:
            known = _PASSWORD.sub("", settings.database_url.get_secret_value())
            name += "-" + blake2b(known.encode(), digest_size=6).hexdigest()
        self._settings = settings
        self._name = f"{name}.json"

    @property
    def path(self) -> Path:
        """The file."""
        return data_dir(self._settings) / self._name

    def changed_at(self) -> int:
        """A number that is another one after each writing; 0 while there is no file."""
        try:
            return self.path.stat().st_mtime_ns
        except (OSError, CitemarkError):
            return 0

    def read(self) -> Families | None:
        """What was kept, None where nothing readable was."""
        try:
            return _families(json.loads(self.path.read_bytes()))
        except (OSError, ValueError, CitemarkError):
            return None

    def keep(self, families: Families) -> bool:
        """Write it down unless it is known; False when it cannot be written, and servers learn it a bit later."""
        if (self.read() or Families()) == families:
            return True
        try:
            path = self.path
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.{os.getpid()}")
            beside.write_text(json.dumps(asdict(families)), encoding="utf-8")
            beside.replace(path)
        except (OSError, CitemarkError):
            return False
        return True


def _families(kept: Any) -> Families | None:
    if not isinstance(kept, dict):
        return None
    entries = cast("dict[str, Any]", kept)
    names, nextcloud = entries.get("capabilities"), entries.get("nextcloud")
    if not isinstance(names, list) or not isinstance(nextcloud, bool):
        return None
    return Families(nextcloud, tuple(name for name in cast("list[Any]", names) if isinstance(name, str)))
