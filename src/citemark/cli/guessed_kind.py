"""Tells from what a person typed after `citemark add` which kind of source it is."""

import re
from pathlib import Path

from citemark.model.errors import InvalidArgument

DOCS, ARCHIMATE, NEXTCLOUD = "docs", "archimate", "nextcloud"
"""The commands below `citemark add`."""

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?", re.IGNORECASE)
_PATH_SIGNS = ("/", "~", ".", "\\")
_MODEL_SIGNS = (b"opengroup.org/xsd/archimate", b"archimatetool.com/archimate")
_HEAD_BYTES = 4096
"""The root element, which names the format, is within the first kilobytes."""


def guessed_kind(word: str) -> str | None:
    """The kind of a folder, a model's file or an address; None for a word that is none of these.

    Raises:
        InvalidArgument: it is a path at which nothing is, or a file that is no model; the message says what to type.
    """
    if _ADDRESS.match(word):
        return NEXTCLOUD
    path = Path(word).expanduser()
    if path.is_dir():
        return ARCHIMATE if (path / "folder.xml").is_file() else DOCS
    if path.is_file():
        if _is_model(path):
            return ARCHIMATE
        raise InvalidArgument(
            f"{word} is one file, and sources are folders: `citemark add {path.parent}` takes its folder, "
            f"and with --include '{path.name}' nothing else of it."
        )
    if _HOST.fullmatch(word):
        return NEXTCLOUD
    if any(sign in word for sign in _PATH_SIGNS):
        raise InvalidArgument(
            f"There is nothing at {word}; give a folder, a model's file or the address of a Nextcloud."
        )
    return None


def _is_model(path: Path) -> bool:
    if path.suffix.lower() == ".archimate":
        return True
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return any(sign in head for sign in _MODEL_SIGNS)
