"""Where a native id lies on disk, and its version there."""

import os
from pathlib import Path

from citemark.model.ids import Version


def inside(root: Path, native_id: str) -> Path | None:
    """The file behind a native id, links resolved; None when that leaves the root (which is resolved already)."""
    real = Path(os.path.realpath(root / native_id))
    return real if real.is_relative_to(root) else None


def version_of(stat: os.stat_result) -> Version:
    """Changes whenever the file's bytes may have: time (ns), size and inode."""
    return Version(f"{stat.st_mtime_ns:x}-{stat.st_size:x}-{stat.st_ino:x}")
