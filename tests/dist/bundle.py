"""The bundle for hosts that install by a double click: a ZIP archive of packages/citemark-bundle."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

NAME = "citemark.mcpb"
_FOLDER = "packages/citemark-bundle"
_MODE = 0o100644 << 16


def pack(tree: Path, into: Path) -> None:
    """Write the bundle: the same bytes whatever the order and the times of the files are."""
    folder = tree / _FOLDER
    with ZipFile(into / NAME, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = ZipInfo(path.relative_to(folder).as_posix())  # dated 1980, the earliest that the format knows
            entry.external_attr = _MODE
            archive.writestr(entry, path.read_bytes(), ZIP_DEFLATED)
