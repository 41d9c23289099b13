"""What was measured so far: parts are run one by one, and merged."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.bench.locations import ROOT

FILE = ROOT / "docs" / "benchmarks.json"


def read() -> dict[str, dict[str, Any]]:
    """Every part's last result, by name."""
    if not FILE.exists():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return found


def merge(part: str, result: dict[str, object]) -> None:
    """Keep a part's result, in place of its last one; `took_s` counts what is made once, such as an index."""
    every = read()
    every[part] = {**result, "on": datetime.now(UTC).date().isoformat()}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(dict(sorted(every.items())), indent=1) + "\n", encoding="utf-8")
