"""`python -m tests.support.vendored` copies the scripts of others that the pages load, and records their hashes."""

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import tomlkit

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "src" / "citemark" / "web" / "static"
RECORD = STATIC / "vendored.toml"
MODULES = ROOT / ".build" / "node" / "node_modules"


def copy_all() -> None:
    """Copy each recorded script and its licence out of the package that is installed."""
    record = tomlkit.parse(RECORD.read_text("utf-8"))
    for name, entry in cast("dict[str, dict[str, Any]]", record).items():
        package = MODULES / entry["package"]
        published = (package / entry["file"]).read_bytes()
        (STATIC / name).write_bytes(published)
        (STATIC / entry["text"]).write_bytes((package / "LICENSE").read_bytes())
        stated = json.loads((package / "package.json").read_text("utf-8"))
        entry["version"], entry["licence"] = stated["version"], stated["license"]
        entry["sha256"] = hashlib.sha256(published).hexdigest()
    RECORD.write_text(tomlkit.dumps(record), "utf-8")


if __name__ == "__main__":
    copy_all()
