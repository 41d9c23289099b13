"""What the settings of an Obsidian vault say about its files: templates, daily notes, and addresses that open notes."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from citemark.model.documents import suffix_of
from citemark.sources.docs.day_names import DEFAULT_PATTERN, DayName
from citemark.sources.git_control_files import regular_file

_SETTINGS = ".obsidian"
_TEMPLATES = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
"""The settings of the templates plugin, and of Templater, which most people use instead; each with its key."""

_LARGEST = 1 << 20
"""Bytes of a file of settings; the longest ones have some ten thousand."""

_NOTE = ".md"
_OPENED = frozenset({_NOTE, ".canvas", ".base", ".pdf"})


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault, as far as its settings matter here.

    Attributes:
        name: the name of its folder, which is what Obsidian calls it.
        below: the path of the source's folder within the vault; "" where they are the same.
        templates: folders of templates, relative to the source's folder.
        daily: how daily notes are named; None where they are not in the source's folder.
    """

    name: str
    below: str = ""
    templates: frozenset[str] = frozenset()
    daily: DayName | None = None

    def address_of(self, path: str) -> str | None:
        """The address that opens a file in the app, given its path relative to the source's folder.

        None for a file of a kind that the app does not open (obsidian.md/help/uri, obsidian.md/help/file-formats).
        """
        if suffix_of(path.rpartition("/")[2]) not in _OPENED:
            return None
        file = f"{self.below}/{path}" if self.below else path
        return f"obsidian://open?vault={quote(self.name, safe='')}&file={quote(file.removesuffix(_NOTE), safe='')}"


def vault_of(root: str) -> Vault | None:
    """The vault that a folder is, or is part of; None if neither it nor a folder above it is one.

    Args:
        root: the real path of the folder.
    """
    top = root
    while not os.path.isdir(f"{top}/{_SETTINGS}"):  # noqa: PTH112 - looked at for every page: paths cost three times as much
        above = os.path.dirname(top)  # noqa: PTH120
        if above == top:
            return None
        top = above
    if not os.path.basename(top):  # noqa: PTH119 - of a string
        return None
    below = os.path.relpath(root, top)
    below = "" if below == os.curdir else below
    templates = (_inside(_text(_setting(top, file), key), below) for file, key in _TEMPLATES)
    return Vault(
        os.path.basename(top),  # noqa: PTH119 - of a string
        below,
        frozenset(each for each in templates if each),
        _daily(_setting(top, "daily-notes.json"), below),
    )


def _daily(setting: Mapping[str, Any], below: str) -> DayName | None:
    folder, pattern = _text(setting, "folder").strip("/"), _text(setting, "format")
    if not below:
        return DayName(pattern or DEFAULT_PATTERN, folder)
    if folder == below:
        return DayName(pattern or DEFAULT_PATTERN)
    inside = _inside(folder, below)
    return DayName(pattern or DEFAULT_PATTERN, inside) if inside else None


def _setting(top: str, name: str) -> Mapping[str, Any]:
    """A file of settings; empty if there is none, or if it holds anything else."""
    try:
        with os.fdopen(regular_file(Path(top, _SETTINGS, name)), "rb") as file:
            found: object = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _text(setting: Mapping[str, Any], key: str) -> str:
    value = setting.get(key)
    return value if isinstance(value, str) else ""


def _inside(folder: str, below: str) -> str:
    """A folder of the vault relative to the folder `below`; "" for one that is not in that, and for none."""
    path = os.path.normpath(folder.strip("/")) if folder.strip("/") else ""
    if path.startswith("..") or path == os.curdir:
        return ""
    if not below:
        return path
    return path.removeprefix(f"{below}/") if path.startswith(f"{below}/") else ""
