"""Whether two folders of documents would read the same files."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from citemark.model.errors import InvalidArgument
from citemark.model.sources import Source
from citemark.sources.docs.settings import DocsSettings


def check_apart(root: Path, exclude: Sequence[str], sources: Iterable[Source], *, ignore: bool = False) -> None:
    """Check that no source already reads the folder, or a folder above or below it.

    Raises:
        InvalidArgument: one does, and neither of the two excludes the other's folder; the message says which source it
            is, and what to do.
    """
    new, requested = os.path.realpath(root), DocsSettings(root, exclude=tuple(exclude), ignore=ignore)
    for source in sources:
        existing = DocsSettings.of(source)
        if existing is None:
            continue
        old = os.path.realpath(existing.root)
        if new == old:
            overlap = f"{root} is already the source {source.name!r}"
        elif _reads(existing, old, new):
            overlap = f"{root} is inside the folder of the source {source.name!r}, which reads it already"
        elif _reads(requested, new, old):
            overlap = f"The folder of the source {source.name!r} is inside {root}; it would be read twice"
        else:
            continue
        raise InvalidArgument(
            f"{overlap}. `citemark source set {source.name}` changes what that source takes, `citemark sync "
            f"{source.name}` reads it again; --overlapping adds another source anyway.",
            name=source.name,
        )


def _reads(settings: DocsSettings, root: str, folder: str) -> bool:
    """Whether a walk of `root` would reach `folder`."""
    if not folder.startswith(root.rstrip("/") + "/"):
        return False
    relative = os.path.relpath(folder, root)
    return settings.takes_folder_at(relative)
