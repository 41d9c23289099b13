"""The page that walks through the folders of the server's machine, to choose one that becomes a source."""

import asyncio
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from citemark.model.errors import InvalidArgument
from citemark.web.asked import Asked
from citemark.web.rendering import Page

_MOST_FOLDERS = 1_000
"""Folders that are listed; in a folder with more, one types the path."""


async def folders(asked: Asked) -> Page:
    """The folders within a folder, and the way up; only for the owner, at this machine.

    Raises:
        InvalidArgument: the folder is none, or may not be read.
    """
    if not (asked.is_owner and asked.is_here):
        return Page("folders", {"allowed": False})
    return Page("folders", {"allowed": True, **await asyncio.to_thread(_listed, asked.text("at") or "~")})


def _listed(given: str) -> dict[str, Any]:
    try:
        place = Path(given).expanduser().absolute()
        with os.scandir(place) as entries:
            names = sorted((each.name for each in entries if each.is_dir()), key=_hidden_last)
    except (OSError, ValueError, RuntimeError):
        raise InvalidArgument(f"{given} is not a folder that can be read here.") from None
    return {
        "at": str(place),
        "up": "" if place.parent == place else _address_of(place.parent),
        "choose": "/sources?" + urlencode({"folder": str(place)}, errors="surrogateescape"),
        "folders": [{"name": name, "open": _address_of(place / name)} for name in names[:_MOST_FOLDERS]],
        "more": max(0, len(names) - _MOST_FOLDERS),
    }


def _hidden_last(name: str) -> tuple[bool, str]:
    return name.startswith("."), name.casefold()


def _address_of(folder: Path) -> str:
    return "/folders?" + urlencode({"at": str(folder)}, errors="surrogateescape")
