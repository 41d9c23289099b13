"""Finds out whether a folder that is to be added is read by another source already."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from citemark.model.errors import InvalidArgument
from citemark.model.sources import Source
from citemark.sources.docs.settings import DOCS, DocsSettings


def check_apart(root: Path, exclude: Sequence[str], sources: Iterable[Source]) -> None:
    """Check that no source reads the folder, or a folder above or below it, already.

    Raises:
        InvalidArgument: one does, and neither leaves the other's folder out; the message says which and what to do.
    """
    new, asked = os.path.realpath(root), DocsSettings(root, exclude=tuple(exclude))
    for source in sources:
        if source.kind != DOCS:
            continue
        there = DocsSettings.from_config(source.config)
        old = os.path.realpath(there.root)
        if new == old:
            found = f"{root} is the source {source.name!r} already"
        elif _reads(there, old, new):
            found = f"{root} lies in the folder of the source {source.name!r}, which reads it already"
        elif _reads(asked, new, old):
            found = f"The folder of the source {source.name!r} lies in {root}; it would be read twice"
        else:
            continue
        raise InvalidArgument(
            f"{found}. `citemark source set {source.name}` changes what that source takes, `citemark sync "
            f"{source.name}` reads it again; --overlapping adds another source all the same.",
            name=source.name,
        )


def _reads(settings: DocsSettings, root: str, folder: str) -> bool:
    """Whether a walk of `root` would come to `folder`."""
    if not folder.startswith(root.rstrip("/") + "/"):
        return False
    inside = os.path.relpath(folder, root)
    return settings.takes_folder_at(inside)
