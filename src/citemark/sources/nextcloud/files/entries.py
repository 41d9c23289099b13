"""Files and folders as a listing shows them."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import NewType

from citemark.model.ids import Version

FILE = "file"

FilePath = NewType("FilePath", str)
"""Below the account's root, decoded, without slashes at its ends; "" for the root."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder at its place. An etag is given without its quotes; servers that know none give None.

    Moving keeps `file_id` and `etag`. `shared_by` is the owner of what somebody else shares.
    """

    path: FilePath
    file_id: str | None
    etag: str | None
    is_folder: bool
    size: int = 0
    modified: datetime | None = None
    content_type: str = ""
    shared_by: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def version(self) -> Version:
        """Differs once the content or the place is another. Where there is no etag, time and size stand for it."""
        content = self.etag or f"{self.modified.timestamp() if self.modified else 0:.0f}.{self.size:x}"
        place = blake2b(self.path.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return Version(f"{content}.{place}")


def join_path(folder: FilePath, name: str) -> FilePath:
    """The path of a name in a folder."""
    return FilePath(f"{folder}/{name}" if folder else name)
