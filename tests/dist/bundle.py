"""The bundles for hosts that install by a double click: ZIP archives of packages/citemark-bundle."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

NAME = "citemark.mcpb"
OLDER = "citemark-manifest-0.3.mcpb"
NAMES = (NAME, OLDER)
_MANIFEST = "manifest.json"
_FOLDER = "packages/citemark-bundle"
_MODE = 0o100644 << 16


def pack(tree: Path, into: Path) -> None:
    """Write the bundles: the same bytes whatever the order and the times of the files are."""
    folder = tree / _FOLDER
    for bundle in NAMES:
        with ZipFile(into / bundle, "w") as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = path.relative_to(folder).as_posix()
                content = path.read_bytes()
                entry = ZipInfo(name)  # dated 1980, the earliest that the format knows
                entry.external_attr = _MODE
                older = bundle == OLDER and name == _MANIFEST
                archive.writestr(entry, for_older_hosts(content) if older else content, ZIP_DEFLATED)


def for_older_hosts(manifest: bytes) -> bytes:
    """The manifest in version 0.3, which has no servers of the type `uv`: there it is Python, by the same command."""
    described: dict[str, Any] = json.loads(manifest)
    described["manifest_version"] = "0.3"
    described["server"]["type"] = "python"
    return json.dumps(described, indent=2).encode() + b"\n"
